import { dayOf } from "./domain/event";
import { demoMovesAtMs } from "./domain/limits";
import { forgottenBeforeMs, lastRunMs, runDayOf } from "./domain/retention";
import type { Deps } from "./http/deps";
import { clock, dayMs, hourMs, minuteMs } from "./lib/clock";
import { describeFault } from "./lib/fault";
import { log } from "./lib/log";
import { forgetOldest } from "./services/budgets/forget-oldest";
import { makeRoom } from "./services/disk/make-room";
import { RetentionRun } from "./services/retention";
import { forgetAudit } from "./store/control/audit-log";
import { deletedKeptMs } from "./store/control/deletion";
import { forgetClients } from "./store/control/oauth-clients";

/** Website scans: those of nobody, and those of accounts. */
const anonymousScanKeptMs = 30 * dayMs;
const anonymousScansMax = 10_000;
const ownedScanKeptMs = 365 * dayMs;
const webhookEventsKeptMs = 30 * dayMs;

type JobDeps = Pick<
  Deps,
  | "config"
  | "erasures"
  | "archive"
  | "store"
  | "replays"
  | "control"
  | "demo"
  | "imports"
  | "trustedTime"
  | "alerts"
  | "reports"
  | "backupDrill"
  | "serverLooks"
  | "disk"
  | "budgets"
>;

export interface Job {
  readonly name: string;
  /**
   * It deletes or changes what is old, and rests while the clock is not trusted. Whatever is deleted because of its age
   * is deleted by such a job, or asks the same guard itself (services/trusted-time.ts).
   */
  readonly isTimed: boolean;
  /** Runs once per value of this, and at start: what was missed while the server was down is made up for. */
  slot(nowMs: number): number;
  /** Resolves to `unfinished` where work is left: then it runs again when jobs are looked at next. */
  run(deps: JobDeps, nowMs: number, isStopped: () => boolean): Promise<unknown>;
}

/** One run purges this many projects; the next goes on with the others. */
const projectsPerRun = 100;
const membershipsPerRun = 1_000;

const demoDaily = (nowMs: number): number => dayOf(nowMs - demoMovesAtMs);
const tenMinutely = (nowMs: number): number => Math.floor(nowMs / (10 * minuteMs));
const minutely = (nowMs: number): number => Math.floor(nowMs / minuteMs);
const hourly = (nowMs: number): number => Math.floor(nowMs / hourMs);

/** The first two tell the others whether the clock is trusted, and since when. */
export const jobs: readonly Job[] = [
  {
    ...{ name: "events hidden by a wrong clock", isTimed: false, slot: minutely },
    run: ({ trustedTime }) => trustedTime.mend(),
  },
  {
    ...{ name: "heartbeat", isTimed: false, slot: tenMinutely },
    run: async ({ trustedTime }) => trustedTime.beat(),
  },
  { name: "replays", isTimed: false, slot: minutely, run: tendReplays },
  { name: "old replays", isTimed: true, slot: minutely, run: forgetOldReplays },
  { name: "retention", isTimed: true, slot: runDayOf, run: retain },
  {
    ...{ name: "ended portfolio memberships", isTimed: false, slot: minutely },
    run: removeEndedMemberships,
  },
  {
    ...{ name: "purge of deleted projects and accounts", isTimed: true, slot: hourly },
    run: purgeDeletedProjects,
  },
  { name: "expired browser sessions", isTimed: true, slot: hourly, run: dropExpiredSessions },
  { name: "expired agent sign-ins", isTimed: true, slot: hourly, run: forgetEndedSignIns },
  {
    ...{ name: "keys of days that are over", isTimed: true, slot: dayOf },
    run: async ({ control }, nowMs) => control.visitorKeys.destroyBefore(dayOf(nowMs) - 1),
  },
  {
    ...{ name: "uploads that were left", isTimed: true, slot: hourly },
    run: async ({ imports }, nowMs) => imports.lapse(nowMs),
  },
  {
    ...{ name: "drill of the backup", isTimed: false, slot: hourly },
    run: ({ backupDrill }, nowMs) => backupDrill.runIfDue(nowMs),
  },
  {
    ...{ name: "conditions of the server", isTimed: false, slot: minutely },
    run: ({ serverLooks }) => serverLooks.run(),
  },
  {
    ...{ name: "budgets of projects", isTimed: false, slot: minutely },
    run: ({ budgets }) => budgets.look(),
  },
  {
    ...{ name: "growth of the disk", isTimed: false, slot: dayOf },
    run: ({ disk }, nowMs) => disk.noteDay(nowMs),
  },
  {
    ...{ name: "room on a full disk", isTimed: false, slot: minutely },
    run: makeRoom,
  },
  {
    ...{ name: "erasures", isTimed: false, slot: minutely },
    run: ({ erasures }, _nowMs, isStopped) => erasures.goOn(isStopped),
  },
  { name: "old website scans", isTimed: true, slot: hourly, run: forgetOldScans },
  { name: "old ids of payment events", isTimed: true, slot: hourly, run: forgetPaymentEvents },
  {
    ...{ name: "old messages", isTimed: true, slot: hourly },
    run: async ({ control }, nowMs) => {
      control.mail.forgetEnded(nowMs);
      control.deliveries.forgetEnded(nowMs);
    },
  },
  {
    ...{ name: "old audit entries", isTimed: true, slot: runDayOf },
    run: async ({ control, config: { auditDays } }, nowMs) => {
      if (auditDays > 0) forgetAudit(control, nowMs - auditDays * dayMs);
    },
  },
  {
    ...{ name: "alerts", isTimed: false, slot: minutely },
    run: async ({ alerts, trustedTime }, nowMs) => {
      if (trustedTime.isTrusted()) await alerts.run(nowMs);
    },
  },
  {
    ...{ name: "reports", isTimed: false, slot: minutely },
    run: async ({ reports, trustedTime }, nowMs) => {
      if (trustedTime.isTrusted()) await reports.run(nowMs);
    },
  },
  {
    ...{ name: "an unused demo", isTimed: true, slot: hourly },
    run: ({ demo }, nowMs) => demo.tidy(nowMs),
  },
  {
    ...{ name: "dates of the demo", isTimed: true, slot: demoDaily },
    run: ({ demo }, nowMs) => demo.move(nowMs),
  },
];

/** Starts the timed work. Returns what stops it; it resolves when the job that is running has ended. */
export function startJobs(deps: JobDeps, lookEveryMs = minuteMs): () => Promise<void> {
  const done = new Map<string, number>();
  let isStopped = false;
  let running = Promise.resolve();
  const next = (): void => {
    running = running.then(() => runDueJobs(deps, done, () => isStopped));
  };
  const timer = setInterval(next, lookEveryMs);
  next();
  return async () => {
    isStopped = true;
    clearInterval(timer);
    await running;
  };
}

/** Runs the jobs whose slot is not done, and notes that it is. */
export async function runDueJobs(
  deps: JobDeps,
  done: Map<string, number>,
  isStopped = () => false,
): Promise<void> {
  for (const job of jobs) {
    const nowMs = clock.nowMs();
    if (isStopped() || done.get(job.name) === job.slot(nowMs)) continue;
    if (job.isTimed && !deps.trustedTime.isTrusted()) continue;
    if (await attempt(job, deps, nowMs, isStopped)) done.set(job.name, job.slot(nowMs));
  }
}

/** A job that fails is tried again when jobs are looked at next. */
async function attempt(
  job: Job,
  deps: JobDeps,
  nowMs: number,
  isStopped: () => boolean,
): Promise<boolean> {
  try {
    return (await job.run(deps, nowMs, isStopped)) !== "unfinished";
  } catch (error) {
    log("error", "job failed", { job: job.name, ...describeFault(error) });
    return false;
  }
}

/** Deletes the events that are too old, then those beyond the budgets of projects. */
async function retain(deps: JobDeps, nowMs: number, isStopped: () => boolean): Promise<unknown> {
  const outcome = await forgetOldEvents(deps, nowMs, isStopped);
  const isDone = await forgetOldest(deps, isStopped);
  return isDone ? outcome : "unfinished";
}

/**
 * Kept are dates from today − retention days on, where "today" is that of the last 03:00 UTC. Raising the same date
 * again changes nothing, so it does not matter whether that run was missed.
 */
export async function forgetOldEvents(
  { config, ...stores }: Pick<JobDeps, "store" | "control" | "config" | "archive">,
  nowMs: number,
  isStopped = () => false,
): Promise<unknown> {
  const { control } = stores;
  const runMs = lastRunMs(nowMs);
  const proDays = control.retention.serversAtRun(config.retentionDays, runMs, nowMs);
  const run = new RetentionRun(stores, isStopped);
  let isFinished = true;
  for (const { id, retentionDays } of control.lifecycle.projectsWithRetention(runMs, proDays)) {
    const days = control.retention.daysAtRun(id, retentionDays, runMs);
    const beforeMs = forgottenBeforeMs(runDayOf(nowMs), days);
    if (beforeMs !== null && !(await run.forget(id, beforeMs))) isFinished = false;
  }
  return isFinished ? "finished" : "unfinished";
}

/** Deletes the replays of projects that are gone, and ends recording where nobody may record any more. */
export async function tendReplays({ replays, control }: JobDeps): Promise<void> {
  for (const { id, isRecording } of await replays.projects()) {
    const project = control.projects.byId(id);
    if (project === undefined) {
      await replays.remove({ projectId: id });
      continue;
    }
    const mayRecord = project.replayEnabled && control.tierOf(project.accountId) === "pro";
    if (isRecording && !mayRecord) await replays.stopProject(id);
  }
  await replays.tend();
}

/** Deletes the replays that are older than their project keeps them. */
export async function forgetOldReplays(
  { replays, control }: JobDeps,
  nowMs: number,
): Promise<void> {
  for (const { id } of await replays.projects()) {
    const { retentionDays } = control.replaySettings.of(id);
    await replays.forget(id, nowMs - retentionDays * dayMs);
  }
  await replays.tend();
}

/**
 * Reads do not find ended memberships any more. The store removes them first, so that a stop in between only repeats
 * it.
 */
export async function removeEndedMemberships({ store, control }: JobDeps): Promise<void> {
  const { memberships } = control;
  const ofDeleted = memberships.ofDeletedProjects();
  if (ofDeleted.length > 0) control.write(() => memberships.end(ofDeleted));
  const ended = memberships.ended(membershipsPerRun);
  for (const { id, projectId } of ended) await store.endMembership(projectId, id);
  if (ended.length > 0) control.write(() => memberships.forgetEnded(ended.map(({ id }) => id)));
}

/** Events first, accounts last: what has no row any more can no longer be found to be purged. */
export async function purgeDeletedProjects(
  { store, control }: JobDeps,
  nowMs: number,
): Promise<void> {
  const deletedBeforeMs = nowMs - deletedKeptMs;
  for (const id of control.lifecycle.projectsDeletedBefore(deletedBeforeMs, projectsPerRun)) {
    await store.purge(id);
    control.lifecycle.eraseProject(id);
  }
  control.deletion.eraseAccounts(deletedBeforeMs);
}

async function forgetOldScans({ control }: JobDeps, nowMs: number): Promise<void> {
  control.scans.forget({
    anonymousBeforeMs: nowMs - anonymousScanKeptMs,
    anonymousMax: anonymousScansMax,
    ownedBeforeMs: nowMs - ownedScanKeptMs,
  });
}

export async function forgetEndedSignIns({ control }: JobDeps, nowMs: number): Promise<void> {
  control.agents.forgetEnded(nowMs);
  forgetClients(control, nowMs);
}

export async function dropExpiredSessions({ control }: JobDeps, nowMs: number): Promise<void> {
  control.lifecycle.dropExpiredSessions(nowMs);
}

export async function forgetPaymentEvents({ control }: JobDeps, nowMs: number): Promise<void> {
  control.lifecycle.forgetPaymentEvents(nowMs - webhookEventsKeptMs);
}
