import { afterEach, describe, expect, test } from "bun:test";
import { at, type Engine } from "../../../test/support/engine";
import { dayMs, event, noonMs, projectId, store, storeOf } from "../../../test/support/examples";
import type { ChangeDimension, ChangeMetric } from "../../domain/changes/change-counts";
import { changePeriods } from "../../domain/changes/change-periods";
import type { AcceptedEvent } from "../../domain/event";
import type { FilterItem } from "../../domain/filter-items";
import { changesRead } from "./read";

let engine: Engine;
afterEach(() => engine.close());

/** A request at noon of 14 January 2026, by default about the seven dates up to yesterday. */
interface Asked {
  readonly metric?: ChangeMetric;
  readonly event?: string;
  readonly dimensions?: readonly ChangeDimension[];
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
  readonly narrowedBy?: readonly FilterItem[];
}
const inputOf = (asked: Asked) => {
  const { metric = "events", since, until, limit = 10, narrowedBy } = asked;
  return {
    ...{ projectId, metric, limit, event: asked.event ?? null },
    dimensions: asked.dimensions ?? (["country"] as const),
    periods: changePeriods({ since, until, nowMs: noonMs, zone: undefined }),
    ...(narrowedBy !== undefined && { filters: narrowedBy, narrowedBy }),
  };
};
const changes = (asked: Asked = {}) => engine.read(changesRead, inputOf(asked));

const daysAgo = (days: number, said: Partial<AcceptedEvent> = {}): AcceptedEvent =>
  event({ timeMs: noonMs - days * dayMs, ...said });

/** Makes as many events of a date as `countOf` says, on some dates up to today. */
const daily = (
  from: number,
  countOf: (daysAgo: number) => number,
  said: Partial<AcceptedEvent> = {},
): AcceptedEvent[] =>
  Array.from({ length: from + 1 }, (_, days) =>
    Array.from({ length: countOf(days) }, () => daysAgo(days, said)),
  ).flat();

/** Halves seven dates ago. */
const falling = (days: number): number => (days <= 7 ? 10 : 20);

describe("what changed", () => {
  test("is a country that halves, when others stay what they are", async () => {
    engine = storeOf([
      ...daily(70, falling, { country: "DE" }),
      ...daily(70, () => 30, { country: "US" }),
      ...daily(70, () => 5),
    ]);
    const answer = await changes();
    expect(answer).toMatchObject({
      current: { from: "2026-01-07", to: "2026-01-13", value: 7 * 45 },
      previous: { from: "2025-12-31", to: "2026-01-06", value: 7 * 55 },
      reference: { from: "2025-11-12", to: "2026-01-06", dates: 56 },
      ...{ tested: 4, verdict: "specific" },
      total: { delta: -70, change_pct: -18, dispersion: 1, z: -2.646, significant: false },
    });
    const germany = { value: "DE", current: 70, previous: 140, delta: -70, share_pct: 100 };
    const ofDrivers = { ...germany, excess: -44.5, z: -4.83, new: false, gone: false };
    expect(answer.drivers).toEqual([{ dimension: "country", ...ofDrivers }]);
    expect(answer.dimensions[0]?.values.map(({ value, delta }) => [value, delta])).toEqual([
      ["DE", -70],
      [null, 0],
      ["US", 0],
    ]);
  });

  test("counts a person once a date, also one whom neither period saw, or whose other name came last", async () => {
    const older = Array.from({ length: 24 }, (_, visit) =>
      daysAgo(30, { userId: `u${visit % 12}`, sessionId: `s${visit}` }),
    );
    engine = storeOf([daysAgo(3, { userId: "now" })]);
    at(noonMs, () => engine.compact());
    // These events are in columns of their own, which only the reference reads.
    store(engine, older);
    at(noonMs, () => engine.compact());
    const link = { previousId: "u11", userId: "a name of later", traits: null, emailDigests: [] };
    engine.append([{ kind: "identity", projectId, receivedAtMs: noonMs, ...link }]);
    const { total } = await changes({ metric: "users" });
    // Four of the 23 dates are of that weekday, with 12, 0, 0, 0 users: their mean is 3.
    expect(total.dispersion).toBe(((12 - 3) ** 2 / 3 + 3 * 3) / (23 - 7));
  });

  test("is nothing where nothing changed; a missing value is tested like any other", async () => {
    engine = storeOf(daily(70, (days) => 5 + (days % 7)));
    expect(await changes()).toMatchObject({
      ...{ verdict: "noise", tested: 2, drivers: [] },
      dimensions: [{ surprise: 0, values: [{ value: null, delta: 0, significant: false }] }],
    });
  });

  test("is a whole that fell, where its values fell alike", async () => {
    engine = storeOf([
      ...daily(70, falling, { country: "DE" }),
      ...daily(70, falling, { country: "US" }),
    ]);
    expect(await changes()).toMatchObject({ verdict: "broad", drivers: [] });
  });

  test("is not known of a project without events", async () => {
    engine = storeOf([]);
    expect(await changes()).toMatchObject({
      ...{ verdict: "too_little_history", tested: 1, threshold: null, drivers: [] },
      reference: { dates: 0 },
      total: { delta: 0, change_pct: 0, significant: null },
      dimensions: [{ dimension: "country", surprise: 0, values: [] }],
    });
  });

  test("of one event is what it did alone; one that nobody sent is warned of", async () => {
    engine = storeOf([
      ...daily(70, falling, { name: "buy", country: "DE" }),
      ...daily(70, () => 9, { country: "DE" }),
    ]);
    const answer = await changes({ event: "buy" });
    expect(answer).toMatchObject({ event: "buy", current: { value: 70 } });
    expect(answer.warnings).toBeUndefined();
    expect((await changes({ event: "by" })).warnings?.[0]).toContain('"by"');
  });
});

describe("what is known of the dates before", () => {
  test("28 of them are enough, 27 are not", async () => {
    engine = storeOf(daily(35, falling));
    expect(await changes()).toMatchObject({ verdict: "broad", reference: { dates: 28 } });
    engine.close();
    engine = storeOf(daily(34, falling));
    expect(await changes()).toMatchObject({
      ...{ verdict: "too_little_history", reference: { dates: 27 } },
      ...{ threshold: null, total: { significant: null } },
    });
  });

  test("the period before must be kept whole", async () => {
    engine = storeOf(daily(70, falling));
    expect(await changes({ since: "36d" })).toMatchObject({
      ...{ verdict: "too_little_history", reference: { dates: 34 } },
      total: { significant: false },
    });
  });

  test("what retention hides is no reference; a date that it cuts is none either", async () => {
    engine = storeOf(daily(70, falling));
    const startOfDay = noonMs - dayMs / 2;
    engine.forget(projectId, startOfDay - 40 * dayMs);
    expect(await changes()).toMatchObject({ reference: { from: "2025-12-05", dates: 33 } });
    engine.forget(projectId, startOfDay - 40 * dayMs + 1);
    expect(await changes()).toMatchObject({ reference: { from: "2025-12-06", dates: 32 } });
  });

  test("of a share with filters they are those that these leave", async () => {
    engine = storeOf([
      ...daily(70, () => 3, { country: "DE" }),
      ...daily(20, () => 3, { country: "US" }),
    ]);
    const isAmerican = { field: "country", op: "eq", value: "US" } as const;
    const answer = await changes({ narrowedBy: [isAmerican], event: "nothing" });
    expect(answer).toMatchObject({ reference: { from: "2025-12-25", dates: 13 } });
    // The answer does not tell either that there are other events.
    expect(answer.warnings).toBeUndefined();
  });

  test("today counts where until says so, with a caveat", async () => {
    engine = storeOf(daily(70, () => 2));
    const usual = await changes();
    const open = await changes({ since: "6d", until: "0d" });
    expect(usual.current).toMatchObject({ to: "2026-01-13", value: 14 });
    expect(open.current).toMatchObject({ to: "2026-01-14", value: 14 });
    const caveat = "The last date is not over";
    expect(usual.caveats.join()).not.toContain(caveat);
    expect(open.caveats.join()).toContain(caveat);
  });
});

describe("the values that are told apart", () => {
  /** `v1` has one event, `v2` two of them, all on one date of the period. */
  const numbered = (count: number): AcceptedEvent[] =>
    Array.from({ length: count }, (_, at) =>
      Array.from({ length: at + 1 }, () => daysAgo(2, { properties: { plan: `v${at + 1}` } })),
    ).flat();
  const byPlan = { dimensions: ["properties.plan"], limit: 50 } as const;

  test("are the 100 largest", async () => {
    engine = storeOf(numbered(100));
    expect((await changes(byPlan)).dimensions[0]?.other).toEqual({
      ...{ values: 0, current: 0, previous: 0, delta: 0 },
    });
    engine.close();
    engine = storeOf(numbered(103));
    const { dimensions, tested } = await changes(byPlan);
    expect(dimensions[0]?.other).toEqual({ values: 3, current: 6, previous: 0, delta: 6 });
    expect(dimensions[0]?.values).toHaveLength(50);
    // v20 to v103, and the total.
    expect(tested).toBe(85);
  });

  test("of equal ones are the first in order, none before the empty one", async () => {
    const plans = [undefined, "", ...Array.from({ length: 100 }, (_, at) => `w${100 + at}`)];
    engine = storeOf(
      plans.map((plan) => daysAgo(2, { properties: plan === undefined ? {} : { plan } })),
    );
    const [found] = (await changes(byPlan)).dimensions;
    expect(found?.other.values).toBe(2);
    expect(found?.values.slice(0, 3).map(({ value }) => value)).toEqual([null, "", "w100"]);
  });

  test("come from properties as the dimension says", async () => {
    const of = (properties: Record<string, unknown>) => daysAgo(2, { properties });
    engine = storeOf([
      of({ path: "/a", utm_source: "mail", referrer: "https://x.example/", version: 2 }),
      of({ url: "https://u/", referrer: "https://www.x.example/y", release: "r1" }),
      of({ path: 7, version: "", app_version: "r1", referrer: "https://own.example/" }),
    ]);
    const { dimensions } = await changes({ dimensions: ["page", "source", "version"] });
    const valuesOf = (wanted: string) =>
      dimensions
        .find(({ dimension }) => dimension === wanted)
        ?.values.map(({ value, current }) => [value, current]);
    expect(valuesOf("page")).toEqual([
      [null, 1],
      ["/a", 1],
      ["https://u/", 1],
    ]);
    expect(valuesOf("source")).toEqual([
      ["(direct)", 1],
      ["mail", 1],
      ["x.example", 1],
    ]);
    expect(valuesOf("version")).toEqual([
      ["r1", 2],
      ["2", 1],
    ]);
  });

  test("of a session are those of its earliest event that has one", async () => {
    const of = (minute: number, properties: Record<string, unknown>, name = "look") =>
      event({
        ...{ name, sessionId: "s", userId: "u", properties },
        timeMs: noonMs - 2 * dayMs + minute * 60_000,
      });
    engine = storeOf([
      of(1, { referrer: "https://x.example/", device: "" }, "open"),
      of(2, { path: "/b", release: "r2", utm_source: "mail", device: "phone" }),
      of(3, { path: "/c", version: "r3", device: "desktop" }, "buy"),
    ]);
    const dimensions = ["event", "page", "source", "version", "device"] as const;
    const answer = await changes({ metric: "conversion", event: "buy", dimensions });
    expect(answer.current.value).toBe(1);
    expect(
      Object.fromEntries(answer.dimensions.map((one) => [one.dimension, one.values[0]?.value])),
    ).toEqual({ event: "open", page: "/b", source: "mail", version: "r2", device: "phone" });
  });
});

describe("users", () => {
  const visits = (userId: string, days: number, plans: readonly string[]): AcceptedEvent[] =>
    plans.map((plan, at) =>
      event({
        ...{ name: "look", userId, sessionId: `${userId} ${days}`, properties: { plan } },
        timeMs: noonMs - days * dayMs + at,
      }),
    );
  const plansOf = (count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => `p${100 + from + at}`);

  /** Up to 31 values, with none a visit's, are noted as bits, and more of them row by row. */
  test.each([31, 32, 33, 70, 130])("count once in each of %d values and period", async (count) => {
    const plans = plansOf(count);
    engine = storeOf([
      ...visits("a", 2, [...plans, ...plans]),
      ...visits("a", 3, plans),
      ...visits("b", 3, plans.slice(0, 2)),
      ...visits("b", 9, plans.slice(1)),
      ...daily(70, () => 1, { userId: "c", properties: { plan: plans[0] } }),
      ...daily(10, () => 1, { userId: null, properties: { plan: plans[0] } }),
    ]);
    const asked = { metric: "users", dimensions: ["properties.plan"], limit: 50 } as const;
    const answer = await changes(asked);
    expect([answer.current.value, answer.previous.value]).toEqual([3, 2]);
    const { values, other } = answer.dimensions[0] ?? { values: [] };
    const found = Object.fromEntries(values.map((one) => [one.value, [one.current, one.previous]]));
    expect(found.p100).toEqual([3, 1]);
    expect(found.p101).toEqual([2, 1]);
    expect(found.p102).toEqual([1, 1]);
    expect(other?.values).toBe(Math.max(0, count - 100));
  });
});
