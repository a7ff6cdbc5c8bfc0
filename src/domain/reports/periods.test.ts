import { describe, expect, test } from "bun:test";
import { dayMs, hourMs, minuteMs } from "../../lib/clock";
import { datesOf } from "../period";
import { timeZoneOf } from "../time-zone";
import { duePeriods, idleFrom, nextDueMs, periodsBefore, reportEveries } from "./periods";

const at = (text: string): number => Date.parse(text);
const day = (date: string): number => at(`${date}T00:00:00Z`) / dayMs;
const weekly = { every: "week", hour: 8, zone: undefined } as const;
const madeMs = at("2026-01-01T00:00:00Z");
const dueAt = (now: string, timing: Parameters<typeof duePeriods>[0] = weekly, made = madeMs) => {
  const periods = duePeriods(timing, made, at(now));
  return periods === null ? null : [datesOf(periods.current), datesOf(periods.previous)];
};

describe("the periods of a report", () => {
  test("are the last Monday to Sunday, and the last calendar month", () => {
    const dates = (every: "week" | "month", date: string) => {
      const { current, previous } = periodsBefore(every, { from: day(date), to: day(date) });
      return [datesOf(current), datesOf(previous)];
    };
    const week = [
      { from: "2026-01-05", to: "2026-01-11" },
      { from: "2025-12-29", to: "2026-01-04" },
    ];
    expect(dates("week", "2026-01-12")).toEqual(week);
    expect(dates("week", "2026-01-18")).toEqual(week);
    expect(dates("month", "2026-03-01")).toEqual([
      { from: "2026-02-01", to: "2026-02-28" },
      { from: "2026-01-01", to: "2026-01-31" },
    ]);
  });

  test("are idle over four of them", () => {
    expect(idleFrom("week", { from: day("2026-02-02"), to: 0 })).toBe(day("2026-01-12"));
    expect(idleFrom("month", { from: day("2026-03-01"), to: 0 })).toBe(day("2025-12-01"));
  });
});

describe("a report is due", () => {
  test("from its hour on Monday, until 48 hours later", () => {
    expect(dueAt("2026-01-12T07:59:59Z")).toBeNull();
    expect(dueAt("2026-01-12T08:00:00Z")?.[0]).toEqual({ from: "2026-01-05", to: "2026-01-11" });
    expect(dueAt("2026-01-14T08:00:00Z")).not.toBeNull();
    expect(dueAt("2026-01-14T08:00:01Z")).toBeNull();
  });

  test("on the 1st for a month, and not for what was due before it was made", () => {
    const monthly = { ...weekly, every: "month" } as const;
    expect(dueAt("2026-02-01T08:00:00Z", monthly)?.[0]).toEqual({
      ...{ from: "2026-01-01", to: "2026-01-31" },
    });
    const made = at("2026-01-12T08:00:01Z");
    expect(dueAt("2026-01-13T08:00:00Z", weekly, made)).toBeNull();
    expect(dueAt("2026-01-19T08:00:00Z", weekly, made)).not.toBeNull();
  });

  test("in the zone of the project, also where clocks leave its hour out or have it twice", () => {
    // Clocks of Berlin were set on the Sunday before.
    const berlin = { ...weekly, zone: "Europe/Berlin" };
    expect(dueAt("2026-03-30T05:59:00Z", berlin)).toBeNull();
    expect(dueAt("2026-03-30T06:00:00Z", berlin)?.[0]).toMatchObject({ from: "2026-03-23" });
    expect(dueAt("2026-10-26T06:59:00Z", berlin)).toBeNull();
    expect(dueAt("2026-10-26T07:00:00Z", berlin)).not.toBeNull();
    // Clocks of Paraguay left out the midnight of this 1st.
    const midnight = { every: "month", hour: 0, zone: "America/Asuncion" } as const;
    const made = at("2020-01-01T00:00:00Z");
    expect(dueAt("2023-10-01T03:59:00Z", midnight, made)).toBeNull();
    expect(dueAt("2023-10-01T04:00:00Z", midnight, made)).not.toBeNull();
  });
});

test.each(reportEveries)("each %s of two years is due once, whatever the zone", (every) => {
  for (const zone of [undefined, "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe"]) {
    for (const hour of [0, 2, 3, 8, 23]) {
      const timing = { every, hour, zone };
      const found = new Map<number, number>();
      const end = at("2028-01-01T00:00:00Z");
      for (let nowMs = madeMs; nowMs < end; nowMs = nextDueMs(timing, nowMs)) {
        const periods = duePeriods(timing, madeMs, nowMs);
        if (periods === null) continue;
        found.set(periods.current.from, nowMs);
        expect(duePeriods(timing, madeMs, nowMs - minuteMs)).toBeNull();
        const shown = timeZoneOf(zone);
        const isAtHour = ((shown.hourAt(nowMs) % 24) + 24) % 24 === hour;
        expect(isAtHour || shown.offsetAt(nowMs) !== shown.offsetAt(nowMs - hourMs)).toBe(true);
      }
      // The first month is due at the start or, by clocks that are ahead, before it.
      expect(every === "week" ? [104] : [23, 24]).toContain(found.size);
    }
  }
});
