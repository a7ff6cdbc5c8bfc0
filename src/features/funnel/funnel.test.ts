import { describe, expect, test } from "bun:test";
import {
  event,
  hourMs,
  lastDays,
  minuteMs,
  noonMs,
  projectId,
  store,
  visit,
} from "../../../test/support/engine/examples";
import { noGoals } from "../../../test/support/engine/no-goals";
import { ReadTest } from "../../../test/support/engine/read-test";
import { funnelSteps } from "../../domain/funnel";
import { type FunnelInput, funnelRead } from "./read";

const on = new ReadTest();
const { given } = on;

const funnel = (steps: readonly unknown[], said: Partial<FunnelInput> = {}) =>
  on.engine.read(funnelRead, {
    projectId,
    days: lastDays,
    steps: funnelSteps(steps, false, [], noGoals),
    countBy: "user_id",
    windowHours: 168,
    breakdown: null,
    breakdownLimit: 10,
    ...said,
  });
const users = async (...steps: readonly unknown[]) =>
  (await funnel(steps)).steps.map((step) => step.users);

describe("an entity", () => {
  test("counts only for the steps it takes in order", async () => {
    given(...visit("ann", null, "visit", "pay"), ...visit("bob", null, "pay", "visit"));
    expect(await users("visit", "pay")).toEqual([2, 1]);
  });
  test("may do other things in between", async () => {
    given(...visit("ann", null, "visit", "look", "visit", "pay"));
    expect(await users("visit", "pay")).toEqual([1, 1]);
  });
  test("uses one event for one step", async () => {
    given(...visit("ann", null, "visit"), ...visit("bob", null, "visit", "visit"));
    expect(await users("visit", "visit")).toEqual([2, 1]);
  });
  test("takes events of one millisecond in the order they were stored", async () => {
    given(
      event({ name: "visit", userId: "ann" }),
      event({ name: "pay", userId: "ann" }),
      event({ name: "pay", userId: "bob" }),
      event({ name: "visit", userId: "bob" }),
    );
    expect(await users("visit", "pay")).toEqual([2, 1]);
  });
  test("starts with its earliest first step, and the window runs from there", async () => {
    given(
      event({ name: "visit", userId: "ann" }),
      event({ name: "visit", userId: "ann", timeMs: noonMs + 2 * hourMs }),
      event({ name: "pay", userId: "ann", timeMs: noonMs + hourMs + 1 }),
      event({ name: "visit", userId: "bob" }),
      event({ name: "pay", userId: "bob", timeMs: noonMs + hourMs }),
    );
    const counted = (await funnel(["visit", "pay"], { windowHours: 1 })).steps;
    expect(counted.map((step) => step.users)).toEqual([2, 1]);
  });
  test("may be a session instead of a user", async () => {
    given(...visit("ann", "s1", "visit"), ...visit("ann", "s2", "pay"));
    expect(await users("visit", "pay")).toEqual([1, 1]);
    const bySession = (await funnel(["visit", "pay"], { countBy: "session_id" })).steps;
    expect(bySession.map((step) => step.users)).toEqual([1, 0]);
  });
});

test("events without an entity are activity, and no more", async () => {
  given(...visit(null, "s1", "visit", "visit"), ...visit("ann", null, "visit"));
  const [first] = (await funnel(["visit", "pay"])).steps;
  expect(first).toMatchObject({
    users: 1,
    raw_activity: { event_count: 3, unique_users: 1, sessions: 1 },
    joinable_entities: 1,
  });
});

test("rates and times are between a step and the next", async () => {
  given(
    ...visit("ann", null, "visit", "sign", "pay"),
    ...visit("bob", null, "visit", "sign"),
    ...visit("cy", null, "visit"),
  );
  const { steps, overall_conversion_rate } = await funnel(["visit", "sign", "pay"]);
  expect(steps.map((step) => step.conversion_rates)).toEqual([
    { from_previous: 1, from_start: 1 },
    { from_previous: 0.667, from_start: 0.667 },
    { from_previous: 0.5, from_start: 0.333 },
  ]);
  expect(steps.map((step) => step.drop_off_rate)).toEqual([0, 0.333, 0.5]);
  expect(steps.map((step) => step.avg_time_to_next_ms)).toEqual([minuteMs, minuteMs, null]);
  expect(overall_conversion_rate).toBe(0.333);
});

test("a value whose event an earlier one took the place of is no group", async () => {
  const planAt = (plan: string, timeMs: number) =>
    event({ name: "visit", userId: "ann", timeMs, properties: { plan } });
  given(event({ name: "look", timeMs: noonMs - hourMs }), planAt("team", noonMs));
  // It comes in later, among events that begin later.
  store(on.engine, [planAt("free", noonMs - minuteMs)]);
  const { breakdowns, groups_total, steps } = await funnel(["visit", "pay"], {
    breakdown: "properties.plan",
  });
  expect(breakdowns?.map(({ value }) => value)).toEqual(["free"]);
  expect([groups_total, steps[0]?.users]).toEqual([undefined, 1]);
});

test("sessions of one visit and of several take steps alike, whichever event has come in last", async () => {
  const steps = (session: string, plan: string) => {
    const at = (name: string, minute: number) =>
      event({
        ...{ name, userId: "ann", sessionId: session, timeMs: noonMs + minute * minuteMs },
        properties: { plan: name === "visit" ? plan : "other" },
      });
    return [at("visit", 0), at("visit", 5), at("look", 20), at("pay", 59), at("pay", 70)];
  };
  given(...steps("whole", "team"));
  for (const one of steps("cut", "free").toReversed()) store(on.engine, [one]);
  const counted = (names: readonly string[], windowHours: number) =>
    funnel(names, { countBy: "session_id", windowHours, breakdown: "properties.plan" });
  const usersIn = async (...asked: Parameters<typeof counted>) =>
    (await counted(...asked)).breakdowns?.map(({ value, steps: [...all] }) => [
      value,
      ...all.map(({ users: count, avg_time_to_next_ms: gap }) => [count, gap]),
    ]);
  for (const [names, found] of [
    [
      ["visit", "pay"],
      [
        [1, 59 * minuteMs],
        [1, null],
      ],
    ],
    [
      ["visit", "visit", "look", "pay"],
      [
        [1, 5 * minuteMs],
        [1, 15 * minuteMs],
        [1, 39 * minuteMs],
        [1, null],
      ],
    ],
    [
      ["pay", "visit"],
      [
        [1, null],
        [0, null],
      ],
    ],
    [
      ["pay", "pay", "pay"],
      [
        [1, 11 * minuteMs],
        [1, null],
        [0, null],
      ],
    ],
  ] as const) {
    const values = names[0] === "visit" ? ["free", "team"] : ["other"];
    const double = names[0] === "visit" ? 1 : 2;
    expect(await usersIn(names, 1)).toEqual(
      values.map((value) => [value, ...found.map(([count, gap]) => [count * double, gap])]),
    );
  }
  // From the look to the last step it takes 50 minutes.
  const { steps: ended } = await counted(["look", "pay", "pay"], 0.75);
  expect(ended.map((step) => step.users)).toEqual([2, 2, 0]);
});

test("a breakdown goes by the event used for step 1; null is last among equals", async () => {
  const visitWith = (userId: string, plan: unknown) =>
    event({ name: "visit", userId, properties: { plan } });
  given(visitWith("ann", "pro"), visitWith("bob", null), visitWith("cy", 7), visitWith("di", "7"));
  const { breakdowns = [] } = await funnel(["visit", "pay"], { breakdown: "properties.plan" });
  expect(breakdowns.map(({ value, steps }) => [value, steps[0]?.users])).toEqual([
    ["7", 2],
    ["pro", 1],
    [null, 1],
  ]);
});

test("more than 10,000 entities are all followed", async () => {
  const entering = Array.from({ length: 10_001 }, (_, index) =>
    event({ name: "visit", userId: `u${index}`, timeMs: noonMs + index }),
  );
  given(...entering, event({ name: "pay", userId: "u10000", timeMs: noonMs + hourMs }));
  const { steps, warnings } = await funnel(["visit", "pay"]);
  expect(steps.map((step) => step.users)).toEqual([10_001, 1]);
  expect(warnings).toEqual([]);
});

test("warnings tell events without entity from those nobody reached", async () => {
  given(...visit("ann", null, "visit"), ...visit(null, null, "pay"));
  expect((await funnel(["visit", "pay"])).warnings).toEqual([
    "Step 2 (pay) has events, but none with a user_id.",
  ]);
});
