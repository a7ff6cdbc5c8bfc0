import { describe, expect, test } from "bun:test";
import { dayOf, isoDate } from "./event";
import { type PeriodPieces, pairedPieces, piecesOf, type TimeGroup } from "./time-groups";

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

describe("pieces of two periods", () => {
  const day = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 86_400_000;
  const period = (from: string, to: string) => ({
    firstDay: day(from),
    stored: { from: day(from), to: day(to) },
  });
  const labels = (groups: readonly TimeGroup[], ...periods: readonly PeriodPieces[]) =>
    pairedPieces(periods[0], periods[1], groups).map(({ labels, current, previous }) => [
      ...groups.map((group) => (group === "hour" ? "" : labels[group])),
      `${current === null ? "-" : "current"} ${previous === null ? "-" : "previous"}`,
    ]);
  test("are paired by the number of months since the first, also across years", () => {
    const current = period("2026-01-31", "2026-02-28");
    expect(labels(["month"], current, period("2025-11-15", "2026-01-01"))).toEqual([
      ["2026-01", "current previous"],
      ["2026-02", "current previous"],
      ["2026-03", "- previous"],
    ]);
  });
  test("are paired by the number of Mondays since that of the first", () => {
    // Wednesday to Tuesday, and Sunday to Monday.
    const current = period("2026-01-07", "2026-01-13");
    expect(labels(["week"], current, period("2026-01-04", "2026-01-12"))).toEqual([
      ["2026-01-05", "current previous"],
      ["2026-01-12", "current previous"],
      ["2026-01-19", "- previous"],
    ]);
  });
  test("of weeks within months are paired by both", () => {
    const current = period("2026-01-26", "2026-02-08");
    expect(labels(["week", "month"], current, period("2025-12-29", "2026-01-11"))).toEqual([
      ["2026-01-26", "2026-01", "current previous"],
      ["2026-01-26", "2026-02", "current previous"],
      ["2026-02-02", "2026-02", "current previous"],
    ]);
  });
  test("begin with the period, also where nothing is stored of its first dates", () => {
    const late = {
      ...period("2026-01-07", "2026-01-13"),
      stored: period("2026-01-13", "2026-01-13").stored,
    };
    const early = { ...period("2025-12-31", "2026-01-06"), stored: null };
    expect(labels(["date"], late, early)).toEqual([["2026-01-13", "current -"]]);
    expect(pairedPieces(early, late, ["hour"]).map((piece) => piece.day)).toEqual([
      day("2026-01-06"),
    ]);
  });
});
