import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { ownerOf } from "../../../test/support/app/owner";
import { logIn, owner, type Person, password, signUp } from "../../../test/support/app/person";
import { purgeDeletedProjects } from "../../jobs";
import { dayMs } from "../../lib/clock";
import { usageRead } from "../../reads/usage";

let app: TestApp;
let ann: Person;
beforeEach(async () => {
  app = await testApp({ REGISTRATION: "open" });
  ann = await signUp(app, "ann@example.com");
});
afterEach(() => app.close());

const leave = (sent = password) => ann.ask("DELETE", "/account", { password: sent });
const makeProject = async (name: string) => {
  const [, made] = await ann.ask("POST", "/projects", { name, domain: `${name}.example.com` });
  return { id: String(made.id), name, token: String(made.project_token) };
};

describe("who deletes an account", () => {
  test("says its password", async () => {
    expect(await leave("a wrong horse battery")).toMatchObject([
      401,
      { error: "INVALID_CREDENTIALS" },
    ]);
    expect(await ann.ask("DELETE", "/account", {})).toMatchObject([
      400,
      { error: "MISSING_FIELDS", field: "password" },
    ]);
    expect((await ann.ask("GET", "/account"))[0]).toBe(200);
    expect(await leave()).toEqual([200, { ok: true }]);
  });

  test("has ten tries, as at log-in", async () => {
    for (let tries = 0; tries < 10; tries++) expect((await leave("wrong"))[0]).toBe(401);
    expect(await leave()).toMatchObject([429, { reason: "rate_limit" }]);
  });

  test("is logged out: the cookie goes with the answer", async () => {
    const headers = { cookie: ann.cookie, origin: "http://localhost:3000" };
    const answer = await app.send("DELETE", "/account", { headers, body: { password } });
    expect(answer.headers.get("set-cookie")).toStartWith("sl_session=; Max-Age=0");
  });

  test("is a person with a browser", async () => {
    const answer = await app.send("DELETE", "/account", { key: app.key, body: { password } });
    expect(answer.status).toBe(403);
  });
});

describe("a deleted account", () => {
  test("has no credential any more, and its address is free", async () => {
    const elsewhere = await logIn(app, ann.email);
    const [, { api_key: key }] = await ann.ask("POST", "/account/api-key");
    const session = app.deps.control.agents.addSession(
      { ...ownerOf(app.deps.control, ann.id), scopes: ["account:read"], clientType: "cli" },
      noonMs,
    );
    await leave();
    const headers = { authorization: `Bearer ${session.accessToken}` };
    expect((await app.send("GET", "/account", { headers })).status).toBe(401);
    expect((await app.send("GET", "/account", { key: String(key) })).status).toBe(401);
    for (const browser of [ann, elsewhere]) {
      expect((await browser.ask("GET", "/account"))[0]).toBe(401);
    }
    await expect(logIn(app, ann.email)).rejects.toThrow("401");
    const next = await signUp(app, ann.email);
    expect(next.id).not.toBe(ann.id);
    expect((await next.ask("GET", "/projects"))[1]).toMatchObject({ projects: [] });
  });

  test("has projects no more: their tokens stop, and nobody can read them", async () => {
    const shop = await makeProject("shop");
    await app.track(shop, { event: "visit" });
    await leave();
    const sent = { token: shop.token, event: "visit" };
    expect((await app.send("POST", "/track", { body: sent })).status).toBe(401);
    const admin = await owner(app);
    expect((await admin.ask("GET", `/projects/${shop.id}`))[0]).toBe(404);
  });

  test("has left nothing behind after 30 days, and everything until then", async () => {
    const shop = await makeProject("shop");
    const gone = await makeProject("gone");
    await app.track(shop, { event: "visit" });
    await ann.ask("PUT", "/project-context", { project: "shop", goals: ["Grow"] });
    await ann.ask("PUT", "/portfolio-context", { goals: ["Grow"] });
    await ann.ask("POST", "/account/feedback", { message: "Good bye" });
    await ann.ask("DELETE", `/projects/${gone.id}`);
    app.setTime(noonMs + dayMs);
    await leave();
    const { $client } = app.deps.control.db as unknown as {
      $client: { query(sql: string): { all(): readonly { readonly name: string }[] } };
    };
    const tables = $client.query("select name from sqlite_schema where type = 'table'").all();
    const traces = () =>
      tables.filter(({ name }) =>
        [ann.id, shop.id, gone.id, ann.email].some((trace) =>
          JSON.stringify($client.query(`select * from ${name}`).all()).includes(trace),
        ),
      );
    const events = async () => {
      const { signal } = new AbortController();
      const request = { accountId: "", signal, arrivedAtMs: noonMs + dayMs };
      const asked = { projectIds: [shop.id], fromDate: "2026-01-01", toDate: "2026-12-31" };
      const { json } = await app.deps.store.read(usageRead, asked, request);
      return JSON.parse(json)[shop.id];
    };
    const after = noonMs + 31 * dayMs;
    await purgeDeletedProjects(app.deps, after);
    expect(traces().map(({ name }) => name)).toContain("account");
    expect(await events()).toMatchObject({ total_events: 1 });
    await purgeDeletedProjects(app.deps, after + 1);
    // The log of the server has that the account was there, without the address.
    expect(traces().map(({ name }) => name)).toEqual(["audit_entry"]);
    const told = JSON.stringify($client.query("select * from audit_entry").all());
    expect([told.includes(ann.email), told.includes(shop.id)]).toEqual([false, false]);
    expect(await events()).toMatchObject({ total_events: 0 });
  });
});
