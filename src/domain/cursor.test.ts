import { expect, test } from "bun:test";
import { decodeCursor, encodeCursor } from "./cursor";
import { ApiError } from "./errors";

const question = { project: "proj_a", event: "visit", since: undefined };
const cursor = {
  place: [1_767_225_600_000, 8_999_999_999_999_999],
  fromDay: 20_000,
  toDay: 20_007,
};
const kinds = ["number", "number"] as const;

test("a cursor comes back as it went", () => {
  expect(decodeCursor(encodeCursor(cursor, question), question, kinds)).toEqual(cursor);
  const ofSession = { ...cursor, place: [5, 'a "hostile"\n\u0000 😀 id'] };
  const text = encodeCursor(ofSession, question);
  expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(decodeCursor(text, question, ["number", "string"])).toEqual(ofSession);
});

test("it belongs to its parameters; absent and null are the same", () => {
  const text = encodeCursor(cursor, question);
  expect(decodeCursor(text, { event: "visit", project: "proj_a" }, kinds)).toEqual(cursor);
  for (const other of [{ ...question, event: "x" }, { ...question, project: "b" }, {}]) {
    expect(() => decodeCursor(text, other, kinds)).toThrow(ApiError);
  }
});

test.each([
  "",
  "x",
  "!!!",
  "bnVsbA",
  "WzFd",
  Buffer.from('[1,2,"x",{},null]').toString("base64url"),
])("%p is refused as the field cursor", (text) => {
  expectRefused(text);
});
test.each([
  ["letters", "a".repeat(5_000)],
  ["open lists", Buffer.from("[".repeat(900)).toString("base64url")],
])("very many %s are refused as the field cursor", (_, text) => {
  expectRefused(text);
});
function expectRefused(text: string): void {
  const found = thrownBy(() => decodeCursor(text, question, kinds));
  expect([found.code, found.extras.field]).toEqual(["MISSING_FIELDS", "cursor"]);
}

function thrownBy(work: () => unknown): ApiError {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return error;
  }
  throw new Error("It was not refused.");
}
