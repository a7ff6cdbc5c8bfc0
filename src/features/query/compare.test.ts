import { describe, expect, test } from "bun:test";
import {
  eventAt as at,
  type ComparedAsked,
  comparedInputOf,
} from "../../../test/support/engine/compared-query";
import { dayMs, noonMs, projectId } from "../../../test/support/engine/examples";
import type { Asked } from "../../../test/support/engine/query-input";
import { ReadTest } from "../../../test/support/engine/read-test";
import { queryComparedRead } from "./compared";

const on = new ReadTest();
const { given } = on;

const answer = (asked: ComparedAsked) => on.engine.read(queryComparedRead, comparedInputOf(asked));
const query = async (asked: ComparedAsked) => (await answer(asked)).rows;
const raw = { count_mode: "raw" };

test("a row has what it had before, and the change in percent", async () => {
  given(at(0), at(-6), at(-6), at(-7), at(-13), at(-14));
  expect(await answer(raw)).toEqual({
    period: { from: "2026-01-08", to: "2026-01-14" },
    previous_period: { from: "2026-01-01", to: "2026-01-07" },
    compared_until: "2026-01-14T12:00:00.000Z",
    metrics: ["event_count"],
    group_by: [],
    rows: [{ event_count: 3, previous: { event_count: 2 }, change_pct: { event_count: 50 } }],
    count: 1,
    count_mode: "raw",
  });
});

describe("the other period is", () => {
  const periods = async (asked: ComparedAsked) => {
    given();
    const { period, previous_period } = await answer(asked);
    on.engine.close();
    return [period.from, period.to, previous_period.from, previous_period.to];
  };
  test("as many dates just before, the dates a week or 52 weeks earlier, or any", async () => {
    const now = ["2026-01-08", "2026-01-14"];
    expect(await periods({})).toEqual([...now, "2026-01-01", "2026-01-07"]);
    expect(await periods({ compare: "week" })).toEqual([...now, "2026-01-01", "2026-01-07"]);
    expect(await periods({ compare: "year" })).toEqual([...now, "2025-01-09", "2025-01-15"]);
    const compare = { date_from: "2025-12-24", date_to: "2025-12-26" };
    expect(await periods({ compare })).toEqual([...now, "2025-12-24", "2025-12-26"]);
    given();
  });
});

describe("groups", () => {
  const byEvent = { ...raw, group_by: ["event"] };
  test("of either period appear; a missing side is an empty set", async () => {
    given(
      at(0, { name: "new" }),
      at(0, { name: "kept" }),
      at(-7, { name: "kept" }),
      at(-8, { name: "gone" }),
    );
    expect(await query(byEvent)).toEqual([
      {
        event: "kept",
        event_count: 1,
        previous: { event_count: 1 },
        change_pct: { event_count: 0 },
      },
      {
        event: "new",
        event_count: 1,
        previous: { event_count: 0 },
        change_pct: { event_count: null },
      },
      {
        event: "gone",
        event_count: 0,
        previous: { event_count: 1 },
        change_pct: { event_count: -100 },
      },
    ]);
  });
  test("an empty set counts 0, has rates of 0, and no numbers", async () => {
    given(at(-8, { name: "gone", sessionId: "s", userId: "u", properties: { n: 4 } }));
    const metrics = [
      ...[
        "event_count",
        "unique_users",
        "session_count",
        "bounce_rate",
        "avg_duration",
        "page_views",
      ],
      ...["conversions", "conversion_rate", "distinct:properties.n"],
      ...["sum", "avg", "min", "max", "p50"].map((measure) => `${measure}:properties.n`),
    ];
    const [row] = await query({ metrics, group_by: ["event"], goal: { event: "gone" } });
    const { event: _, previous, change_pct, ...current } = row ?? {};
    expect(Object.values(current)).toEqual([...Array(9).fill(0), ...Array(5).fill(null)]);
    expect(Object.values(previous ?? {})).toEqual([1, 1, 1, 0, 0, 0, 1, 1, 1, 4, 4, 4, 4, 4]);
    expect(Object.values(change_pct ?? {})).toEqual([
      ...[-100, -100, -100, 0, 0, 0, -100, -100, -100],
      ...Array(5).fill(null),
    ]);
  });
  test("are ordered by the period itself, ties by their labels, and cut over both", async () => {
    given(
      ...["b", "b", "a"].map((name) => at(0, { name })),
      ...["c", "c", "c", "d"].map((name) => at(-7, { name })),
    );
    const names = async (more: Asked) => {
      const { rows, groups_total } = await answer({ ...byEvent, ...more });
      return [rows.map((row) => row.event).join(""), groups_total];
    };
    expect(await names({})).toEqual(["bacd", undefined]);
    expect(await names({ order: "asc" })).toEqual(["cdab", undefined]);
    expect(await names({ limit: 3 })).toEqual(["bac", 4]);
    expect(await names({ order_by: "event", limit: 1 })).toEqual(["d", 4]);
  });
  test.each([["user_id"], ["session_id"], ["session.utm_source"], ["properties.utm_source"]])(
    "by %s are the same in both",
    async (group) => {
      const of = (userId: string) => ({
        userId,
        sessionId: userId,
        properties: { utm_source: userId },
      });
      given(at(0, of("a")), at(0, of("b")), at(-7, of("b")), at(-7, of("b")), at(-9, of("c")));
      const rows = await query({
        ...raw,
        group_by: [group],
        metrics: ["event_count", "unique_users"],
      });
      expect(rows.map((row) => [row[group], row.event_count, row.previous])).toEqual([
        ["a", 1, { event_count: 0, unique_users: 0 }],
        ["b", 1, { event_count: 2, unique_users: 1 }],
        ["c", 0, { event_count: 1, unique_users: 1 }],
      ]);
    },
  );
});

describe("sessions", () => {
  test("that go on from one period to the other are counted in both, and judged whole", async () => {
    given(
      at(-7, { sessionId: "s", name: "page_view" }, -1),
      at(-6, { sessionId: "s", name: "signup" }, -11),
      at(-7, { sessionId: "t", name: "page_view" }),
    );
    const metrics = [
      "session_count",
      "bounce_rate",
      "avg_duration",
      "conversions",
      "conversion_rate",
    ];
    const [row] = await query({ metrics, goal: { event: "signup" } });
    const hourMs = 3_600_000;
    expect(Object.values(row ?? {}).slice(0, 5)).toEqual([1, 0, 14 * hourMs, 1, 1]);
    expect(Object.values(row?.previous ?? {})).toEqual([2, 0.5, 7 * hourMs, 1, 0.5]);
  });
});

test("what is no longer kept is said, as the other numbers lack it", async () => {
  given(at(0), at(-7));
  on.engine.forget(projectId, noonMs - 6 * dayMs);
  const message =
    "The server no longer has events from before 2026-01-08, 00:00 UTC. The comparison period begins earlier, so its " +
    "numbers do not include them.";
  expect((await answer(raw)).warnings).toEqual([
    { code: "kept_from", message, date: "2026-01-08" },
  ]);
});

test("an answer has 20 warnings at most, the one of what is no longer kept first", async () => {
  given(at(0), at(-7));
  const value = Array.from({ length: 20 }, (_, index) => `misspelt_${index}`);
  const filters = [{ field: "event", op: "in" as const, value }];
  const warned = async () => (await answer({ ...raw, filters })).warnings;
  expect(await warned()).toHaveLength(20);
  on.engine.forget(projectId, noonMs - 6 * dayMs);
  const warnings = await warned();
  expect(warnings).toHaveLength(20);
  expect(warnings?.[0]?.message).toStartWith(
    "The server no longer has events from before 2026-01-08",
  );
});

test("a name that the other period alone has is not misspelt", async () => {
  given(at(-7, { name: "signup" }));
  const asked = (value: string) => ({ filters: [{ field: "event", op: "eq", value }] });
  expect(await answer(asked("signup"))).not.toHaveProperty("warnings");
  expect((await answer(asked("sigup"))).warnings).toHaveLength(1);
});

test("visits of one user in both periods are one group", async () => {
  given(at(0, { userId: "ann", sessionId: "s1" }), at(-7, { userId: "ann", sessionId: "s0" }));
  const rows = await query({
    group_by: ["user_id"],
    metrics: ["session_count"],
  });
  expect(rows).toEqual([
    {
      user_id: "ann",
      session_count: 1,
      previous: { session_count: 1 },
      change_pct: { session_count: 0 },
    },
  ]);
});

test("a share's filters hold in both periods, and for the goal", async () => {
  const by = (country: string, days: number, sessionId: string, name = "page_view") =>
    at(days, { country, sessionId, name });
  given(
    ...[by("DE", 0, "a"), by("DE", 0, "a", "signup"), by("FR", 0, "b")],
    ...[by("DE", -7, "c"), by("FR", -7, "c", "signup"), by("FR", -7, "d")],
  );
  const filters = [{ field: "country", op: "eq", value: "DE" }];
  const metrics = ["session_count", "conversions"];
  const input = comparedInputOf({ metrics, filters, goal: { event: "signup" } });
  const numbers = async (narrowedBy: typeof input.filters) =>
    (await on.engine.read(queryComparedRead, input, narrowedBy)).rows.map(
      ({ conversions, previous }) => ({
        ...{ conversions, previous },
      }),
    );
  expect(await numbers([])).toEqual([
    { conversions: 1, previous: { session_count: 1, conversions: 1 } },
  ]);
  expect(await numbers(input.filters)).toEqual([
    { conversions: 1, previous: { session_count: 1, conversions: 0 } },
  ]);
});
