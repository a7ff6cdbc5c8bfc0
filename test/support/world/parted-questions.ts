import { within } from "../../../src/domain/filter-items";
import { plainGoal } from "../../../src/domain/goal";
import { allTime } from "../../../src/domain/period";
import { compareText } from "../../../src/lib/text";
import type { Read } from "../../../src/store/port";
import type { Snapshot } from "../../../src/store/questions";
import { projectId } from "../engine/event-store";
import { dayMs, usualToday } from "./cast";

const dates = 12;
export const from = usualToday - dates + 1;
export const view = { projectId, fromMs: from * dayMs, toMs: (usualToday + 1) * dayMs };
const days = { from, to: usualToday };
export const counts = {
  group_by: ["event", "properties.number"],
  metrics: ["event_count", "unique_users"],
  limit: 7,
} as const;

const fromGermany = { field: "country", op: "eq", value: "DE" } as const;
/** Sessions of several dates, of which another date may say what is asked. */
const ofSessions = {
  group_by: ["session.entry_page"],
  metrics: ["session_count", "bounce_rate", "avg_duration", "conversions"],
  goal: { event: "buy", filters: [fromGermany] },
  limit: 100,
} as const;
const someSessions = within(
  [
    { field: "session.entry_page", op: "in", value: ["/1", "/2", "/3"] },
    { any: [fromGermany, { field: "session.country", op: "eq", value: "US" }] },
  ],
  view,
);

/** One of each kind of question that is answered in parts. */
export const everyQuestion: Read<null, unknown> = {
  name: "every question",
  scope: () => ({ projectIds: [projectId], ...view }),
  async run(snapshot: Snapshot) {
    return [
      await snapshot.totals(view),
      await snapshot.timeSeries(view, days, "week"),
      await snapshot.countBy(view, counts),
      await snapshot.countBy(view, { ...counts, group_by: ["properties.number"], limit: 1_000 }),
      await snapshot.countBy(view, { ...counts, group_by: ["date", "country"] }),
      await snapshot.sessionGroups(view, "all"),
      await snapshot.sessionGroups(view, "duration"),
      await snapshot.eventCount(view, [{ field: "country", op: "eq", value: "DE" }]),
      await snapshot.eventCount({ projectId, ...allTime }, [
        { field: "country", op: "eq", value: "DE" },
      ]),
      ...(await questionsOfSessions(snapshot)),
      ...(await funnels(snapshot)),
      await snapshot.experimentCounts(view, {
        ...{ experiment: "one", variants: ["control", "test"], goal: plainGoal("buy") },
      }),
    ];
  },
};

/** What is seen of who answers is seen of one question too. */
export const oneQuestion: Read<null, unknown> = {
  ...everyQuestion,
  name: "one question",
  run: (snapshot) => snapshot.countBy(view, counts),
};

/** Users and sessions take their steps on several dates, some sessions in one visit over a midnight. */
async function funnels(snapshot: Snapshot): Promise<unknown[]> {
  const steps = [
    { event: "step", filters: [] },
    { event: "buy", filters: [] },
    { event: "step", filters: [fromGermany] },
  ];
  const found: unknown[] = [];
  for (const count_by of ["user_id", "session_id"] as const) {
    for (const breakdown of [null, "country", "properties.number"] as const) {
      const request = { steps, count_by, breakdown, window_ms: 3 * dayMs };
      const { activity, overall, groups } = await snapshot.funnel(view, request);
      const byValue = groups.toSorted((a, b) => compareText(String(a.value), String(b.value)));
      found.push({ activity, overall, groups: byValue });
    }
  }
  return found;
}

async function questionsOfSessions(snapshot: Snapshot): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const filters of [[], [fromGermany], someSessions]) {
    const filtered = { ...view, filters };
    found.push(await snapshot.sessionGroups(filtered, "all"));
    found.push(await snapshot.countBy(filtered, ofSessions));
    found.push(await snapshot.countBy(filtered, { ...ofSessions, group_by: [] }));
  }
  const filtered = { ...view, filters: someSessions };
  found.push(await snapshot.totals(filtered));
  found.push(await snapshot.timeSeries(filtered, days, "day"));
  found.push(await snapshot.countBy(filtered, counts));
  return found;
}
