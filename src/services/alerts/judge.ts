import { type AlertState, judgeChange, judgeSilence, judgeSurge } from "../../domain/alerts/rules";
import {
  type ChangeSpec,
  type EachSpec,
  type GoalSpec,
  isEach,
  type SilenceSpec,
  type SurgeSpec,
} from "../../domain/alerts/specs";
import type { AlertNumbers } from "../../domain/alerts/words";
import { dayOf, isoDate } from "../../domain/event";
import { datesOf, todayIn } from "../../domain/period";
import { storedFilterItems } from "../../domain/stored-filters";
import { dayMs, hourMs, minuteMs } from "../../lib/clock";
import { alertChangeRead, alertGoalRead, alertWindowsRead } from "../../reads/alerts";
import type { AlertRow } from "../../store/control/alert-tables";
import type { Control } from "../../store/control/control";
import type { ProjectRow } from "../../store/control/tables";
import type { EventStore } from "../../store/port";
import { ownRead } from "../own-read";

/** The result of a rule at a moment. `numbers` lets everybody check it. */
export interface Judgement {
  readonly would: AlertState;
  readonly numbers: AlertNumbers & Readonly<Record<string, unknown>>;
}

const weekMs = 7 * dayMs;
const weeks = [1, 2, 3, 4] as const;
const youngMs = 28 * dayMs;

interface Moment {
  readonly control: Control;
  readonly store: EventStore;
  readonly project: ProjectRow;
  readonly nowMs: number;
  /** The server runs since then without a jump of its clock; silence of before is not counted. */
  readonly runningSinceMs: number;
}

export function judge(
  moment: Moment,
  alert: Pick<AlertRow, "spec" | "counted" | "sinceMs">,
): Promise<Judgement> {
  const { spec } = alert;
  switch (spec.kind) {
    case "change":
      return changeAt(moment, spec);
    case "silence":
      return silenceAt(moment, spec);
    case "surge":
      return surgeAt(moment, spec);
    case "goal":
      return isEach(spec) ? eachAt(moment, spec, alert) : goalAt(moment, spec);
  }
}

async function changeAt(moment: Moment, spec: ChangeSpec): Promise<Judgement> {
  const { project, nowMs } = moment;
  const zone = project.timezone;
  const today = todayIn(zone, nowMs);
  const date = { ...today, from: today.from - 1, to: today.to - 1 };
  const counted = await ownRead(moment, alertChangeRead, {
    ...{ projectId: project.id, date, metric: spec.metric, event: spec.event ?? null },
    filters: storedFilterItems(spec.filters),
  });
  const { would, ...numbers } = judgeChange(spec, counted);
  const { byDate, referenceFrom } = counted;
  const from = referenceFrom ?? date.from;
  const reference = { from: isoDate(from), to: isoDate(date.from - 1), dates: byDate.length };
  return { would, numbers: { ...numbers, date: isoDate(date.from), reference } };
}

async function silenceAt(moment: Moment, spec: SilenceSpec): Promise<Judgement> {
  const { project, nowMs, runningSinceMs } = moment;
  const lengthMs = spec.after_minutes * minuteMs;
  const windows = weeks.map((week) => {
    const toMs = nowMs - week * weekMs;
    return { fromMs: toMs - lengthMs, toMs };
  });
  const question = { projectId: project.id, windows, nowMs };
  const found = await ownRead(moment, alertWindowsRead, question);
  const { firstEventAtMs, lastEventAtMs } = found;
  const sinceMs = Math.max(lastEventAtMs ?? nowMs, runningSinceMs);
  const { would, ...numbers } = judgeSilence(spec, {
    minutes: Math.max(0, Math.floor((nowMs - sinceMs) / minuteMs)),
    before: found.windows.map(({ events }) => events),
    isYoung: firstEventAtMs === null || nowMs - firstEventAtMs < youngMs,
  });
  return { would, numbers };
}

async function surgeAt(moment: Moment, spec: SurgeSpec): Promise<Judgement> {
  const { project, nowMs } = moment;
  const windows = [0, ...weeks].map((week) => {
    const toMs = nowMs + 1 - week * weekMs;
    return { fromMs: toMs - hourMs, toMs };
  });
  const found = await ownRead(moment, alertWindowsRead, { projectId: project.id, windows, nowMs });
  const [users = 0, ...before] = found.windows.map((one) => one.users);
  const { would, ...numbers } = judgeSurge(spec, { users, before });
  return { would, numbers };
}

async function goalAt(moment: Moment, spec: GoalSpec): Promise<Judgement> {
  const { project, nowMs } = moment;
  const today = todayIn(project.timezone, nowMs);
  const { count, firstAtMs, lastAtMs } = await ownRead(moment, alertGoalRead, {
    ...{ projectId: project.id, event: spec.event, filters: storedFilterItems(spec.filters) },
    ...{ date: spec.per === "day" ? today : null, toldFrom: 1, beforeMs: null },
  });
  const numbers = { observed: count, expected: spec.count, date: datesOf(today).from };
  if (count < spec.count) return { would: "ok", numbers };
  return { would: "firing", numbers: { ...numbers, count, ...timesOf(firstAtMs, lastAtMs) } };
}

/** The rule has no state: it tells of each event that came since it looked last. */
async function eachAt(
  moment: Moment,
  spec: EachSpec,
  { counted, sinceMs }: Pick<AlertRow, "counted" | "sinceMs">,
): Promise<Judgement> {
  const { project } = moment;
  const question = {
    projectId: project.id,
    event: spec.event,
    filters: storedFilterItems(spec.filters),
  };
  const ask = (known: number | null) =>
    ownRead(moment, alertGoalRead, {
      ...{ ...question, date: null, toldFrom: (known ?? 0) + 1 },
      beforeMs: known === null ? sinceMs : null,
    });
  // Events of before the rule was made, or changed, are not told.
  const known = counted ?? (await ask(null)).before ?? 0;
  const { count: total, firstAtMs, lastAtMs } = await ask(known);
  const count = Math.max(0, total - known);
  return { would: "ok", numbers: { observed: total, count, ...timesOf(firstAtMs, lastAtMs) } };
}

const timesOf = (firstAtMs: number | null, lastAtMs: number | null) => ({
  ...(firstAtMs !== null && { first_at: new Date(firstAtMs).toISOString() }),
  ...(lastAtMs !== null && { last_at: new Date(lastAtMs).toISOString() }),
});

/** The date of a project at a moment, by which a goal of the day is reached once. */
export const dateIn = ({ timezone }: ProjectRow, timeMs: number): string =>
  timezone === "UTC" ? isoDate(dayOf(timeMs)) : datesOf(todayIn(timezone, timeMs)).from;
