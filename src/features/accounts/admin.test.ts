import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { ownerOf } from "../../../test/support/app/owner";
import { logIn, owner, type Person, password, signUp } from "../../../test/support/app/person";
import { usualCost } from "../../services/passwords";
import { changeAccount } from "../../store/control/accounts";
import { account } from "../../store/control/tables";

let app: TestApp;
let admin: Person;
beforeEach(async () => {
  app = await testApp({ REGISTRATION: "open" });
  admin = await owner(app);
});
afterEach(() => app.close());

const login = { email: "ann@example.com", password };
const create = (sent: Json = {}) => admin.ask("POST", "/admin/accounts", { ...login, ...sent });
const change = (id: string, sent: Json) => admin.ask("PATCH", `/admin/accounts/${id}`, sent);
const emails = async () => {
  const [, { accounts }] = await admin.ask("GET", "/admin/accounts");
  return (accounts as readonly Json[]).map(({ email }) => email);
};
const refusal = ([status, { error, field }]: readonly [number, Json]) =>
  [status, error, field].filter((part) => part !== undefined);
const missing = (field: string) => [400, "MISSING_FIELDS", field];

/** An administrator sees the account, and nothing of who asks about it as its owner. */
const withoutPerson = (seen: Json) => {
  const { name, role, people, projects, two_factor, user, memberships, ...account } = seen;
  return account;
};

describe("an administrator", () => {
  test("sees all accounts as their owners do, oldest first", async () => {
    app.setTime(noonMs + 1);
    const ann = await signUp(app, "ann@example.com");
    for (const name of ["shop", "blog", "gone"]) {
      await ann.ask("POST", "/projects", { name, domain: `${name}.example.com` });
    }
    await ann.ask("DELETE", "/projects/gone");
    const [status, { accounts }] = await admin.ask("GET", "/admin/accounts");
    const asOwners = [
      (await admin.ask("GET", "/account"))[1],
      (await ann.ask("GET", "/account"))[1],
    ];
    expect([status, accounts]).toEqual([200, asOwners.map(withoutPerson)]);
    expect(asOwners.map(({ projects_count }) => projects_count)).toEqual([0, 2]);
  });

  test("is one who is logged in; a key or another person is refused", async () => {
    const ann = await signUp(app, "ann@example.com");
    expect(refusal(await ann.ask("GET", "/admin/accounts"))).toEqual([403, "FORBIDDEN"]);
    const byKey = await app.send("GET", "/admin/accounts", { key: app.key });
    expect(byKey.status).toBe(403);
    await change(ann.id, { is_admin: true });
    expect((await ann.ask("GET", "/admin/accounts"))[0]).toBe(200);
    await change(ann.id, { is_admin: false });
    expect((await ann.ask("GET", "/admin/accounts"))[0]).toBe(403);
  });
});

describe("an account that an administrator makes", () => {
  test("is an ordinary one unless it is said otherwise, and its owner can log in", async () => {
    const [status, made] = await create({ email: " Ann@Example.com " });
    expect([status, made]).toMatchObject([
      201,
      { email: "ann@example.com", tier: "pro", complimentary: false, is_admin: false },
    ]);
    expect((await logIn(app, "ann@example.com")).id).toBe(String(made.id));
    expect(await create({ email: "b@example.com", tier: "free" })).toMatchObject([
      201,
      { tier: "free", tier_limits: { max_projects: 2 } },
    ]);
    const rights = { tier: "free", complimentary: true, is_admin: true };
    expect(await create({ email: "c@example.com", ...rights })).toMatchObject([
      201,
      { tier: "pro", complimentary: true, is_admin: true },
    ]);
  });

  test("has the configured tier by default", async () => {
    await app.close();
    app = await testApp({ DEFAULT_TIER: "free" });
    admin = await owner(app);
    expect(await create()).toMatchObject([201, { tier: "free" }]);
  });

  test("needs an address of its own and a password, and known rights", async () => {
    expect((await create())[0]).toBe(201);
    expect(refusal(await create({ email: "ANN@example.com" }))).toEqual([409, "ACCOUNT_EXISTS"]);
    expect(refusal(await create({ email: "nobody" }))).toEqual(missing("email"));
    expect(refusal(await create({ email: null }))).toEqual(missing("email"));
    expect(refusal(await create({ email: 1 }))).toEqual([400, "INVALID_BODY", "email"]);
    expect(refusal(await create({ tier: "gold" }))).toEqual(missing("tier"));
    expect(refusal(await create({ is_admin: "yes" }))).toEqual([400, "INVALID_BODY", "is_admin"]);
    expect(refusal(await create({ complimentary: 1 }))).toEqual([
      400,
      "INVALID_BODY",
      "complimentary",
    ]);
    const withPassword = (chars: number) =>
      create({ email: `p${chars}@example.com`, password: "x".repeat(chars) });
    expect(refusal(await withPassword(9))).toEqual(missing("password"));
    expect((await withPassword(10))[0]).toBe(201);
    expect((await withPassword(200))[0]).toBe(201);
    expect(refusal(await withPassword(201))).toEqual(missing("password"));
  });
});

describe("an account that an administrator changes", () => {
  test("has the new plan at once, and only what was named is changed", async () => {
    const ann = await signUp(app, "ann@example.com");
    const [, before] = await ann.ask("GET", "/account");
    expect(await change(ann.id, {})).toEqual([200, withoutPerson(before)]);
    expect(await change(ann.id, { tier: "free", complimentary: null })).toMatchObject([
      200,
      { tier: "free", tier_limits: { retention_days: 90 }, email: "ann@example.com" },
    ]);
    expect((await ann.ask("GET", "/account"))[1].tier).toBe("free");
    expect(refusal(await ann.ask("GET", "/retention?project=x"))).toEqual([403, "PRO_REQUIRED"]);
    expect(await change(ann.id, { complimentary: true })).toMatchObject([200, { tier: "pro" }]);
    expect((await ann.ask("GET", "/retention?project=x"))[0]).toBe(404);
  });

  test("notes when it lost the rights of Pro, and forgets it when they are back", async () => {
    const ann = await signUp(app, "ann@example.com");
    const lostAt = () =>
      app.deps.control.db
        .select({ lostProAtMs: account.lostProAtMs })
        .from(account)
        .where(eq(account.id, ann.id))
        .get()?.lostProAtMs;
    await change(ann.id, { complimentary: true });
    await change(ann.id, { tier: "free" });
    expect(lostAt()).toBeNull();
    await change(ann.id, { complimentary: false });
    expect(lostAt()).toBe(noonMs);
    await change(ann.id, { email: "anna@example.com" });
    expect(lostAt()).toBe(noonMs);
    await change(ann.id, { tier: "pro" });
    expect(lostAt()).toBeNull();
  });

  test("can get another address, if it is nobody's", async () => {
    const ann = await signUp(app, "ann@example.com");
    await signUp(app, "bob@example.com");
    expect(refusal(await change(ann.id, { email: "Bob@example.com", tier: "free" }))).toEqual([
      409,
      "ACCOUNT_EXISTS",
    ]);
    expect((await ann.ask("GET", "/account"))[1]).toMatchObject({ tier: "pro" });
    expect(await change(ann.id, { email: "anna@example.com" })).toMatchObject([
      200,
      { email: "anna@example.com" },
    ]);
    expect((await logIn(app, "anna@example.com")).id).toBe(ann.id);
    await expect(logIn(app, "ann@example.com")).rejects.toThrow("401");
    expect(refusal(await change(ann.id, { email: "x" }))).toEqual(missing("email"));
  });

  test("with a new password is logged out everywhere; its key and the old one's end differ", async () => {
    const ann = await signUp(app, "ann@example.com");
    const [, { api_key: key }] = await ann.ask("POST", "/account/api-key");
    const session = app.deps.control.agents.addSession(
      { ...ownerOf(app.deps.control, ann.id), scopes: ["account:read"], clientType: "cli" },
      noonMs,
    );
    const changed = "another horse battery";
    expect((await change(ann.id, { password: changed }))[0]).toBe(200);
    expect((await ann.ask("GET", "/account"))[0]).toBe(401);
    await expect(logIn(app, "ann@example.com")).rejects.toThrow("401");
    expect((await logIn(app, "ann@example.com", changed)).id).toBe(ann.id);
    expect((await app.send("GET", "/account", { key: String(key) })).status).toBe(200);
    const headers = { authorization: `Bearer ${session.accessToken}` };
    expect((await app.send("GET", "/account", { headers })).status).toBe(200);
    expect(refusal(await change(ann.id, { password: "short" }))).toEqual(missing("password"));
  });

  test("gets another password while the old one is looked at, which then lets nobody in", async () => {
    await app.close();
    // Hashing takes its time here, in which the password changes.
    app = await testApp({ REGISTRATION: "open" }, undefined, usualCost);
    admin = await owner(app);
    const ann = await signUp(app, "ann@example.com");
    const passwordHash = await app.deps.passwords.hash("another horse battery");
    const change = { current_password: password, new_password: "a third battery" };
    const attempts = [
      logIn(app, "ann@example.com"),
      ann.ask("POST", "/auth/password", change),
      ann.ask("DELETE", "/account", { password }),
    ];
    // Their hashing has begun, or waits for its turn.
    await Bun.sleep(5);
    changeAccount(app.deps.control, ann.id, { passwordHash }, null);
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes).toMatchObject([
      { status: "rejected", reason: { message: "Nobody was let in: 401." } },
      { value: [401, { error: "INVALID_CREDENTIALS" }] },
      { value: [401, { error: "INVALID_CREDENTIALS" }] },
    ]);
    expect((await logIn(app, "ann@example.com", "another horse battery")).id).toBe(ann.id);
  });

  test("with a new password of one's own keeps this browser logged in", async () => {
    const elsewhere = await logIn(app, admin.email);
    await change(admin.id, { password: "another horse battery" });
    expect((await admin.ask("GET", "/account"))[0]).toBe(200);
    expect((await elsewhere.ask("GET", "/account"))[0]).toBe(401);
  });

  test("has to exist", async () => {
    for (const id of ["acc_unknown", "%00", "x".repeat(300)]) {
      expect(refusal(await change(id, { tier: "free" }))).toEqual([404, "NOT_FOUND"]);
      expect(refusal(await admin.ask("DELETE", `/admin/accounts/${id}`))).toEqual([
        404,
        "NOT_FOUND",
      ]);
    }
  });
});

describe("the last administrator", () => {
  test("stays one, and stays", async () => {
    const forbidden = [403, "FORBIDDEN"];
    expect(refusal(await change(admin.id, { is_admin: false, tier: "free" }))).toEqual(forbidden);
    expect(refusal(await admin.ask("DELETE", `/admin/accounts/${admin.id}`))).toEqual(forbidden);
    expect(refusal(await admin.ask("DELETE", "/account", { password }))).toEqual(forbidden);
    const ann = await signUp(app, "ann@example.com");
    await change(ann.id, { is_admin: true });
    expect((await change(admin.id, { is_admin: false }))[0]).toBe(200);
    expect(refusal(await ann.ask("DELETE", "/account", { password }))).toEqual(forbidden);
    expect((await admin.ask("DELETE", "/account", { password }))[0]).toBe(200);
  });

  test("is whoever is left when two remove each other at once", async () => {
    const ann = await signUp(app, "ann@example.com");
    await change(ann.id, { is_admin: true });
    const answers = await Promise.all([
      ann.ask("DELETE", `/admin/accounts/${admin.id}`),
      admin.ask("DELETE", `/admin/accounts/${ann.id}`),
    ]);
    expect(answers.map(([status]) => status).sort()).toEqual([200, 401]);
  });
});

test("an administrator deletes an account without its password", async () => {
  const ann = await signUp(app, "ann@example.com");
  expect(await admin.ask("DELETE", `/admin/accounts/${ann.id}`)).toEqual([
    200,
    { ok: true, deleted: ann.id },
  ]);
  expect(await emails()).toEqual([admin.email]);
  expect((await ann.ask("GET", "/account"))[0]).toBe(401);
  expect(refusal(await change(ann.id, { tier: "free" }))).toEqual([404, "NOT_FOUND"]);
});
