import { afterEach, describe, expect, test } from "bun:test";
import {
  type Asked,
  daily,
  daysAgo,
  falling,
  inputOf,
  longAgo,
  refused,
} from "../../../test/support/engine/changed-days";
import { at, type Engine } from "../../../test/support/engine/engine";
import {
  dayMs,
  event,
  noonMs,
  projectId,
  store,
  storeOf,
} from "../../../test/support/engine/examples";
import type { ChangeMetric } from "../../domain/changes/change-counts";
import type { AcceptedEvent } from "../../domain/event";
import { changesRead } from "./changes";

let engine: Engine;
afterEach(() => engine.close());

const changes = (asked: Asked = {}) => engine.read(changesRead, inputOf(asked), asked.narrowedBy);

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
      ...{ ...refused, reference: { dates: 0 }, needs: { dates: 28, have: 0 } },
      previous: { value: 0 },
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
    expect((await changes({ event: "by" })).warnings?.[0]?.message).toContain('"by"');
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
    engine = storeOf([longAgo, ...numbered(100)]);
    expect((await changes(byPlan)).dimensions[0]?.other).toEqual({
      ...{ values: 0, current: 0, previous: 0, delta: 0 },
    });
    engine.close();
    engine = storeOf([longAgo, ...numbered(103)]);
    const { dimensions, tested } = await changes(byPlan);
    expect(dimensions[0]?.other).toEqual({ values: 3, current: 6, previous: 0, delta: 6 });
    expect(dimensions[0]?.values).toHaveLength(50);
    // v20 to v103, and the total.
    expect(tested).toBe(85);
  });

  test("of equal ones are the first in order, none before the empty one", async () => {
    const plans = [undefined, "", ...Array.from({ length: 100 }, (_, at) => `w${100 + at}`)];
    engine = storeOf([
      longAgo,
      ...plans.map((plan) => daysAgo(2, { properties: plan === undefined ? {} : { plan } })),
    ]);
    const [found] = (await changes(byPlan)).dimensions;
    expect(found?.other.values).toBe(2);
    expect(found?.values.slice(0, 3).map(({ value }) => value)).toEqual([null, "", "w100"]);
  });

  test("come from properties as the dimension says", async () => {
    const of = (properties: Record<string, unknown>) => daysAgo(2, { properties });
    engine = storeOf([
      longAgo,
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
      [null, 3], // they are of no session
    ]);
    expect(valuesOf("version")).toEqual([
      ["r1", 2],
      ["2", 1],
    ]);
  });

  test("of the source are those of the session, of events and of users too", async () => {
    const of = (session: string | null, minute: number, said: Record<string, unknown> | null) =>
      event({
        ...{ sessionId: session, userId: session ?? "nobody", properties: said },
        timeMs: noonMs - 2 * dayMs + minute * 60_000,
      });
    engine = storeOf([
      longAgo,
      of("a", 1, { path: "/" }),
      of("a", 2, { utm_source: "Google.com" }),
      of("b", 1, { referrer: "https://www.google.de/" }),
      of("c", 1, { utm_source: " Our News " }),
      of("d", 1, null),
      of("d", 2, { referrer: "https://own.example/" }),
      of(null, 1, { utm_source: "google" }),
    ]);
    const told = async (metric: ChangeMetric) => {
      const { dimensions } = await changes({ metric, dimensions: ["source"] });
      return dimensions[0]?.values.map(({ value, current }) => [value, current]);
    };
    const events = [
      ["Google", 3],
      ["Direct", 2],
      [null, 1],
      ["our news", 1],
    ];
    expect(await told("events")).toEqual(events);
    at(noonMs, () => engine.compact());
    expect(await told("events")).toEqual(events);
    expect(await told("users")).toEqual([
      ["Google", 2],
      [null, 1],
      ["Direct", 1],
      ["our news", 1],
    ]);
    expect(await told("sessions")).toEqual([
      ["Google", 2],
      ["Direct", 1],
      ["our news", 1],
    ]);
    // An event that comes late, before the others of its session, tells where all of them came from.
    store(engine, [of("d", 0, { utm_source: "fb" })]);
    expect(await told("users")).toContainEqual(["Facebook", 1]);
    expect(await told("events")).toContainEqual(["Facebook", 3]);
  });

  test("of a session are those of its earliest event that has one", async () => {
    const of = (minute: number, properties: Record<string, unknown>, name = "look") =>
      event({
        ...{ name, sessionId: "s", userId: "u", properties },
        timeMs: noonMs - 2 * dayMs + minute * 60_000,
      });
    engine = storeOf([
      longAgo,
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
