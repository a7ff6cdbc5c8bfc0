import { dayOf, isoDate } from "../../domain/event";
import { clock, dayMs, secondMs } from "../../lib/clock";
import { type Usage, usageRead } from "../../reads/usage";
import type { Control } from "../../store/control/control";
import type { EventStore } from "../../store/port";
import type { ReplayStore } from "../../store/replay-port";
import type { Archive } from "../archive/archive";
import { projectBytes } from "../disk/project-bytes";
import { RetentionRun } from "../retention";

interface Stores {
  readonly control: Control;
  readonly store: EventStore;
  readonly replays: ReplayStore;
  readonly archive: Pick<Archive, "write">;
}

/** The last dates, which no budget deletes. */
const datesKept = 7;
/** After this time a run leaves the other dates to the next one. */
const runMsMax = 30 * secondMs;

/** Deletes the oldest dates of projects that are over their budget, until they fit. False where dates are left. */
export async function forgetOldest(stores: Stores, isStopped: () => boolean): Promise<boolean> {
  const startedAtMs = clock.nowMs();
  const isOver = (): boolean => isStopped() || clock.nowMs() - startedAtMs > runMsMax;
  let isDone = true;
  const run = new RetentionRun(stores, isOver);
  for (const { projectId, bytes, whenOver } of stores.control.budgets.all()) {
    if (whenOver !== "forget_oldest" || bytes === null) continue;
    for (;;) {
      const used = (await projectBytes(stores, [projectId])).get(projectId) ?? 0;
      const oldest = await oldestDay(stores, projectId);
      const lastDay = dayOf(clock.nowMs()) - datesKept;
      if (used <= bytes || oldest === null || oldest > lastDay) break;
      if (isOver()) return false;
      // A date that could not be archived stays, and others of other projects go.
      if (!(await run.forget(projectId, (oldest + 1) * dayMs))) {
        isDone = false;
        break;
      }
      await stores.replays.forget(projectId, (oldest + 1) * dayMs);
    }
  }
  return isDone;
}

/** The date of the first event that reads see; null without events. */
async function oldestDay({ store }: Stores, projectId: string): Promise<number | null> {
  const nowMs = clock.nowMs();
  const today = isoDate(dayOf(nowMs));
  const { signal } = new AbortController();
  const request = { accountId: "retention", signal, arrivedAtMs: nowMs };
  const input = { projectIds: [projectId], fromDate: today, toDate: today };
  const usage: Usage = JSON.parse((await store.read(usageRead, input, request)).json);
  const firstMs = usage[projectId]?.first_event_at ?? null;
  return firstMs === null ? null : dayOf(firstMs);
}
