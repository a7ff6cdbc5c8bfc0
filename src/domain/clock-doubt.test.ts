import { expect, test } from "bun:test";
import { dayMs } from "../lib/clock";
import { clockDistanceMsMax, describeDoubt, doubtOf } from "./clock-doubt";

const usedMs = Date.UTC(2026, 0, 14, 12);
const kindOf = (clockMs: number, usedAtMs = [usedMs], retainedFromMs = 0): string | undefined =>
  doubtOf({ usedAtMs, retainedFromMs }, clockMs)?.kind;

test("a clock is doubted more than two days away from the last use of the folder, on either side", () => {
  expect(clockDistanceMsMax).toBe(2 * dayMs);
  expect(kindOf(usedMs + clockDistanceMsMax)).toBeUndefined();
  expect(kindOf(usedMs + clockDistanceMsMax + 1)).toBe("ahead");
  expect(kindOf(usedMs - clockDistanceMsMax)).toBeUndefined();
  expect(kindOf(usedMs - clockDistanceMsMax - 1)).toBe("behind");
});

test("a new folder has nothing to doubt a clock by", () => {
  expect(kindOf(0, [])).toBeUndefined();
});

test("one of two times is enough: a database that is a copy says an older one", () => {
  const times = [usedMs, usedMs - 30 * dayMs];
  expect(kindOf(usedMs + dayMs, times)).toBeUndefined();
  expect(kindOf(usedMs - 31 * dayMs, times)).toBeUndefined();
  expect(kindOf(usedMs + 3 * dayMs, times)).toBe("ahead");
  expect(kindOf(usedMs - 15 * dayMs, times)).toBe("behind");
});

test("a retained_from that lies ahead is a reason to doubt the clock", () => {
  expect(kindOf(usedMs, [usedMs], usedMs)).toBeUndefined();
  expect(kindOf(usedMs, [usedMs], usedMs + 1)).toBe("before retained_from");
  expect(kindOf(usedMs, [], usedMs + 1)).toBe("before retained_from");
});

test("people are told what is wrong, and the way back", () => {
  const told = (clockMs: number, retainedFromMs = 0): string => {
    const doubt = doubtOf({ usedAtMs: [usedMs], retainedFromMs }, clockMs);
    return doubt === null ? "" : describeDoubt(doubt);
  };
  expect(told(usedMs + 400 * dayMs)).toBe(
    "The clock says 2027-02-18 12:00 UTC, 400.0 days after the data folder was last used (2026-01-14 12:00 UTC). " +
      "If the clock is right, run sightline clock --accept. Otherwise correct the clock.",
  );
  expect(told(usedMs - 3 * dayMs)).toContain("3.0 days before the data folder was last used");
  expect(told(usedMs, usedMs + dayMs)).toContain("hidden all events before 2026-01-15 12:00 UTC");
});
