import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { addMember } from "../../../test/support/app/members";
import { logIn, owner, type Person, password } from "../../../test/support/app/person";
import { cookieSessionMs, freshSignInMs } from "../../domain/limits";
import { clock, dayMs } from "../../lib/clock";
import { cookieSessionMsMax } from "../../store/control/browser-sessions";

let app: TestApp;
let ann: Person;
let nobodyYet: string;
beforeEach(async () => {
  app = await testApp();
  ann = await owner(app);
  nobodyYet = (await addMember(app, { role: "viewer", people: false, projects: null })).personId;
});
afterEach(() => app.close());

/** It would go on to refuse the member, who is no administrator. */
const transfer = async (person: Person) => {
  const [status, { error }] = await person.ask("POST", "/account/transfer", {
    ...{ to: nobodyYet, password },
  });
  return `${status} ${error}`;
};
const confirm = (person: Person, sent = password) =>
  person.ask("POST", "/auth/confirm", { password: sent });

describe("an action that needs a fresh sign-in", () => {
  test("is done for a quarter of an hour after the log-in, and refused from then on", async () => {
    app.setTime(noonMs + freshSignInMs - 1);
    expect(await transfer(ann)).toBe("403 FORBIDDEN");
    app.setTime(noonMs + freshSignInMs);
    expect(await transfer(ann)).toBe("403 CONFIRM_REQUIRED");
  });

  test("is done again once the person has given the password, in this browser alone", async () => {
    const elsewhere = await logIn(app, ann.email);
    app.setTime(noonMs + dayMs);
    expect(await confirm(ann)).toEqual([
      200,
      { ok: true, until: new Date(noonMs + dayMs + freshSignInMs).toISOString() },
    ]);
    expect(await transfer(ann)).toBe("403 FORBIDDEN");
    expect(await transfer(elsewhere)).toBe("403 CONFIRM_REQUIRED");
    app.setTime(clock.nowMs() + freshSignInMs);
    expect(await transfer(ann)).toBe("403 CONFIRM_REQUIRED");
  });

  test("stays refused after a wrong password, of which ten lock the browser out", async () => {
    app.setTime(noonMs + dayMs);
    for (let n = 0; n < 10; n++) {
      expect(await confirm(ann, "wrong")).toMatchObject([401, { error: "INVALID_CREDENTIALS" }]);
    }
    expect(await confirm(ann)).toMatchObject([429, { error: "RATE_LIMITED" }]);
    expect(await transfer(ann)).toBe("403 CONFIRM_REQUIRED");
  });

  test("is refused to a browser that confirmed under a clock ahead of ours", async () => {
    app.setTime(noonMs + dayMs);
    const later = await logIn(app, ann.email);
    app.setTime(noonMs);
    expect(await transfer(later)).toBe("403 CONFIRM_REQUIRED");
  });

  test("is asked of a browser only: a key does it at any time", async () => {
    const body = { name: "tests", kind: "signed", url: "https://hooks.example.com/a" };
    const { id } = await app.post("/webhooks", body);
    app.setTime(noonMs + dayMs);
    const rotate = `/webhooks/${id}/rotate`;
    expect(await ann.ask("POST", rotate)).toMatchObject([403, { error: "CONFIRM_REQUIRED" }]);
    expect(await app.post(rotate, {})).toHaveProperty("secret");
    await confirm(ann);
    expect(await ann.ask("POST", rotate)).toMatchObject([200, {}]);
  });
});

test("a browser session ends a year after the log-in, however much it is used", async () => {
  const status = async () => (await ann.ask("GET", "/account"))[0];
  const useMs = cookieSessionMs - dayMs;
  for (let atMs = useMs; atMs < cookieSessionMsMax; atMs += useMs) {
    app.setTime(noonMs + atMs);
    expect(await status()).toBe(200);
  }
  app.setTime(noonMs + cookieSessionMsMax - 1);
  expect(await status()).toBe(200);
  expect((await ann.ask("GET", "/account/browser-sessions"))[1]).toMatchObject({
    sessions: [{ is_current: true }],
  });
  app.setTime(noonMs + cookieSessionMsMax);
  expect(await status()).toBe(401);
});
