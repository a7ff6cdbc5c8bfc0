import { expect, test } from "bun:test";
import { nearest } from "./nearest";

const known = ["project", "since", "until", "groupBy", "limit", "event", "metrics", "key", "to"];

test.each([
  ["sinse", "since"],
  ["Since", "since"],
  ["group-by", "groupBy"],
  ["group_by", "groupBy"],
  ["limti", "limit"],
  ["limt", "limit"],
  ["events", "event"],
  ["event_name", "event"],
  ["metric", "metrics"],
  ["projekt", "project"],
  ["proj", "project"],
  ["KEY", "key"],
  ["keys", "key"],
  ["tos", "to"],
])("%s is near %s", (word, wanted) => {
  expect(nearest(word, known)).toBe(wanted);
});

test.each(["", "colour", "x", "to_", "t", "tokens", "untold story", "ke ", "__proto__", "é"])(
  "%j is near nothing that it does not mean",
  (word) => {
    expect(["to", "key", null]).toContain(nearest(word, known));
    expect(nearest(word, ["since", "limit", "metrics"])).toBeNull();
  },
);

test("the nearest of several wins, and of equal ones the first, or that which begins alike", () => {
  expect(nearest("dsc", ["asc", "desc"])).toBe("desc");
  expect(nearest("count_bi", ["count", "count_by", "count_mode"])).toBe("count_by");
  expect(nearest("date", ["date_from", "date_to"])).toBe("date_from");
});

test("a word is compared up to 64 characters", () => {
  const long = "a".repeat(64);
  expect(nearest(long, [long])).toBe(long);
  expect(nearest(`${long}a`, [long])).toBeNull();
});
