import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Call, type Json, type TestApp, testApp } from "../../../test/support/app/app";
import { clock, minuteMs } from "../../lib/clock";
import { accountsOfPeople } from "../../store/control/accounts";
import { person } from "../../store/control/member-tables";
import { account } from "../../store/control/tables";
import { makeFirstAccount, makeFirstAccountWithKey } from "./first-account";

const login = { email: "first@example.com", password: "correct horse battery" };
const body = async (response: Response): Promise<Json> => (await response.json()) as Json;

let app: TestApp;

/** Opens the app as it is before there is an account. */
const unset = async (environment: Readonly<Record<string, string>> = {}): Promise<TestApp> => {
  app = await testApp(environment);
  forgetAccounts();
  return app;
};
const setUp = (call: Call = {}, more: Json = {}) =>
  app.send("POST", "/auth/setup", { ...call, body: { ...login, ...more } });
const state = async (call: Call = {}) => body(await app.send("GET", "/auth/state", call));

const forgetAccounts = () =>
  app.deps.control.write(() => {
    app.deps.control.db.delete(account).run();
    app.deps.control.db.delete(person).run();
  });

describe("set-up", () => {
  beforeAll(async () => {
    await unset();
  });
  // Sign-in is limited to ten a minute and address.
  beforeEach(() => app.setTime(clock.nowMs() + minuteMs));
  afterEach(() => forgetAccounts());
  afterAll(() => app.close());

  test("makes the complimentary administrator once, and logs in", async () => {
    expect(await state()).toEqual({
      needs_setup: true,
      setup_token_required: false,
      registration: "closed",
      billing: false,
      mail: false,
      password_login: true,
      authenticated: false,
    });
    const made = await setUp();
    expect(made.status).toBe(201);
    const { account: view } = await body(made);
    expect(view).toMatchObject({ email: login.email, complimentary: true, is_admin: true });
    const cookie = made.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect(await state({ headers: { cookie } })).toEqual({
      needs_setup: false,
      setup_token_required: false,
      registration: "closed",
      billing: false,
      mail: false,
      password_login: true,
      authenticated: true,
      account: view,
    });
    const second = await setUp({}, { email: "second@example.com" });
    expect(second.status).toBe(409);
    expect((await body(second)).error).toBe("SETUP_DONE");
  });

  test("two at once make one account", async () => {
    const answers = await Promise.all(
      ["a", "b", "c"].map((name) => setUp({}, { email: `${name}@example.com` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(app.deps.control.db.select().from(account).all()).toHaveLength(1);
  });

  test.each([
    ["another machine", { from: "192.0.2.7" }],
    ["another machine by IPv6", { from: "2001:db8::7" }],
    ["an address that is not known", { from: null }],
    ["a proxy on this machine", { headers: { "x-forwarded-for": "127.0.0.1" } }],
    ["one that speaks the other dialect", { headers: { forwarded: "for=127.0.0.1" } }],
    ["one that only gives its own name", { headers: { via: "1.1 proxy" } }],
    ["a name that was made to lead here", { headers: { host: "rebound.example:3000" } }],
  ])("from %s needs the token", async (_, call) => {
    expect(await state(call)).toMatchObject({ setup_token_required: true });
    for (const sent of [{}, { setup_token: "" }, { setup_token: "wrong" }, { setup_token: null }]) {
      const refused = await setUp(call, sent);
      expect(refused.status).toBe(403);
      expect((await body(refused)).error).toBe("FORBIDDEN");
    }
    expect((await setUp(call, { setup_token: app.deps.server.setupToken })).status).toBe(201);
    expect(await state(call)).toMatchObject({ setup_token_required: false });
  });

  test.each([["127.0.0.1"], ["127.8.8.8"], ["::1"], ["::ffff:127.0.0.1"]])(
    "from %s needs none, and does not look at one",
    async (from) => {
      expect((await setUp({ from }, { setup_token: "whatever" })).status).toBe(201);
    },
  );

  test("needs the token from everybody once PUBLIC_URL is set", async () => {
    const open = app;
    await unset({ PUBLIC_URL: "http://localhost:3000" });
    expect(await state()).toMatchObject({ setup_token_required: true });
    expect((await setUp()).status).toBe(403);
    expect((await setUp({}, { setup_token: app.deps.server.setupToken })).status).toBe(201);
    await app.close();
    app = open;
  });

  test("is refused to another site's page on this machine", async () => {
    const refused = await setUp({ headers: { origin: "https://evil.example" } });
    expect(refused.status).toBe(403);
    expect((await body(refused)).error).toBe("CSRF_FAILED");
    expect(app.deps.control.hasAccounts()).toBe(false);
  });

  test.each([
    ["email", { email: "nobody" }],
    ["email", { email: "" }],
    ["email", { email: null }],
    ["password", { password: "x".repeat(9) }],
    ["password", { password: "x".repeat(201) }],
    ["password", { password: null }],
  ])("names the field that breaks its rule: %s", async (field, more) => {
    const refused = await setUp({}, more);
    expect(refused.status).toBe(400);
    expect(await body(refused)).toMatchObject({ error: "MISSING_FIELDS", field });
  });

  test("takes passwords of 10 and of 200 characters", async () => {
    expect((await setUp({}, { password: "x".repeat(10) })).status).toBe(201);
    forgetAccounts();
    expect((await setUp({}, { password: "𝒳".repeat(200) })).status).toBe(201);
  });
});

describe("sign-up", () => {
  afterEach(() => app.close());
  const signUp = (more: Json = {}) =>
    app.send("POST", "/auth/signup", { body: { ...login, email: "new@example.com", ...more } });

  test("is closed unless the operator opens it", async () => {
    app = await testApp();
    const refused = await signUp();
    expect(refused.status).toBe(403);
    expect((await body(refused)).error).toBe("REGISTRATION_CLOSED");
  });

  test("open, it makes an ordinary account of the default tier", async () => {
    app = await testApp({ REGISTRATION: "open", DEFAULT_TIER: "free" });
    const made = await signUp();
    expect(made.status).toBe(201);
    expect((await body(made)).account).toMatchObject({
      email: "new@example.com",
      tier: "free",
      complimentary: false,
      is_admin: false,
      tier_limits: { max_projects: 2, max_reads_per_month: 500, rate_limit_rpm: 10 },
    });
    const again = await signUp({ email: "NEW@example.com" });
    expect(again.status).toBe(409);
    expect((await body(again)).error).toBe("ACCOUNT_EXISTS");
  });

  test("the first account is not made that way", async () => {
    await unset({ REGISTRATION: "open" });
    expect((await signUp()).status).toBe(403);
  });
});

describe("the first account at start", () => {
  beforeAll(async () => {
    await unset();
  });
  afterEach(() => forgetAccounts());
  afterAll(() => app.close());
  const start = (adminEmail: string | null, adminPassword: string | null) =>
    makeFirstAccount(
      { adminEmail, adminPassword, defaultTier: "free" },
      app.deps.control,
      app.deps.passwords,
    );

  test("comes from the environment, once", async () => {
    await start(" Admin@Example.com ", login.password);
    await start("other@example.com", login.password);
    expect(accountsOfPeople(app.deps.control)).toMatchObject([
      {
        account: { tier: "free", complimentary: true },
        person: { email: "admin@example.com", isAdmin: true },
      },
    ]);
    const body = { email: "admin@example.com", password: login.password };
    expect((await app.send("POST", "/auth/login", { body })).status).toBe(200);
  });

  test("is refused with a reason when the environment makes no sense", async () => {
    await expect(start("admin@example.com", null)).rejects.toThrow("Set both");
    await expect(start(null, login.password)).rejects.toThrow("Set both");
    await expect(start("nobody", login.password)).rejects.toThrow("ADMIN_EMAIL");
    await expect(start("admin@example.com", "short")).rejects.toThrow("ADMIN_PASSWORD");
    await start(null, null);
    expect(app.deps.control.hasAccounts()).toBe(false);
  });

  test("with a key is both or nothing", async () => {
    const first = { ...login, tier: "pro" as const };
    const keys = await Promise.all([
      makeFirstAccountWithKey(app.deps.control, first),
      makeFirstAccountWithKey(app.deps.control, { ...first, email: "second@example.com" }),
    ]);
    expect(keys.filter((key) => key !== null)).toHaveLength(1);
    const key = keys.find((one) => one !== null) ?? "";
    expect((await app.send("GET", "/account", { key })).status).toBe(200);
  });
});
