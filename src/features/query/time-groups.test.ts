import { expect, test } from "bun:test";
import { event, hourMs, minuteMs, noonMs } from "../../../test/support/engine/examples";
import { type Asked, inputOf } from "../../../test/support/engine/query-input";
import { ReadTest } from "../../../test/support/engine/read-test";
import { dayOf } from "../../domain/event";
import { queryComparedRead } from "./compared";
import { queryRead } from "./read";

const on = new ReadTest();
const { given } = on;

const query = async (asked: Asked) => (await on.engine.read(queryRead, inputOf(asked))).rows;
const count = async (...group_by: string[]) =>
  query({ group_by, count_mode: "raw", order_by: group_by[0], order: "asc" });

test("each is named by its beginning", async () => {
  given(...[0, 30, 60].map((minutes) => event({ timeMs: noonMs + minutes * minuteMs })));
  expect(await count("hour")).toEqual([
    { hour: "2026-01-14T12:00", event_count: 2 },
    { hour: "2026-01-14T13:00", event_count: 1 },
  ]);
  expect(await count("week", "month")).toEqual([
    { week: "2026-01-12", month: "2026-01", event_count: 3 },
  ]);
});

test("a session counts in each of its hours, and once in their week", async () => {
  const hours = [0, 1, 2].map((hour) => ({ timeMs: noonMs + hour * 60 * minuteMs }));
  given(...hours.map((said) => event({ ...said, sessionId: "s1", userId: "ann" })));
  const sessions = async (group: string) =>
    (await query({ group_by: [group], metrics: ["session_count"] })).map(
      (row) => row.session_count,
    );
  expect(await sessions("hour")).toEqual([1, 1, 1]);
  expect(await sessions("week")).toEqual([1]);
});

test("a session that lasts for hours counts once in their weekday", async () => {
  const hours = [0, 1, 2].map((hour) => ({ timeMs: noonMs + hour * 60 * minuteMs }));
  given(...hours.map((said) => event({ ...said, sessionId: "s1", userId: "ann" })));
  const metrics = ["session_count", "bounce_rate", "avg_duration", "event_count", "conversions"];
  const goal = { event: "page_view" };
  expect(await query({ group_by: ["weekday"], metrics, goal })).toEqual([
    {
      ...{ weekday: 3, session_count: 1, bounce_rate: 1, avg_duration: 2 * hourMs },
      ...{ event_count: 1, conversions: 1 },
    },
  ]);
});

test("numbers with fractions are summed by hour, also where a session lasts for hours", async () => {
  const times = [0, 10, 50, 70, 80].map((minutes) => noonMs + minutes * minuteMs);
  given(
    ...times.map((timeMs, index) => {
      const properties = { n: index + 0.5 };
      return event({ timeMs, sessionId: `s${index % 2}`, userId: "ann", properties });
    }),
    event({ timeMs: noonMs, sessionId: "s2", userId: "bob", properties: { n: 0.25 } }),
  );
  const metrics = ["sum:properties.n"];
  expect(await query({ group_by: ["hour"], metrics, order_by: "hour", order: "asc" })).toEqual([
    { hour: "2026-01-14T12:00", "sum:properties.n": 4.75 },
    { hour: "2026-01-14T13:00", "sum:properties.n": 8 },
  ]);
});

test("the limit keeps the latest, over all dates", async () => {
  given(...[0, 1, 30, 31].map((hours) => event({ timeMs: noonMs - hours * 60 * minuteMs })));
  const asked = { group_by: ["hour"], count_mode: "raw", order_by: "hour", limit: 3 };
  expect((await query(asked)).map((row) => row.hour)).toEqual([
    ...["2026-01-14T12:00", "2026-01-14T11:00", "2026-01-13T06:00"],
  ]);
});

test("weekdays and hours of the day are numbers, whatever the date, in order of their values", async () => {
  given(
    ...[0, 1, 0].map((hours) => event({ timeMs: noonMs + hours * hourMs, userId: "ann" })),
    event({ timeMs: noonMs - 4 * 24 * hourMs + hourMs, userId: "bob" }),
    event({ timeMs: noonMs - 7 * 24 * hourMs - 3 * hourMs, userId: "bob" }),
  );
  const raw = { order: "asc", count_mode: "raw" } as const;
  const both = { ...raw, metrics: ["event_count", "unique_users"] };
  const byHour = [
    { hour_of_day: 9, event_count: 1, unique_users: 1 },
    { hour_of_day: 12, event_count: 2, unique_users: 1 },
    { hour_of_day: 13, event_count: 2, unique_users: 2 },
  ];
  const asked = { ...both, group_by: ["hour_of_day"], order_by: "hour_of_day" };
  expect(await query(asked)).toEqual(byHour);
  // Sessions are counted in another way.
  const sessions = { ...asked, metrics: [...both.metrics, "session_count"] };
  expect(await query(sessions)).toEqual(byHour.map((row) => ({ ...row, session_count: 0 })));
  expect(await query({ ...both, group_by: ["weekday"], order_by: "weekday" })).toEqual([
    { weekday: 3, event_count: 4, unique_users: 2 },
    { weekday: 6, event_count: 1, unique_users: 1 },
  ]);
  const pairs = { ...raw, group_by: ["weekday", "hour_of_day"], order_by: "event_count" };
  expect(await query(pairs)).toEqual([
    { weekday: 3, hour_of_day: 9, event_count: 1 },
    { weekday: 3, hour_of_day: 13, event_count: 1 },
    { weekday: 6, hour_of_day: 13, event_count: 1 },
    { weekday: 3, hour_of_day: 12, event_count: 2 },
  ]);
});

test("they are those of the zone of the read, also where clocks change", async () => {
  // In Berlin 00:30 and 03:30 on the Sunday of which the hour from 02:00 is left out.
  const changed = Date.UTC(2025, 2, 30);
  given(...[-30, 90].map((minutes) => event({ timeMs: changed + minutes * minuteMs })));
  const group_by = ["weekday", "hour_of_day"];
  const input = inputOf({ group_by, count_mode: "raw", order: "asc", order_by: "weekday" });
  const inZone = async (zone?: string) => {
    const day = dayOf(changed);
    const days = { from: day - 1, to: day, ...(zone !== undefined && { zone }) };
    const { rows } = await on.engine.read(queryRead, { ...input, days });
    return rows.map(({ weekday, hour_of_day: hour }) => `${weekday} ${hour}`);
  };
  expect(await inZone("Europe/Berlin")).toEqual(["0 0", "0 3"]);
  expect(await inZone()).toEqual(["0 1", "6 23"]);
});

test("in two periods the same value is one row, wherever in them it is", async () => {
  given(
    ...[0, 1].map((hours) => event({ timeMs: noonMs + hours * hourMs })),
    event({ timeMs: noonMs - 3 * 24 * hourMs }),
    event({ timeMs: noonMs - (3 * 24 + 12) * hourMs }),
  );
  const asked = { group_by: ["hour_of_day"], order_by: "hour_of_day", count_mode: "raw" };
  const input = inputOf({ ...asked, order: "asc" });
  const { to } = input.days;
  const { rows } = await on.engine.read(queryComparedRead, {
    ...{ ...input, days: { from: to - 1, to } },
    compare: { days: { from: to - 3, to: to - 2 }, until: null },
  });
  const shown = rows.map(({ hour_of_day: hour, event_count: now, previous }) => {
    return [hour, now, (previous as { event_count: number }).event_count];
  });
  expect(shown).toEqual([
    [0, 0, 1],
    [12, 1, 1],
    [13, 1, 0],
  ]);
});
