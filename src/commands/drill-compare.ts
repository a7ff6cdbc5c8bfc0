import { dayOf, isoDate } from "../domain/event";
import { dayMs } from "../lib/clock";
import type { Snapshot } from "../store/questions";

/** This many reads are compared in all, of the largest projects. */
const readsMax = 20;
const projectsMax = 5;
const rowsPerRead = 100;
const groupings = [["event"], ["country"], ["event", "country"], ["session_id"]] as const;

export interface Compared {
  /** The number of reads that were equal. */
  readonly reads: number;
  /** The first one that was not, or null. */
  readonly difference: string | null;
}

/**
 * Compares counts of restored events with those of the running store. Dates into which something was stored since, and
 * those of which retention removed something, are left out: they have another number of events there.
 */
export async function compareReads(
  projects: readonly { readonly id: string; readonly events: number }[],
  restored: Snapshot,
  running: Snapshot,
): Promise<Compared> {
  const largest = [...projects].sort((left, right) => right.events - left.events);
  let reads = 0;
  for (const { id } of largest.slice(0, projectsMax)) {
    const difference = await differenceIn(id, restored, running, () => reads++);
    if (difference !== null) return { reads, difference };
  }
  return { reads, difference: null };
}

async function differenceIn(
  projectId: string,
  restored: Snapshot,
  running: Snapshot,
  count: () => void,
): Promise<string | null> {
  const { first_event_at: first, last_event_at: last } = await restored.storedEvents(projectId);
  if (first === null || last === null) return null;
  for (let sample = 0; sample < readsMax / projectsMax; sample++) {
    const day = dayOf(first + Math.floor(Math.random() * (last - first + 1)));
    const view = { projectId, fromMs: day * dayMs, toMs: (day + 1) * dayMs };
    const countIn = (snapshot: Snapshot, group_by: readonly (typeof groupings)[number][number][]) =>
      snapshot.countBy(view, { group_by, metrics: ["event_count"], limit: rowsPerRead });
    const [before, now] = [await countIn(restored, []), await countIn(running, [])];
    if (JSON.stringify(before.rows) !== JSON.stringify(now.rows)) continue;
    const grouping = groupings[sample % groupings.length];
    const [copied, own] = [await countIn(restored, grouping), await countIn(running, grouping)];
    if (JSON.stringify(copied.rows) !== JSON.stringify(own.rows)) {
      return `events by ${grouping.join(" and ")} of ${isoDate(day)} in project ${projectId}`;
    }
    count();
  }
  return null;
}
