import { expect, test } from "bun:test";
import { dayOf, isoDate } from "./event";
import { piecesOf, type TimeGroup } from "./time-groups";

/** The pieces of some dates, each as its first and last date with its labels. */
const pieces = (from: string, to: string, ...groups: readonly TimeGroup[]) =>
  piecesOf({ from: dayOf(Date.parse(from)), to: dayOf(Date.parse(to)) }, groups).map(
    ({ days, labels }) =>
      [isoDate(days.from), isoDate(days.to), ...Object.values(labels)].join(" "),
  );

test("pieces by date or hour are dates", () => {
  const dates = ["2026-02-28", "2026-03-01"].map((date) => `${date} ${date}`);
  expect(pieces("2026-02-28", "2026-03-01", "hour")).toEqual(dates);
  expect(pieces("2026-02-28", "2026-03-01", "date")).toEqual([
    "2026-02-28 2026-02-28 2026-02-28",
    "2026-03-01 2026-03-01 2026-03-01",
  ]);
});

test("weeks begin on Monday and are named by it, though the dates begin later", () => {
  expect(pieces("2025-12-31", "2026-01-12", "week")).toEqual([
    "2025-12-31 2026-01-04 2025-12-29",
    "2026-01-05 2026-01-11 2026-01-05",
    "2026-01-12 2026-01-12 2026-01-12",
  ]);
});

test("by week and month, a week that lies in two months is two pieces", () => {
  expect(pieces("2026-01-26", "2026-02-08", "week", "month")).toEqual([
    "2026-01-26 2026-01-31 2026-01-26 2026-01",
    "2026-02-01 2026-02-01 2026-01-26 2026-02",
    "2026-02-02 2026-02-08 2026-02-02 2026-02",
  ]);
});
