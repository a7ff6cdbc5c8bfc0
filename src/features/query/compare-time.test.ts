import { describe, expect, test } from "bun:test";
import {
  eventAt as at,
  type ComparedAsked,
  comparedInputOf,
} from "../../../test/support/engine/compared-query";
import { ReadTest } from "../../../test/support/engine/read-test";
import { queryComparedRead } from "./compared";

const on = new ReadTest();
const { given } = on;

const answer = (asked: ComparedAsked) => on.engine.read(queryComparedRead, comparedInputOf(asked));
const query = async (asked: ComparedAsked) => (await answer(asked)).rows;
const raw = { count_mode: "raw" };

describe("rows by time are paired by their place in the period", () => {
  const pairs = async (group: string, asked: ComparedAsked) =>
    (await query({ ...raw, group_by: [group], order_by: group, order: "asc", ...asked })).map(
      (row) => [row[group], row.event_count, (row.previous as { event_count: number }).event_count],
    );
  test("by date and by hour", async () => {
    given(at(0), at(-6), at(-13), at(-8), at(-8));
    expect(await pairs("date", {})).toEqual([
      ["2026-01-08", 1, 1],
      ["2026-01-13", 0, 2],
      ["2026-01-14", 1, 0],
    ]);
    expect(await pairs("hour", { from: 0, compare: "week", to: 0 })).toEqual([
      ["2026-01-14T11:00", 1, 0],
    ]);
    expect(await pairs("hour", { from: -1, compare: "week", to: -1 })).toEqual([
      ["2026-01-13T11:00", 0, 2],
    ]);
  });
  test("hours tie in the order of their names", async () => {
    given(at(-1, {}, -2), at(-8, {}, 7));
    const asked = { metrics: ["sum:properties.n"], group_by: ["hour"], limit: 1 };
    expect((await query({ ...asked, order: "asc" })).map((row) => row.hour)).toEqual([
      "2026-01-13T10:00",
    ]);
  });
  test("by week and by month, whichever these are", async () => {
    // Thursday to Wednesday, and the same a week before: two weeks each.
    given(at(0), at(-6), at(-7), at(-7), at(-13), at(-13), at(-13));
    expect(await pairs("week", {})).toEqual([
      ["2026-01-05", 1, 3],
      ["2026-01-12", 1, 2],
    ]);
    expect(await pairs("month", { from: -13, compare: "previous" })).toEqual([["2026-01", 7, 0]]);
    const december = { date_from: "2025-12-25", date_to: "2026-01-02" };
    expect(await pairs("month", { compare: december })).toEqual([
      ["2026-01", 2, 0],
      ["2026-02", 0, 3],
    ]);
  });
  test("where one period is longer, the other's dates go on", async () => {
    given(at(0), at(-7));
    const compare = { date_from: "2026-01-01", date_to: "2026-01-14" };
    expect(await pairs("date", { from: -1, compare })).toEqual([
      ["2026-01-14", 1, 0],
      ["2026-01-19", 0, 1],
      ["2026-01-26", 0, 1],
    ]);
  });
  test("a week that stands beside its dates is that of the date", async () => {
    given(at(0), at(-3), at(-7), at(-10));
    const group_by = ["week", "date"];
    const rows = await query({ ...raw, group_by, order: "asc" });
    expect(rows.map((row) => [row.week, row.date, row.event_count, row.previous])).toEqual([
      ["2026-01-05", "2026-01-11", 1, { event_count: 1 }],
      ["2026-01-12", "2026-01-14", 1, { event_count: 1 }],
    ]);
  });
  test("the limit keeps the latest of both", async () => {
    given(at(0), at(-6), at(-8), at(-13));
    const asked = { ...raw, group_by: ["date"], limit: 2 };
    const { rows, groups_total } = await answer(asked);
    expect(rows.map((row) => row.date)).toEqual(["2026-01-14", "2026-01-13"]);
    expect(groups_total).toBe(3);
  });
});

describe("while the last date is today", () => {
  const both = async (asked: ComparedAsked) =>
    (await query({ ...raw, ...asked })).map((row) => [
      row.event_count,
      (row.previous as { event_count: number }).event_count,
    ]);
  test("both are cut at the same time of day", async () => {
    given(at(0, {}, -1), at(0, {}, 0), at(-7, {}, -1), at(-7, {}, 0), at(-7, {}, 1));
    expect(await both({})).toEqual([[1, 1]]);
    expect(await both({ group_by: ["date"] })).toEqual([[1, 1]]);
    expect(await both({ group_by: ["hour"] })).toEqual([[1, 1]]);
    expect((await answer({ to: -1 })).compared_until).toBeUndefined();
    expect(await both({ from: -7, to: -1, compare: "week" })).toEqual([[3, 0]]);
  });
  test("what users did is looked for up to there, in each period by itself", async () => {
    given(
      at(0, { userId: "ann" }, -2),
      at(0, { userId: "ann", name: "buy" }, 1),
      at(-7, { userId: "bob" }, -2),
      at(-7, { userId: "bob", name: "buy" }, -1),
      at(-6, { userId: "bob" }, -2),
    );
    const filters = [{ did: "buy" } as object];
    expect(await both({ filters })).toEqual([[0, 2]]);
  });
});
