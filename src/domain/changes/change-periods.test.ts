import { expect, test } from "bun:test";
import { dayOf } from "../event";
import { changePeriods, referenceOf } from "./change-periods";

/** Wednesday, 14 January 2026. */
const nowMs = Date.UTC(2026, 0, 14, 12);
const today = dayOf(nowMs);
const zone = undefined;
const ago = (from: number, to: number) => ({ from: today - from, to: today - to });

test.each([
  ["1d", ago(1, 1), ago(8, 8)],
  ["7d", ago(7, 1), ago(14, 8)],
  ["14d", ago(14, 1), ago(28, 15)],
  ["30d", ago(30, 1), ago(65, 36)],
  ["90d", ago(90, 1), ago(181, 92)],
] as const)("%s: complete dates, the same weekdays before", (period, current, previous) => {
  const found = changePeriods({ period, nowMs, zone });
  expect(found).toEqual({ current, previous, isUnfinished: false });
  expect((found.current.from - found.previous.from) % 7).toBe(0);
});
test("seven dates unless said", () => {
  expect(changePeriods({ nowMs, zone }).current).toEqual(ago(7, 1));
});
test("the dates that are named; today only by until", () => {
  expect(changePeriods({ since: "3d", nowMs, zone }).current).toEqual(ago(3, 1));
  const { current, isUnfinished } = changePeriods({ since: "3d", until: "0d", nowMs, zone });
  expect(current).toEqual(ago(3, 0));
  expect(isUnfinished).toBe(true);
});
test("yesterday is that of the zone", () => {
  const late = Date.UTC(2026, 0, 14, 23);
  const { current } = changePeriods({ period: "1d", nowMs: late, zone: "Asia/Tokyo" });
  expect(current).toEqual({ from: today, to: today, zone: "Asia/Tokyo" });
});
test.each([
  [{ period: "7d", since: "3d" }, "period"],
  [{ until: "1d" }, "since"],
  [{ since: "0d" }, "since"],
] as const)("%o is refused", (asked, field) => {
  expect(() => changePeriods({ ...asked, nowMs, zone })).toThrow(
    expect.objectContaining({ code: "MISSING_FIELDS", extras: { field } }),
  );
});

test("the reference ends before the period, and begins where something was kept", () => {
  const current = ago(7, 1);
  expect(referenceOf(current, today - 500)).toEqual(ago(63, 8));
  expect(referenceOf(current, today - 30)).toEqual(ago(30, 8));
  expect(referenceOf(current, today - 8)).toEqual(ago(8, 8));
  expect(referenceOf(current, today - 7)).toBeNull();
  expect(referenceOf(current, null)).toBeNull();
});
