import { describe, expect, test } from "bun:test";
import {
  type DiskLevel,
  daysToFullOf,
  diskLevelOf,
  growthPerDay,
  noRoom,
  reserveBytesOf,
} from "./disk";

const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;

test("the reserve is 512 MiB, and a tenth of a file system under 5 GiB, unless it is set", () => {
  expect(reserveBytesOf(5 * gibibyte, null)).toBe(512 * mebibyte);
  expect(reserveBytesOf(5 * gibibyte - 10, null)).toBe((5 * gibibyte - 10) / 10);
  expect(reserveBytesOf(gibibyte, 64 * mebibyte)).toBe(64 * mebibyte);
});

describe("the level of a disk", () => {
  const level = (freeBytes: number, before: DiskLevel = "ok", daysToFull: number | null = null) =>
    diskLevelOf({ freeBytes, reserveBytes: 100, daysToFull }, before);

  test("follows the free bytes, on both sides of each bound", () => {
    const levels = [99, 100, 199, 200, 399, 400].map((freeBytes) => level(freeBytes));
    expect(levels).toEqual(["full", "tight", "tight", "low", "low", "ok"]);
  });

  test("is low when the disk is full in less than 14 days", () => {
    expect([level(1_000, "ok", 13.9), level(1_000, "ok", 14)]).toEqual(["low", "ok"]);
  });

  test("leaves full at 1.25 times the reserve", () => {
    expect([level(124, "full"), level(125, "full")]).toEqual(["full", "tight"]);
  });
});

describe("the growth of a day", () => {
  const today = 20_000;
  const starts = (...bytes: readonly (number | null)[]) =>
    new Map(
      bytes.flatMap((of, at): [number, number][] =>
        of === null ? [] : [[today - bytes.length + 1 + at, of]],
      ),
    );

  test("is the median of the last 7 complete days, whatever an earlier one brought", () => {
    expect(growthPerDay(starts(0, 900, 901, 903, 906, 910, 915, 921, 928), today)).toBe(4);
  });
  test("is that of the days that there are, and null where there is none", () => {
    expect(growthPerDay(starts(10, 15), today)).toBe(5);
    expect(growthPerDay(starts(10, 15, 30), today)).toBe(10);
    expect(growthPerDay(starts(10), today)).toBeNull();
    expect(growthPerDay(new Map(), today)).toBeNull();
  });
  test("counts days on which something was deleted, and none of which an end is unknown", () => {
    expect(growthPerDay(starts(10, 30, 10, 15), today)).toBe(5);
    expect(growthPerDay(starts(10, null, 100, 107), today)).toBe(7);
  });
});

test("the days that are left are those until the reserve, where the data grows", () => {
  const room = { freeBytes: 300, reserveBytes: 100 };
  expect(daysToFullOf(room, 50)).toBe(4);
  expect([daysToFullOf(room, 0), daysToFullOf(room, -1), daysToFullOf(room, null)]).toEqual([
    ...[null, null, null],
  ]);
  expect(daysToFullOf({ freeBytes: 50, reserveBytes: 100 }, 50)).toBe(0);
});

test("senders that are refused together come back within one to five minutes, apart", () => {
  const waits = Array.from({ length: 2_000 }, () => noRoom("").extras.retry_after_seconds ?? 0);
  expect([Math.min(...waits) >= 60, Math.max(...waits) <= 300]).toEqual([true, true]);
  expect(new Set(waits).size).toBeGreaterThan(100);
});
