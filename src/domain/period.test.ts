import { describe, expect, test } from "bun:test";
import { ApiError } from "./errors";
import {
  type BucketUnit,
  bucketsOf,
  comparedDatesMax,
  comparedDays,
  comparedWindow,
  datesOf,
  daysOf,
  nextStart,
  parseTimeMs,
  startOf,
  windowOf,
} from "./period";

const nowMs = Date.parse("2026-03-04T05:06:07Z"); // a Wednesday
const day = (iso: string): number => Date.parse(`${iso}T00:00:00Z`) / 86_400_000;
const window = (since?: string | null, until?: string | null) =>
  datesOf(daysOf({ since, until, nowMs }));

describe("since and until", () => {
  test("Nd spans N + 1 dates that end today", () => {
    expect(window("7d")).toEqual({ from: "2026-02-25", to: "2026-03-04" });
    expect(window("0d")).toEqual({ from: "2026-03-04", to: "2026-03-04" });
    expect(window("3650d").from).toBe("2016-03-06");
  });
  test("absent and null mean the default", () => {
    expect(window()).toEqual(window("7d"));
    expect(window(null, null)).toEqual(window("7d"));
    expect(daysOf({ since: null, until: null, nowMs, sinceDefault: "30d" }).from).toBe(
      day("2026-02-02"),
    );
  });
  test("dates and date-times mean their UTC date", () => {
    expect(window("2026-01-31").from).toBe("2026-01-31");
    expect(window("2026-01-31T23:59:59.999Z").from).toBe("2026-01-31");
    expect(window("2026-01-31T23:30:00-05:00").from).toBe("2026-02-01");
    expect(window("2026-02-01T00:30+0100").from).toBe("2026-01-31");
    expect(window("2026-01-31T12:00").from).toBe("2026-01-31");
    expect(window("2024-02-29", "2024-03-01")).toEqual({ from: "2024-02-29", to: "2024-03-01" });
  });
  test("until takes the same forms", () => {
    expect(window("10d", "3d")).toEqual({ from: "2026-02-22", to: "2026-03-01" });
    expect(window("7d", "2026-12-31").to).toBe("2026-12-31");
  });
  const unreadable = [
    ...["", "d", "7", "-1d", "7D", "7 d", "3651d", "1e1d", "7d ", "last week", "2026-2-3"],
    ...["2026-02-30", "2025-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "20260131"],
    ...["2026-01-31T24:00:00Z", "2026-01-31T12:60Z", "2026-01-31 12:00:00", "2026-01-31T12"],
    ...["2026-01-31T12:00:00+24:00", "9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+00:01"],
  ];
  test.each(unreadable)("%p is refused by its name", (text) => {
    expect(refusal(() => window(text))).toEqual({ code: "MISSING_FIELDS", field: "since" });
    expect(refusal(() => window("3650d", text))).toEqual({
      code: "MISSING_FIELDS",
      field: "until",
    });
  });
  test("a window that ends before it begins is refused", () => {
    expect(refusal(() => window("1d", "2d"))).toEqual({ code: "MISSING_FIELDS", field: "since" });
    expect(window("2d", "2d").from).toBe("2026-03-02");
  });
  test("messages use the caller's names", () => {
    const names = ["date_from", "date_to"] as const;
    const ask = () => daysOf({ since: "x", until: null, nowMs, names });
    expect(refusal(ask)).toEqual({ code: "MISSING_FIELDS", field: "date_from" });
  });
});

function refusal(work: () => unknown): { code: string; field: string | undefined } {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, field: error.extras.field };
    throw error;
  }
  throw new Error("It was not refused.");
}

test("a window is half-open in milliseconds", () => {
  const { fromMs, toMs } = windowOf({ from: 1, to: 1 });
  expect([fromMs, toMs]).toEqual([86_400_000, 172_800_000]);
});

test("parseTimeMs keeps milliseconds and cuts what is finer", () => {
  expect(parseTimeMs("1970-01-01T00:00:00.5Z")).toBe(500);
  expect(parseTimeMs("1970-01-01T00:00:00.123456789Z")).toBe(123);
  expect(parseTimeMs("1969-12-31T23:59:59.999Z")).toBe(-1);
});

describe("buckets", () => {
  const labels = (from: string, to: string, unit: BucketUnit) =>
    bucketsOf({ from: day(from), to: day(to) }, unit).map(({ label }) => label);

  test("weeks begin on Monday and are clipped to the window", () => {
    expect(labels("2026-03-01", "2026-03-09", "week")).toEqual([
      "2026-02-23",
      "2026-03-02",
      "2026-03-09",
    ]);
    const [first] = bucketsOf({ from: day("2026-03-01"), to: day("2026-03-09") }, "week");
    expect([first?.fromMs, first?.toMs]).toEqual([
      day("2026-03-01") * 86_400_000,
      day("2026-03-02") * 86_400_000,
    ]);
  });
  test("months cross years and February of a leap year", () => {
    expect(labels("2023-12-31", "2024-03-01", "month")).toEqual([
      "2023-12",
      "2024-01",
      "2024-02",
      "2024-03",
    ]);
  });
  test("together they cover the window without gap or overlap", () => {
    for (const unit of ["day", "week", "month"] as const) {
      const days = { from: day("2023-11-15"), to: day("2024-04-20") };
      const buckets = bucketsOf(days, unit);
      expect(buckets[0]?.fromMs).toBe(windowOf(days).fromMs);
      expect(buckets.at(-1)?.toMs).toBe(windowOf(days).toMs);
      buckets.slice(1).forEach((bucket, index) => {
        expect(bucket.fromMs).toBe(buckets[index]?.toMs ?? Number.NaN);
      });
    }
  });
  test("a bucket starts where the one before it ends, before 1970 too", () => {
    for (const unit of ["day", "week", "month"] as const) {
      for (let at = -800; at < 800; at++) {
        expect(startOf(at, unit)).toBeLessThanOrEqual(at);
        expect(nextStart(startOf(at, unit), unit)).toBeGreaterThan(at);
      }
    }
  });
});

describe("a compared window", () => {
  const dates = (asked: { period?: "1d" | "7d"; since?: string; until?: string }) => {
    const { label, current, previous } = comparedWindow({ ...asked, nowMs });
    return [label, datesOf(current), datesOf(previous)];
  };
  test("is the last seven dates, or those up to a date", () => {
    expect(dates({})).toEqual([
      "7d",
      { from: "2026-02-26", to: "2026-03-04" },
      { from: "2026-02-19", to: "2026-02-25" },
    ]);
    expect(dates({ period: "1d", until: "2026-03-01" })).toEqual([
      "1d",
      { from: "2026-03-01", to: "2026-03-01" },
      { from: "2026-02-28", to: "2026-02-28" },
    ]);
  });
  test("of named dates is compared with as many dates before", () => {
    expect(dates({ since: "2026-02-01", until: "2026-02-03" })).toEqual([
      null,
      { from: "2026-02-01", to: "2026-02-03" },
      { from: "2026-01-29", to: "2026-01-31" },
    ]);
    expect(dates({ since: "1d" })[1]).toEqual({ from: "2026-03-03", to: "2026-03-04" });
  });
  test("has a bounded number of dates, and one way of naming them", () => {
    const longest = day("2026-03-04") - comparedDatesMax + 1;
    const since = (first: number) => ({ since: new Date(first * 86_400_000).toISOString() });
    expect(dates(since(longest))[0]).toBeNull();
    expect(() => dates(since(longest - 1))).toThrow("at most 3650 dates, not 3651");
    expect(() => dates({ since: "7d", period: "7d" })).toThrow('Send either "period"');
    expect(() => dates({ since: "1d", until: "2d" })).toThrow("must not be later");
  });
});

test("compared periods have N dates each and do not overlap", () => {
  const { current, previous } = comparedDays("7d", nowMs);
  expect(datesOf(current)).toEqual({ from: "2026-02-26", to: "2026-03-04" });
  expect(datesOf(previous)).toEqual({ from: "2026-02-19", to: "2026-02-25" });
  expect(datesOf(comparedDays("1d", nowMs).previous)).toEqual({
    from: "2026-03-03",
    to: "2026-03-03",
  });
});
