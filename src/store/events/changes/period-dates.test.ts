import { expect, test } from "bun:test";
import { randomFrom } from "../../../../test/support/random/random";
import { dayOf } from "../../../domain/event";
import { timeZoneOf } from "../../../domain/time-zone";
import { dayMs } from "../../../lib/clock";
import { PeriodDates } from "./period-dates";

/** Clocks that go by hours and by half of one, that are set at midnight, and a date that was left out. */
test.each([
  ["UTC", "2026-01-14"],
  ["Asia/Kolkata", "2026-01-14"],
  ["Europe/Berlin", "2025-10-27"],
  ["Europe/Berlin", "2025-03-31"],
  ["Australia/Lord_Howe", "2025-04-07"],
  ["America/St_Johns", "2009-11-02"],
  ["Africa/Cairo", "2025-04-26"],
  ["Pacific/Apia", "2012-01-02"],
])("dates of moments in %s before %s are those of its clocks", (zone, until) => {
  const { below } = randomFrom(3);
  const last = dayOf(Date.parse(until));
  const current = { from: last - 2, to: last, zone };
  const previous = { from: last - 9, to: last - 7, zone };
  const reference = { from: last - 20, to: last - 3, zone };
  const asked = { current, previous, reference };
  const clocks = timeZoneOf(zone);
  const midnights = Array.from({ length: 30 }, (_, at) => clocks.startOf(last - 24 + at));
  const times = Float64Array.from([
    ...midnights.flatMap((timeMs) => [timeMs - 1, timeMs, timeMs + 1]),
    ...Array.from({ length: 2_000 }, () => clocks.startOf(last - 24) + below(28 * dayMs)),
  ]);
  const numbers = new PeriodDates(asked).ofMoments(times, times.length, () => undefined);
  const first = reference.from;
  expect([...numbers]).toEqual(
    Array.from(times, (timeMs) => {
      const day = clocks.dayAt(timeMs);
      return day < first || day > last ? 0 : day - first + 1;
    }),
  );
  expect(numbers.some((number) => number > 0)).toBe(true);
});
