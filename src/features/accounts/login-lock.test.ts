import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Json, type TestApp, testApp } from "../../../test/support/app/app";
import { clock, minuteMs } from "../../lib/clock";
import { passwordQueueMax } from "../../services/passwords";

const origin = "http://localhost:3000";
const email = "owner@example.com";
const password = "correct horse battery";
const wrong = "wrong horse battery";
const mallory = "192.0.2.66";
const home = "198.51.100.7";

let app: TestApp;
beforeEach(async () => {
  app = await testApp();
});
afterEach(() => app.close());

/** Sign-in is limited to ten a minute and address. */
const nextMinute = () => app.setTime(clock.nowMs() + minuteMs);
const logIn = async (from: string, guess: string, headers: Record<string, string> = {}) =>
  (await app.send("POST", "/auth/login", { from, headers, body: { email, password: guess } }))
    .status;
const withCookie = () => ({ cookie: app.cookie, origin });
const changePassword = async (current: string, next: string) => {
  const body: Json = { current_password: current, new_password: next };
  const call = { from: home, headers: withCookie(), body };
  return (await app.send("POST", "/auth/password", call)).status;
};
const fail = async (times: number, from: (n: number) => string) => {
  for (let n = 0; n < times; n++) expect(await logIn(from(n), wrong)).toBe(401);
};

test("failures from elsewhere do not lock the owner out", async () => {
  await fail(10, () => mallory);
  nextMinute();
  expect(await logIn(mallory, password)).toBe(429);
  // The lock holds for other addresses of the same network too.
  expect(await logIn("192.0.2.1", password)).toBe(429);
  expect(await logIn(home, password)).toBe(200);
  expect(await logIn("2001:db8::1", password)).toBe(200);
});

test("somebody who is logged in is not locked out by any failure of others", async () => {
  // These failures come from the owner's own network.
  await fail(10, () => home);
  nextMinute();
  expect(await logIn(home, password)).toBe(429);
  expect(await changePassword(password, "another battery")).toBe(200);
  expect(await logIn(home, "another battery", withCookie())).toBe(200);
  // A stolen cookie does not buy more guesses.
  for (let n = 0; n < 10; n++) expect(await changePassword(wrong, "x".repeat(10))).toBe(401);
  expect(await changePassword("another battery", "x".repeat(10))).toBe(429);
  expect((await app.send("GET", "/account", { headers: withCookie() })).status).toBe(200);
});

/** The flood is still there when the owner comes, and its end comes soon. */
const someCost = {
  memoryKib: 1_024,
  passes: 2,
  nobodysHash:
    "$argon2id$v=19$m=1024,t=2,p=1$wUp/yRWCA3ZfnrJLaijKpuVT1tx+qwi3wFKMSdS+jbk$" +
    "hKjYxJWhB3X58a4va5Hwzb4QWHwcOoFVD+doEgxBosk",
};

test("a flood of guesses from one network holds up neither others nor who is logged in", async () => {
  await app.close();
  app = await testApp({}, undefined, someCost);
  const answers: number[] = [];
  const flood = Array.from({ length: passwordQueueMax + 10 }, async (_, n) => {
    const from = `192.0.2.${n}`;
    const guess = { email: `u${n}@example.com`, password: wrong };
    answers.push((await app.send("POST", "/auth/login", { from, body: guess })).status);
  });
  await Bun.sleep(0);
  // One after the other: a log-in during which the password changes is refused.
  const owner = await logIn(home, password);
  const changed = await changePassword(password, "another battery");
  expect([owner, changed]).toEqual([200, 200]);
  const hashed = answers.filter((status) => status === 401).length;
  // Turns of theirs come between ours, but by far not all of them. How many depends on the machine.
  expect(hashed).toBeLessThan(passwordQueueMax / 2);
  await Promise.all(flood);
  expect(answers.filter((status) => status === 503).length).toBeGreaterThanOrEqual(9);
});
