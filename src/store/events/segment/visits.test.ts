import { expect, test } from "bun:test";
import { Visits } from "./visits";

test("a visit is a user in a session, whoever came to the session first", () => {
  const visits = new Visits(5n);
  const told = [
    [1, "a"],
    [2, "a"],
    [3, "a"],
    [1, "b"],
    [1, null],
    [1, ""],
    [2, ""],
    [2, null],
    [12, null],
    [1, "2"],
  ] as const;
  const numbers = told.map(([user, session]) => visits.numberOf(user, session));
  expect(numbers).toEqual(told.map((_, at) => at));
  // Again, in another order.
  for (const [at, [user, session]] of told.entries().toArray().reverse()) {
    expect(visits.numberOf(user, session)).toBe(at);
  }
  expect(visits.users).toEqual(told.map(([user]) => user));
  expect(visits.sessionIds).toEqual(told.map(([, session]) => session));
  const keyOf = (at: number): string => `${visits.high[at]} ${visits.low[at]}`;
  expect(keyOf(1)).toBe(keyOf(0));
  expect(keyOf(3)).not.toBe(keyOf(0));
  expect([keyOf(4), keyOf(7), keyOf(8)]).toEqual(["0 0", "0 0", "0 0"]);
});
