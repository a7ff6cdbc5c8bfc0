import { expect, test } from "bun:test";
import { addDays, today } from "../lib/dates";
import { freshMs, isFresh, noteVersion } from "./freshness";

const windowTo = (date: string, project = "shop") =>
  ({ method: "POST", path: "/query", body: { project, date_to: date } }) as const;
const over = windowTo(addDays(today(), -1));
const atMs = 1_000_000;
const later = atMs + freshMs;

test("a young answer is good, one with today in it for a minute alone", () => {
  const open = windowTo(today());
  noteVersion(open, 7);
  expect(isFresh(open, { atMs: 0, version: null }, later)).toBe(false);
  expect(isFresh(open, { atMs, version: 7 }, later - 1)).toBe(true);
  expect(isFresh(open, { atMs, version: 7 }, later)).toBe(false);
});

test("days that are over are read again once an answer names a newer version of the project's data", () => {
  noteVersion(over, 7);
  expect(isFresh(over, { atMs, version: 7 }, later)).toBe(true);
  noteVersion(windowTo(today(), "another"), 8);
  expect(isFresh(over, { atMs, version: 7 }, later)).toBe(true);
  noteVersion({ method: "GET", path: "/live", query: { project: "shop" } }, 8);
  expect(isFresh(over, { atMs, version: 7 }, later)).toBe(false);
  expect(isFresh(over, { atMs: later, version: 8 }, 2 * later)).toBe(true);
});

test("an answer that is late, or names no version, changes nothing", () => {
  noteVersion(over, 20);
  noteVersion(over, 19);
  noteVersion(over, null);
  expect(isFresh(over, { atMs, version: 20 }, later)).toBe(true);
  expect(isFresh(over, { atMs, version: null }, later)).toBe(false);
});
