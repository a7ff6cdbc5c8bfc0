import { describe, expect, test } from "bun:test";
import { dayMs, event, noonMs, projectId } from "../../../test/support/engine/examples";
import { ReadTest } from "../../../test/support/engine/read-test";
import { dayOf } from "../../domain/event";
import type { Condition } from "../../domain/filter";
import { periodsUntil } from "../../domain/period";
import { retentionRead } from "./retention";

const on = new ReadTest();
const { given } = on;

const retention = (said: Partial<Parameters<typeof retentionRead.run>[1]> = {}) =>
  on.engine.read(retentionRead, {
    projectId,
    period: "week",
    periods: periodsUntil(today, "week", 3),
    days: today,
    event: null,
    returningEvent: null,
    breakdown: null,
    ...said,
  });
/** A session of a user, the given number of days ago; today is a Wednesday. */
const session = (userId: string, daysAgo: number, name = "page_view") =>
  event({ userId, sessionId: `${userId}${daysAgo}`, timeMs: noonMs - daysAgo * dayMs, name });

test("cohorts are those who first appeared in a week, and how many came back in each later one", async () => {
  given(
    session("ann", 14),
    session("ann", 7),
    session("ann", 0),
    session("bob", 14),
    session("bob", 1),
    session("cy", 7),
  );
  expect(await retention()).toEqual({
    period: "week",
    cohorts: [
      { date: "2025-12-29", users: 2, retained: [2, 1, 2], rates: [1, 0.5, 1], complete: 2 },
      { date: "2026-01-05", users: 1, retained: [1, 0], rates: [1, 0], complete: 1 },
    ],
    average_rates: [1, 0.5],
    users_analyzed: 3,
  });
});

describe("a period that is not over", () => {
  test("is in no mean, and ends what is complete of a cohort", async () => {
    given(session("ann", 14), session("ann", 7), session("bob", 7), session("bob", 0));
    const weeks = periodsUntil(today, "week", 3);
    const [, , current] = weeks;
    const asked = async (day: number) => {
      const { cohorts, average_rates } = await retention({ days: { from: day, to: day } });
      return [cohorts.map(({ complete }) => complete), average_rates];
    };
    expect(await asked(current?.from ?? 0)).toEqual([
      [2, 1],
      [1, 1],
    ]);
    expect(await asked(current?.to ?? 0)).toEqual([
      [2, 1],
      [1, 1],
    ]);
    // After its last date it counts: of both cohorts at 1, of the first at 2.
    expect(await asked((current?.to ?? 0) + 1)).toEqual([
      [3, 2],
      [1, 1, 0],
    ]);
    expect(await asked((weeks[0]?.to ?? 0) + 1)).toEqual([[1, 0], [1]]);
  });
  test("alone leaves no mean at all", async () => {
    given(session("ann", 0));
    expect(await retention()).toMatchObject({
      cohorts: [{ users: 1, retained: [1], rates: [1], complete: 0 }],
      average_rates: [],
    });
  });
});

describe("filters without an event", () => {
  const always: Condition = { field: "properties.none", op: "not_in", value: ["x"] };
  test("that always hold change nothing: users without sessions are in no cohort", async () => {
    given(
      ...[session("ann", 14), session("ann", 7), session("bob", 7)],
      event({ userId: "cy", sessionId: null, timeMs: noonMs - 14 * dayMs }),
      // The session is dan's, who was somebody else when it began.
      event({ userId: "eve", sessionId: "shared", timeMs: noonMs - 7 * dayMs }),
      event({ userId: "dan", sessionId: "shared", timeMs: noonMs - 7 * dayMs + 1 }),
    );
    const all = await retention();
    expect(all).toMatchObject({ users_analyzed: 3 });
    const { warnings, ...filtered } = await retention({ filters: [always] });
    expect(filtered).toEqual(all);
    expect(warnings).toMatchObject([{ code: "unknown_property", property: "none" }]);
  });
  test("leave sessions with an event that matches, from their starts", async () => {
    given(session("ann", 14), session("ann", 7, "buy"), session("ann", 0, "buy"));
    const filters: Condition[] = [{ field: "event", op: "eq", value: "buy" }];
    const { cohorts } = await retention({ filters });
    expect(cohorts).toMatchObject([{ date: "2026-01-05", retained: [1, 1] }]);
  });
});

test("who appeared before the first period is in no cohort", async () => {
  given(session("ann", 30), session("ann", 0));
  expect(await retention()).toMatchObject({ cohorts: [], average_rates: [], users_analyzed: 0 });
});

const today = { from: dayOf(noonMs), to: dayOf(noonMs) };

describe("with an event", () => {
  test("the first appearance is that of a visit that began before the first period", async () => {
    const periods = periodsUntil(today, "day", 2);
    const yesterdayMs = periods[0].from * dayMs;
    const buys = (userId: string, timeMs: number) =>
      event({ userId, sessionId: userId, timeMs, name: "buy" });
    given(
      ...[buys("ann", yesterdayMs - 1), buys("ann", yesterdayMs), buys("ann", noonMs)],
      ...[buys("bob", yesterdayMs), buys("bob", noonMs)],
      event({ userId: "cy", sessionId: "cy", timeMs: yesterdayMs - 1 }),
      buys("cy", yesterdayMs + 1),
    );
    const { cohorts } = await retention({ event: "buy", period: "day", periods });
    expect(cohorts).toMatchObject([{ users: 2, retained: [2, 1] }]);
  });

  test("the first appearance is that event, and activity any event, with a session or without", async () => {
    given(
      ...[session("ann", 14), session("ann", 7, "buy"), session("bob", 0, "buy")],
      event({ userId: "ann", sessionId: null, timeMs: noonMs, name: "ping" }),
    );
    const found = async (said: Parameters<typeof retention>[0]) =>
      (await retention(said)).cohorts.map(({ date, retained }) => [date, retained]);
    const later = ["2026-01-12", [1]];
    expect(await found({ event: "buy" })).toEqual([["2026-01-05", [1, 1]], later]);
    const again = { event: "buy", returningEvent: "buy" };
    expect(await found(again)).toEqual([["2026-01-05", [1, 0]], later]);
    // What brings them back matches the filters, too.
    const filters: Condition[] = [{ field: "event", op: "neq", value: "ping" }];
    expect(await found({ event: "buy", filters })).toEqual([["2026-01-05", [1, 0]], later]);
  });
  test("a visit that goes on into the next period is activity in both", async () => {
    const days = periodsUntil(today, "day", 3);
    const midnightMs = (days[2]?.from ?? 0) * dayMs;
    given(
      event({ userId: "ann", sessionId: "a", timeMs: midnightMs - 2 * dayMs, name: "buy" }),
      event({ userId: "ann", sessionId: "b", timeMs: midnightMs - 1 }),
      event({ userId: "ann", sessionId: "b", timeMs: midnightMs }),
    );
    const { cohorts } = await retention({ event: "buy", period: "day", periods: days });
    expect(cohorts).toMatchObject([{ retained: [1, 1, 1] }]);
  });
  test("activity may be another one, also without a first event", async () => {
    given(session("ann", 14), session("ann", 7), session("ann", 0, "buy"));
    expect((await retention({ returningEvent: "buy" })).cohorts[0]?.retained).toEqual([1, 0, 1]);
  });
});

test("more than 10,000 users are all counted", async () => {
  const users = Array.from({ length: 10_001 }, (_, index) => `u${index}`);
  given(...users.map((user) => session(user, 7)), session("u10000", 0));
  expect(await retention()).toMatchObject({
    cohorts: [{ users: 10_001, retained: [10_001, 1] }],
    users_analyzed: 10_001,
  });
});

test("days and months are periods too", async () => {
  given(session("ann", 20), session("ann", 1), session("ann", 0));
  const months = periodsUntil(today, "month", 2);
  expect((await retention({ period: "month", periods: months })).cohorts).toEqual([
    { date: "2025-12-01", users: 1, retained: [1, 1], rates: [1, 1], complete: 1 },
  ]);
  const days = periodsUntil(today, "day", 30);
  const [cohort] = (await retention({ period: "day", periods: days })).cohorts;
  expect([cohort?.date, cohort?.retained.at(-1), cohort?.retained.length]).toEqual([
    "2025-12-25",
    1,
    21,
  ]);
});
describe("an event that nobody sent in these periods", () => {
  const warning = (name: string) => ({
    ...{ code: "unknown_event" as const, event: name },
    message: `No event is named "${name}" in this period. GET /properties lists the names that exist.`,
  });

  test("is named in a warning, whichever of the two it is", async () => {
    given(session("ann", 7, "buy"), session("ann", 60, "rent"));
    const asked = { event: "bye", returningEvent: "rent" };
    expect((await retention(asked)).warnings).toEqual([warning("bye"), warning("rent")]);
    expect((await retention({ returningEvent: "by" })).warnings).toEqual([warning("by")]);
  });
  test("is the only thing that is", async () => {
    given(session("ann", 7, "buy"));
    expect(await retention({ event: "buy", returningEvent: "buy" })).not.toHaveProperty("warnings");
    expect(await retention()).not.toHaveProperty("warnings");
  });
});
