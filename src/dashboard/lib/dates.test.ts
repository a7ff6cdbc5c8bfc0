import { expect, test } from "bun:test";
import { longDate, monthText, rangeText, shortDate, startOf, startOfOwnWeek } from "./dates";
import { firstDay, firstDayOf } from "./locale";

test("dates are written in the form of a locale, which is fixed for tests", () => {
  expect(shortDate("2026-11-22")).toBe("22 Nov");
  expect(longDate("2026-11-22")).toBe("Sun 22 Nov");
  expect(monthText("2026-11")).toBe("Nov 2026");
  const plain = (text: string) => text.replace(/\s+/g, " ");
  expect(plain(rangeText("2026-11-22", "2026-11-22"))).toBe("22 Nov 2026");
  expect(plain(rangeText("2026-10-24", "2026-11-22"))).toBe("24 Oct – 22 Nov 2026");
  expect(plain(rangeText("2025-12-31", "2026-01-02"))).toBe("31 Dec 2025 – 2 Jan 2026");
});

test("a week begins where the reader's does, and the API's on Monday", () => {
  const first = { "en-US": 7, "de-DE": 1, "ar-EG": 6, "en-GB": firstDay };
  for (const [locale, day] of Object.entries(first))
    expect([locale, firstDayOf(locale)]).toEqual([locale, day]);
  // 18 November 2026 is a Wednesday.
  expect([1, 6, 7].map((day) => startOfOwnWeek("2026-11-18", day))).toEqual([
    ...["2026-11-16", "2026-11-14", "2026-11-15"],
  ]);
  for (const day of [1, 6, 7]) {
    const start = startOfOwnWeek("2026-11-18", day);
    expect(startOfOwnWeek(start, day)).toBe(start);
  }
  expect(startOf("week", "2026-11-22")).toBe("2026-11-16");
});
