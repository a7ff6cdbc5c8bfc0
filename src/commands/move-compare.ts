import { dayOf, isoDate } from "../domain/event";
import { dayMs } from "../lib/clock";
import type { Snapshot, View } from "../store/questions";

/** This many reads of each project are compared, on dates and with values that are drawn from all that it has. */
export const readsPerProject = 20;
/** ClickHouse answers one while another is made; it divides `readsPerProject`. */
const readsAtOnce = 4;
const rowsPerRead = 100;
/** Before all events and after. */
const firstDate = "0000-01-01";
const lastDate = "9999-12-31";

type Sampled = (snapshot: Snapshot, view: View, timeMs: number) => Promise<unknown>;

const kinds: readonly (readonly [name: string, read: Sampled])[] = [
  [
    "events",
    (snapshot, { projectId }, timeMs) =>
      snapshot.newestEvents(
        { projectId, fromMs: 0, toMs: timeMs + 1 },
        { project_id: projectId, filters: [], limit: rowsPerRead, before: null },
      ),
  ],
  [
    "counts by event and country",
    (snapshot, view) =>
      snapshot.countBy(view, {
        group_by: ["event", "country"],
        metrics: ["event_count", "unique_users"],
        limit: rowsPerRead,
      }),
  ],
  [
    "sessions",
    (snapshot, view) =>
      snapshot.newestSessions(view, {
        ...{ project_id: view.projectId, user_id: null, session_id: null, is_bounce: null },
        ...{ limit: rowsPerRead, before: null },
      }),
  ],
  [
    "people",
    async (snapshot, view) => {
      const { rows } = await snapshot.countBy(view, {
        group_by: ["user_id"],
        metrics: ["event_count"],
        limit: rowsPerRead,
        skip_null: true,
      });
      const ids = rows.map(({ user_id }) => String(user_id));
      return [rows, await snapshot.people(view.projectId, ids)];
    },
  ],
  [
    "counters",
    async (snapshot, view) => {
      const { projectId } = view;
      const date = isoDate(dayOf(view.fromMs));
      const asked = { projectIds: [projectId], from: date, to: date };
      return [
        await snapshot.totals(view),
        await snapshot.receivedDays(projectId, firstDate, lastDate),
        await snapshot.automatedByActor(asked, rowsPerRead),
      ];
    },
  ],
];

/** Returns the first read that two stores answer differently about a project, or null if there is none. */
export async function differenceOf(
  projectId: string,
  a: Snapshot,
  b: Snapshot,
): Promise<string | null> {
  const stored = await a.storedEvents(projectId);
  const copied = await b.storedEvents(projectId);
  if (JSON.stringify(stored) !== JSON.stringify(copied)) {
    return `${stored.total_events} events, and ${copied.total_events} there`;
  }
  const from = stored.first_event_at ?? 0;
  const to = stored.last_event_at ?? 0;
  const differenceIn = async (sample: number): Promise<string | null> => {
    const [name, read] = kinds[sample % kinds.length];
    const timeMs = from + Math.floor(Math.random() * (to - from + 1));
    const fromMs = dayOf(timeMs) * dayMs;
    const view = { projectId, fromMs, toMs: fromMs + dayMs };
    const [own, other] = await Promise.all([read(a, view, timeMs), read(b, view, timeMs)]);
    const isSame = JSON.stringify(own) === JSON.stringify(other);
    return isSame ? null : `${name} of ${isoDate(dayOf(timeMs))}`;
  };
  for (let sample = 0; sample < readsPerProject; sample += readsAtOnce) {
    const all = Array.from({ length: readsAtOnce }, (_, index) => differenceIn(sample + index));
    // None is under way when this returns: what they read may be closed then.
    await Promise.allSettled(all);
    const found = (await Promise.all(all)).find((difference) => difference !== null);
    if (found !== undefined) return found;
  }
  return null;
}
