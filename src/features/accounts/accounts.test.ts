import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Call, type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { clock, dayMs, minuteMs } from "../../lib/clock";
import { sha256Hex } from "../../lib/ids";
import { Passwords, usualCost } from "../../services/passwords";
import { cookieSession } from "../../store/control/member-tables";

const origin = "http://localhost:3000";
const email = "owner@example.com";
const password = "correct horse battery";

let app: TestApp;
/** Prepares tests that begin with nothing. */
const eachWithOwnApp = () => {
  beforeEach(async () => {
    app = await testApp();
  });
  afterEach(() => app.close());
};
/** Prepares tests that leave nothing behind which affects the others. */
const allWithOneApp = () => {
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app.close());
};

const body = async (response: Response): Promise<Json> => (await response.json()) as Json;
/** Makes a call as a page of ours does, logged in. */
const fromPage = (call: Call = {}): Call => ({
  ...call,
  headers: { cookie: app.cookie, origin, ...call.headers },
});
const cookieOf = (response: Response): string =>
  response.headers.get("set-cookie")?.split(";")[0] ?? "";
const logIn = (call: Json = {}) =>
  app.send("POST", "/auth/login", { body: { email, password, ...call } });
/** Sign-in is limited to ten a minute and address; the tests of other limits take their time. */
const nextMinute = () => app.setTime(clock.nowMs() + minuteMs);

describe("the account", () => {
  eachWithOwnApp();

  test("is the administrator's, with the rights of Pro", async () => {
    const account = await app.get("/account");
    expect(account).toEqual({
      id: expect.stringMatching(/^acc_[a-z0-9]{16}$/),
      name: email,
      role: "owner",
      people: true,
      two_factor: false,
      projects: null,
      user: { id: expect.stringMatching(/^usr_[a-z0-9]{16}$/), email },
      email,
      github_login: null,
      google_name: null,
      tier: "pro",
      complimentary: true,
      is_admin: true,
      created_at: new Date(noonMs).toISOString(),
      projects_count: 0,
      tier_limits: {
        max_events_per_month: -1,
        max_projects: -1,
        max_reads_per_month: -1,
        retention_days: 365,
        rate_limit_rpm: 1000,
      },
      monthly_spend_cap_dollars: null,
      usage: { month: "2026-01", events: 0, reads: 0 },
    });
  });

  test("tells what the month has used, deleted projects included", async () => {
    const shop = await app.makeProject("shop");
    await app.makeProject("blog");
    await app.track(shop, { event: "a" }, { event: "b" }, { event: "c", event_id: "one" });
    await app.track(shop, { event: "c", event_id: "one" });
    await app.get("/stats?project=shop");
    await app.send("DELETE", "/projects/shop", { key: app.key });
    const account = await app.get("/account");
    expect(account).toMatchObject({ projects_count: 1, usage: { events: 3, reads: 1 } });
  });
});

describe("log-in", () => {
  allWithOneApp();
  beforeEach(nextMinute);

  test("sets a cookie that is good for 30 days and for this site only", async () => {
    const answer = await logIn();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("set-cookie")).toMatch(
      /^sl_session=[0-9a-f]{64}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const account = await app.get("/account");
    const { id, name, role } = account;
    const memberships = [{ id, name, role }];
    expect(await body(answer)).toEqual({ ok: true, account: { ...account, memberships } });
  });

  test("takes the address in any spelling", async () => {
    expect((await logIn({ email: " Owner@EXAMPLE.com " })).status).toBe(200);
  });

  test("answers an unknown address and a wrong password alike", async () => {
    const wrong = await logIn({ password: "wrong horse battery" });
    const unknown = await logIn({ email: "nobody@example.com" });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    const text = await wrong.text();
    expect(await unknown.text()).toBe(text);
    expect(JSON.parse(text).error).toBe("INVALID_CREDENTIALS");
  });

  test("hashes for an unknown address what it hashes for a known one", async () => {
    const passwords = new Passwords();
    const costs = (hash: string) => hash.split("$").slice(1, 4);
    expect(costs(await passwords.hash("x"))).toEqual(["argon2id", "v=19", "m=19456,t=2,p=1"]);
    expect(costs(usualCost.nobodysHash)).toEqual(["argon2id", "v=19", "m=19456,t=2,p=1"]);
    expect(await passwords.verify("anything", null)).toBe(false);
  });

  test("may not be asked for by another site's page", async () => {
    const call = { body: { email, password }, headers: { origin: "https://evil.example" } };
    const refused = await app.send("POST", "/auth/login", call);
    expect(refused.status).toBe(403);
    expect((await body(refused)).error).toBe("CSRF_FAILED");
    expect(refused.headers.get("set-cookie")).toBeNull();
  });

  test("ends for this browser alone when it logs out", async () => {
    const headers = { cookie: cookieOf(await logIn()), origin };
    const answer = await app.send("POST", "/auth/logout", { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("set-cookie")).toStartWith("sl_session=; Max-Age=0; Path=/");
    expect((await app.send("GET", "/account", { headers })).status).toBe(401);
    expect((await app.send("GET", "/account", fromPage())).status).toBe(200);
  });

  test("log-out without a session is as well; from another site's page it is refused", async () => {
    expect((await app.send("POST", "/auth/logout")).status).toBe(200);
    const stale = { headers: { cookie: "sl_session=gone" } };
    expect((await app.send("POST", "/auth/logout", stale)).status).toBe(200);
    const foreign = { headers: { cookie: app.cookie, origin: "https://evil.example" } };
    expect((await app.send("POST", "/auth/logout", foreign)).status).toBe(403);
    expect((await app.send("GET", "/account", fromPage())).status).toBe(200);
  });
});

describe("guessing", () => {
  eachWithOwnApp();

  test("waits after ten failures with one address, even for the right password", async () => {
    for (let n = 0; n < 10; n++) {
      nextMinute();
      expect((await logIn({ password: "wrong horse battery" })).status).toBe(401);
    }
    nextMinute();
    const refused = await logIn();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBe(14 * 60);
    expect((await logIn({ email: "other@example.com" })).status).toBe(401);
    app.setTime(clock.nowMs() + 14 * minuteMs);
    expect((await logIn()).status).toBe(200);
  });
});

describe("the session cookie", () => {
  eachWithOwnApp();

  test("changes things only from our own pages", async () => {
    const post = (headers: Readonly<Record<string, string>>) =>
      app.send("POST", "/account/revoke-key", { headers: { cookie: app.cookie, ...headers } });
    for (const headers of [{}, { origin: "https://evil.example" }, { origin: "null" }]) {
      const refused = await post(headers);
      expect(refused.status).toBe(403);
      expect((await body(refused)).error).toBe("CSRF_FAILED");
    }
    expect((await post({ origin })).status).toBe(200);
    const read = await app.send("GET", "/account", { headers: { cookie: app.cookie } });
    expect(read.status).toBe(200);
  });

  test("is renewed on use once a day, and ends 30 days after the last use", async () => {
    const ask = () => app.send("GET", "/auth/state", fromPage());
    app.setTime(noonMs + dayMs);
    expect((await ask()).headers.get("set-cookie")).toBeNull();
    app.setTime(noonMs + dayMs + 1);
    expect((await ask()).headers.get("set-cookie")).toStartWith(`${app.cookie}; Max-Age=2592000`);
    expect((await ask()).headers.get("set-cookie")).toBeNull();
    app.setTime(noonMs + 31 * dayMs);
    expect((await body(await ask())).authenticated).toBe(true);
    app.setTime(noonMs + 61 * dayMs);
    expect((await body(await ask())).authenticated).toBe(false);
  });

  test("is stored as a hash", async () => {
    const secret = app.cookie.slice("sl_session=".length);
    const stored = JSON.stringify(app.deps.control.db.select().from(cookieSession).all());
    expect(stored).toContain(sha256Hex(secret));
    expect(stored).not.toContain(secret);
  });
});

describe("a new password", () => {
  eachWithOwnApp();

  const change = (current: string, next: string, cookie = app.cookie) =>
    app.send("POST", "/auth/password", {
      headers: { cookie, origin },
      body: { current_password: current, new_password: next },
    });

  test("ends other browser sessions, not this one and not the key", async () => {
    const other = cookieOf(await logIn());
    expect((await change(password, "another battery")).status).toBe(200);
    expect((await app.send("GET", "/account", { headers: { cookie: other } })).status).toBe(401);
    expect((await app.send("GET", "/account", fromPage())).status).toBe(200);
    expect((await app.send("GET", "/account", { key: app.key })).status).toBe(200);
    expect((await logIn()).status).toBe(401);
    expect((await logIn({ password: "another battery" })).status).toBe(200);
  });

  test("needs the one before it, and has the same bounds", async () => {
    expect((await change("wrong horse battery", "another battery")).status).toBe(401);
    expect((await change(password, "x".repeat(9))).status).toBe(400);
    expect((await change(password, "x".repeat(201))).status).toBe(400);
    expect((await change(password, "x".repeat(10))).status).toBe(200);
    expect((await change("x".repeat(10), "x".repeat(200))).status).toBe(200);
  });

  test("guessing the old one is stopped like log-in", async () => {
    for (let n = 0; n < 10; n++) await change("wrong horse battery", "another battery");
    expect((await change(password, "another battery")).status).toBe(429);
  });
});
