import { afterEach, beforeEach, expect, test } from "bun:test";
import { clock, minuteMs } from "../lib/clock";
import { LoginFailures, loginGuessersMax, loginWindowMs } from "./login-failures";

let nowMs = 0;
let restore: () => void = () => undefined;
beforeEach(() => {
  nowMs = Date.UTC(2026, 0, 14);
  restore = clock.replace(() => nowMs);
});
afterEach(() => restore());

const fail = (failures: LoginFailures, email: string, times: number): void => {
  for (let n = 0; n < times; n++) failures.begin(email);
};

test("after ten failures an address waits for 15 minutes; others do not", () => {
  const failures = new LoginFailures();
  fail(failures, "a@example.com", 9);
  nowMs += 14 * minuteMs;
  failures.begin("a@example.com");
  expect(() => failures.begin("a@example.com")).toThrow(
    expect.objectContaining({
      code: "RATE_LIMITED",
      extras: { reason: "rate_limit", retry_after_seconds: 900 },
    }),
  );
  failures.begin("b@example.com");
  // The first nine are old by now; the wait runs from the tenth.
  nowMs += 15 * minuteMs - 1;
  expect(() => failures.begin("a@example.com")).toThrow();
  nowMs += 1;
  fail(failures, "a@example.com", 10);
  expect(() => failures.begin("a@example.com")).toThrow();
});

test("failures of more than 15 minutes ago do not count", () => {
  const failures = new LoginFailures();
  fail(failures, "a@example.com", 9);
  nowMs += 15 * minuteMs;
  fail(failures, "a@example.com", 10);
  expect(() => failures.begin("a@example.com")).toThrow();
});

test("a success is no failure, and makes the failures before it none the better", () => {
  const failures = new LoginFailures();
  for (let n = 0; n < 50; n++) failures.begin("a@example.com").takeBack();
  fail(failures, "a@example.com", 9);
  failures.begin("a@example.com").takeBack();
  failures.begin("a@example.com");
  expect(() => failures.begin("a@example.com")).toThrow();
});

test("attempts that are under way count, so that a hundred at once get no further", () => {
  const failures = new LoginFailures();
  const attempts = Array.from({ length: 10 }, () => failures.begin("a@example.com"));
  expect(() => failures.begin("a@example.com")).toThrow();
  for (const attempt of attempts) attempt.takeBack();
  failures.begin("a@example.com");
});

test("memory is bounded: what is over is forgotten, and beyond 100,000 the longest silent one", () => {
  const failures = new LoginFailures();
  fail(failures, "first@example.com", 10);
  fail(failures, "second@example.com", 10);
  for (let n = 0; n < loginGuessersMax - 2; n++) failures.begin(`${n}@example.com`);
  expect(() => failures.begin("first@example.com")).toThrow();
  failures.begin("one-more@example.com");
  failures.begin("first@example.com");
  expect(() => failures.begin("9997@example.com")).not.toThrow();
  nowMs += loginWindowMs;
  failures.begin("late@example.com");
  expect(failures.count).toBe(1);
});
