import { describe, expect, test } from "bun:test";
import { clockAt } from "../../test/model/clocks";
import { cases } from "../../test/support/random/cases";
import { randomFrom } from "../../test/support/random/random";
import { dayMs, hourMs, minuteMs } from "../lib/clock";
import { isoDate } from "./event";
import { timeZoneOf } from "./time-zone";

const day = (iso: string): number => Date.parse(`${iso}T00:00:00Z`) / dayMs;
const startOf = (zone: string, date: string): string =>
  new Date(timeZoneOf(zone).startOf(day(date))).toISOString().slice(0, 16);
const hoursOf = (zone: string, date: string): number =>
  (timeZoneOf(zone).startOf(day(date) + 1) - timeZoneOf(zone).startOf(day(date))) / hourMs;

describe("dates have as many hours as clocks make them", () => {
  test.each([
    ["UTC", "2026-03-29", 24],
    ["Europe/Berlin", "2026-03-28", 24],
    ["Europe/Berlin", "2026-03-29", 23],
    ["Europe/Berlin", "2026-10-25", 25],
    ["America/St_Johns", "2026-03-08", 23],
    ["Australia/Lord_Howe", "2026-04-05", 24.5],
    ["Australia/Lord_Howe", "2026-10-04", 23.5],
    ["America/Santiago", "2026-09-06", 23],
    ["Asia/Pyongyang", "2018-05-04", 23.5],
    ["Asia/Pyongyang", "2015-08-14", 24.5],
    ["Pacific/Apia", "2011-12-30", 0],
    ["Pacific/Apia", "2011-12-31", 24],
    ["America/St_Johns", "2010-11-06", 24],
    ["America/St_Johns", "2010-11-07", 25],
  ])("%s %s: %d", (zone, date, hours) => {
    expect(hoursOf(zone, date)).toBe(hours);
  });
});

describe("a date begins", () => {
  test.each([
    ["UTC", "2026-03-29", "2026-03-29T00:00"],
    ["Asia/Kolkata", "2026-03-29", "2026-03-28T18:30"],
    ["Asia/Kathmandu", "2026-03-29", "2026-03-28T18:15"],
    ["Pacific/Kiritimati", "2026-03-29", "2026-03-28T10:00"],
    ["America/New_York", "2026-03-08", "2026-03-08T05:00"],
    ["America/New_York", "2026-03-09", "2026-03-09T04:00"],
  ])("in %s on %s at %s, which is midnight there", (zone, date, start) => {
    expect(startOf(zone, date)).toBe(start);
  });
  test("at 01:00 where clocks are set forward at midnight", () => {
    expect(startOf("America/Santiago", "2026-09-06")).toBe("2026-09-06T04:00");
    expect(timeZoneOf("America/Santiago").hourAt(Date.parse("2026-09-06T04:00Z")) % 24).toBe(1);
  });
  test("once, where clocks were set back across midnight", () => {
    const zone = timeZoneOf("America/St_Johns");
    const midnight = Date.parse("2010-11-07T02:30Z");
    expect(zone.startOf(day("2010-11-07"))).toBe(midnight);
    // At 00:01 they were set back to 23:01; the hour of that midnight is the one that occurs twice.
    const dates = Array.from({ length: 180 }, (_, minute) =>
      isoDate(zone.dayAt(midnight - hourMs + minute * minuteMs)),
    );
    expect(dates).toEqual(dates.toSorted());
    expect(zone.hourAt(midnight + 59 * minuteMs) % 24).toBe(0);
    expect(zone.hourAt(midnight + 61 * minuteMs) % 24).toBe(0);
    expect(zone.hourAt(midnight + 121 * minuteMs) % 24).toBe(1);
  });
});

test("clocks show what Intl says, in any zone at any time", () => {
  const random = randomFrom(17);
  const zones = Intl.supportedValuesOf("timeZone");
  const firstMs = Date.UTC(2012, 0, 1);
  for (let round = 0; round < cases(10, 60); round++) {
    const name = random.pick(zones);
    const zone = timeZoneOf(name);
    for (let time = 0; time < 20; time++) {
      const timeMs = firstMs + random.below(28 * 365 * 24 * 60) * minuteMs;
      expect(`${name} ${timeMs + zone.offsetAt(timeMs)}`).toBe(`${name} ${clockAt(timeMs, name)}`);
    }
  }
});

test("a date holds what lies between its beginning and the next one's", () => {
  for (const name of [
    "Australia/Lord_Howe",
    "America/Santiago",
    "Asia/Gaza",
    "Africa/Casablanca",
  ]) {
    const zone = timeZoneOf(name);
    for (let date = day("2024-01-01"); date < day("2026-01-01"); date++) {
      expect([zone.dayAt(zone.startOf(date)), zone.dayAt(zone.startOf(date) - 1)]).toEqual([
        date,
        date - 1,
      ]);
    }
  }
});

test("long before there were zones clocks showed the time of the place, and far ahead rules go on", () => {
  const berlin = timeZoneOf("Europe/Berlin");
  expect(berlin.offsetAt(Date.parse("0001-01-01T00:00:00Z"))).toBe((53 * 60 + 28) * 1_000);
  expect(berlin.offsetAt(Date.parse("2400-07-01T00:00:00Z"))).toBe(2 * hourMs);
  expect(timeZoneOf().offsetAt(0)).toBe(0);
});

test("stretches cover a window and tell the changes in it", () => {
  const zone = timeZoneOf("Europe/Berlin");
  const [fromMs, toMs] = [Date.parse("2025-12-30T12:34Z"), Date.parse("2026-11-01T00:00Z")];
  expect(zone.stretchesWithin({ fromMs, toMs })).toEqual([
    { fromMs, toMs: Date.parse("2026-03-29T01:00Z"), offsetMs: hourMs },
    {
      ...{ fromMs: Date.parse("2026-03-29T01:00Z"), toMs: Date.parse("2026-10-25T01:00Z") },
      offsetMs: 2 * hourMs,
    },
    { fromMs: Date.parse("2026-10-25T01:00Z"), toMs, offsetMs: hourMs },
  ]);
});

test("the hour that clocks show lasts until they show another, or are changed", () => {
  const zone = timeZoneOf("Australia/Lord_Howe");
  const change = Date.parse("2026-04-04T15:00Z"); // 02:00 becomes 01:30
  expect(zone.hourEndAt(change - 1)).toBe(change);
  expect(zone.hourEndAt(change)).toBe(change + 30 * minuteMs);
  expect(zone.hourEndAt(change + 30 * minuteMs)).toBe(change + 90 * minuteMs);
});

describe("a time of day on a date", () => {
  const shown = (zone: string, date: string, time: string) => {
    const timeOfDayMs = Date.parse(`1970-01-01T${time}Z`);
    return new Date(timeZoneOf(zone).timeOn(day(date), timeOfDayMs)).toISOString();
  };
  test("is when clocks show it first", () => {
    expect(shown("UTC", "2026-01-14", "12:30")).toBe("2026-01-14T12:30:00.000Z");
    expect(shown("Asia/Kolkata", "2026-01-14", "03:00")).toBe("2026-01-13T21:30:00.000Z");
    // 02:30 is there twice on the day of 25 hours.
    expect(shown("Europe/Berlin", "2026-10-25", "02:30")).toBe("2026-10-25T00:30:00.000Z");
    expect(shown("Europe/Berlin", "2026-10-25", "03:00")).toBe("2026-10-25T02:00:00.000Z");
  });
  test("is when they are past it where they leave it out", () => {
    expect(shown("Europe/Berlin", "2026-03-29", "02:30")).toBe("2026-03-29T01:00:00.000Z");
    expect(shown("America/Santiago", "2026-09-06", "00:30")).toBe("2026-09-06T04:00:00.000Z");
    // The whole date was left out.
    expect(shown("Pacific/Apia", "2011-12-30", "12:00")).toBe("2011-12-30T10:00:00.000Z");
  });
});
