import { describe, expect, setSystemTime, test } from "bun:test";
import { addDays, today } from "../lib/dates";
import { stretchesOf } from "../pages/overview/stretches";
import { bucketOf, bucketsFor, comparisonOf, earlier, later, periodOf } from "./period";

/** A Wednesday. */
const now = Date.UTC(2026, 2, 18, 12);
const at = <T>(ms: number, work: () => T): T => {
  setSystemTime(ms);
  try {
    return work();
  } finally {
    setSystemTime();
  }
};
const rangeOf = (key: string) => {
  const { from, to } = periodOf(key);
  return `${from}..${to}`;
};

describe("the periods of the calendar", () => {
  test.each([
    ["week", "2026-03-16..2026-03-18"],
    ["last-week", "2026-03-09..2026-03-15"],
    ["month", "2026-03-01..2026-03-18"],
    ["last-month", "2026-02-01..2026-02-28"],
    ["year", "2026-01-01..2026-03-18"],
    ["last-year", "2025-01-01..2025-12-31"],
    ["28d", "2026-02-19..2026-03-18"],
    ["12m", "2025-03-19..2026-03-18"],
  ])("%s is %s", (key, range) => {
    expect(at(now, () => rangeOf(key))).toBe(range);
  });

  test("before a week, month or year is the one before; after it the next, up to today", () => {
    at(now, () => {
      expect(earlier(periodOf("week"))).toBe("2026-03-09..2026-03-15");
      expect(earlier(periodOf("month"))).toBe("2026-02-01..2026-02-28");
      expect(earlier(periodOf("2026-02-01..2026-02-28"))).toBe("2026-01-01..2026-01-31");
      expect(earlier(periodOf("year"))).toBe("2025-01-01..2025-12-31");
      expect(later(periodOf("last-month"))).toBe("2026-03-01..2026-03-18");
      expect(later(periodOf("2025-12-01..2025-12-31"))).toBe("2026-01-01..2026-01-31");
      expect(later(periodOf("last-week"))).toBe("2026-03-16..2026-03-18");
      expect(later(periodOf("2026-03-03..2026-03-17"))).toBe("2026-03-04..2026-03-18");
      expect(later(periodOf("month"))).toBeNull();
    });
  });

  test("what is not over is compared with the first days of the one before", () => {
    at(now, () => {
      const before = (key: string) => comparisonOf(periodOf(key), "previous");
      expect(before("week")).toEqual({ from: "2026-03-09", to: "2026-03-11" });
      expect(before("month")).toEqual({ from: "2026-02-01", to: "2026-02-18" });
      expect(before("year")).toEqual({ from: "2025-01-01", to: "2025-03-18" });
      expect(before("last-month")).toEqual({ from: "2026-01-04", to: "2026-01-31" });
      expect(before("all")).toBeNull();
    });
  });

  test("on the last day of a long month, 12 months ago is a day that the calendar has", () => {
    expect(at(Date.UTC(2028, 1, 29), () => rangeOf("12m"))).toBe("2027-03-01..2028-02-29");
  });
});

describe("the buckets of a chart", () => {
  test("are hours of a day, dates of a quarter, weeks of a year, and months of more", () => {
    const usual = (key: string) => bucketOf(periodOf(key), "");
    expect(["today", "2d", "90d", "101d", "400d", "401d", "all"].map(usual)).toEqual([
      ...(["hour", "date", "date", "week", "week", "month", "month"] as const),
    ]);
  });
  test("are as long as somebody wants where that makes a readable chart", () => {
    expect(bucketOf(periodOf("7d"), "hour")).toBe("hour");
    expect(bucketOf(periodOf("8d"), "hour")).toBe("date");
    expect(bucketOf(periodOf("30d"), "week")).toBe("week");
    expect(bucketOf(periodOf("30d"), "month")).toBe("date");
    expect(bucketsFor(periodOf("today"))).toEqual(["hour"]);
  });
  test("cover every date of the window once, in order", () => {
    for (const length of ["date", "week", "month"] as const) {
      for (const days of [1, 6, 7, 30, 31, 400]) {
        const to = today();
        const window = { from: addDays(to, 1 - days), to };
        const parts = stretchesOf(window, length);
        expect([parts[0]?.from, parts.at(-1)?.end]).toEqual([window.from, to]);
        for (const [i, part] of parts.entries()) {
          expect(part.from <= part.end).toBe(true);
          if (i > 0) expect(part.from).toBe(addDays(parts[i - 1]?.end ?? "", 1));
        }
      }
    }
  });
});
