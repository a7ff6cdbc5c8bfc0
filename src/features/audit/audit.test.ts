import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { parseCsv } from "../../../test/support/app/csv";
import { addMember } from "../../../test/support/app/members";
import { runDueJobs } from "../../jobs";
import { dayMs } from "../../lib/clock";
import { type AuditEntry, note } from "../../store/control/audit";
import { auditEntry } from "../../store/control/audit-tables";

let app: TestApp;
let accountId: string;
beforeAll(async () => {
  app = await testApp();
  accountId = String((await app.get("/account")).id);
});
afterAll(() => app.close());

const someone = { kind: "cookie", id: "usr_someone", email: "ann@example.com" } as const;
const write = (entry: Partial<AuditEntry> = {}): void =>
  app.deps.control.write(() =>
    note(app.deps.control, {
      ...{ accountId, actor: someone, action: "share_made" },
      ...{ target: { type: "share", id: "shr_1", name: "=HYPERLINK(1)" }, ...entry },
    }),
  );
const clear = (): void =>
  app.deps.control.write(() => {
    app.deps.control.db.delete(auditEntry).run();
  });
type Entries = readonly Json[];
const page = async (query = "", call: object = { key: app.key }) => {
  const answer = await app.send("GET", `/audit${query}`, call);
  const { entries = [], next_cursor, error } = (await answer.json()) as Json;
  return { status: answer.status, entries: entries as Entries, next: next_cursor, error };
};
const admin = () => ({ headers: { cookie: app.cookie, origin: "http://localhost:3000" } });

describe("the log of an account", () => {
  test("has each entry once, newest first, however it is cut into pages", async () => {
    clear();
    // Several share a moment, so that a page ends between them.
    for (let n = 0; n < 11; n++) {
      app.setTime(noonMs + Math.floor(n / 4));
      write({ details: { n } });
    }
    const { entries: whole, next: end } = await page();
    expect([whole.length, end]).toEqual([11, null]);
    const times = whole.map(({ at }) => String(at));
    expect(times).toEqual([...times].sort().reverse());
    for (const limit of [1, 3, 4, 10, 11, 12]) {
      const seen: Json[] = [];
      let cursor = "";
      for (let pages = 0; pages < 12; pages++) {
        const { entries, next } = await page(`?limit=${limit}${cursor}`);
        seen.push(...entries);
        if (next === null) break;
        cursor = `&cursor=${next}`;
      }
      expect([limit, seen]).toEqual([limit, [...whole]]);
    }
  });

  test("is filtered by action, person and dates", async () => {
    clear();
    app.setTime(noonMs - 8 * dayMs);
    write({ details: { n: "old" } });
    app.setTime(noonMs);
    write({ action: "share_revoked", details: { n: "revoked" } });
    write({ actor: { kind: "cli", id: null, email: null }, details: { n: "command" } });
    const found = async (query: string) =>
      (await page(query)).entries.map(({ details }) => (details as Json).n).sort();
    expect(await found("")).toEqual(["command", "revoked"]);
    expect(await found("?since=8d")).toEqual(["command", "old", "revoked"]);
    expect(await found("?since=8d&until=2d")).toEqual(["old"]);
    expect(await found("?action=share_revoked")).toEqual(["revoked"]);
    expect(await found("?actor=usr_someone&since=8d")).toEqual(["old", "revoked"]);
    expect(await found("?actor=ann@example.com")).toEqual(["revoked"]);
    expect(await found("?actor=nobody")).toEqual([]);
    expect((await page("?action=share_mad")).status).toBe(400);
  });

  test("refuses a cursor of another question", async () => {
    clear();
    write();
    write();
    const { next } = await page("?limit=1&action=share_made");
    expect((await page(`?limit=1&action=share_made&cursor=${next}`)).entries.length).toBe(1);
    expect((await page(`?limit=1&cursor=${next}`)).status).toBe(400);
    expect((await page("?cursor=x")).status).toBe(400);
  });

  test("leaves out what is not there, and shows who did what to what", async () => {
    clear();
    app.setTime(noonMs);
    write({ network: "192.0.2.0/24" });
    write({ actor: { kind: "server", id: null, email: null }, target: { type: "x", id: "y" } });
    const { entries } = await page();
    const shown = entries.map(({ id, ...entry }) => entry);
    expect(shown).toContainEqual({
      ...{ at: "2026-01-14T12:00:00.000Z", action: "share_made", details: {} },
      actor: { id: "usr_someone", email: "ann@example.com", kind: "cookie" },
      target: { type: "share", id: "shr_1", name: "=HYPERLINK(1)" },
      network: "192.0.2.0/24",
    });
    expect(shown).toContainEqual({
      ...{ at: "2026-01-14T12:00:00.000Z", action: "share_made", details: {} },
      ...{ actor: { kind: "server" }, target: { type: "x", id: "y" } },
    });
  });

  test("as CSV has the same entries, and no formula", async () => {
    clear();
    write({ network: "192.0.2.0/24" });
    write({ details: { role: "viewer" } });
    const answer = await app.send("GET", "/audit?format=csv&limit=1", { key: app.key });
    expect(answer.headers.get("content-disposition")).toContain('"audit.csv"');
    expect(answer.headers.get("x-next-cursor")).toMatch(/^[\w-]+$/);
    const csv = await (await app.send("GET", "/audit?format=csv", { key: app.key })).text();
    const [columns = [], ...rows] = parseCsv(csv);
    expect(columns).toEqual(["id", "at", "actor", "action", "target", "details", "network"]);
    const { entries } = await page();
    expect(rows.map(([id]) => id)).toEqual(entries.map(({ id }) => String(id)));
    expect(rows.map((row) => JSON.parse(row[4] ?? ""))).toEqual(
      entries.map(({ target }) => target),
    );
    const server = await app.send("GET", "/admin/audit?format=csv", admin());
    expect(server.headers.get("content-disposition")).toContain('"admin-audit.csv"');
  });
});

describe("a reader of the log", () => {
  test("is an administrator or the owner, by key or browser, and no agent", async () => {
    for (const role of ["viewer", "editor", "admin"] as const) {
      const { key, cookie } = await addMember(app, { role, people: true, projects: null });
      const expected = role === "admin" ? 200 : 403;
      expect([role, (await page("", key)).status]).toEqual([role, expected]);
      expect([role, (await page("", cookie)).status]).toEqual([role, expected]);
    }
    const { personId } = await addMember(app, { role: "admin", people: true, projects: null });
    const made = { accountId, personId, scopes: ["account:read"], clientType: "cli" } as const;
    const { accessToken } = app.deps.control.agents.addSession(made, noonMs);
    const agent = { headers: { authorization: `Bearer ${accessToken}` } };
    expect((await page("", agent)).status).toBe(403);
  });

  test("who sees some projects gets the entries about these, and about none", async () => {
    const [shop, blog] = [await app.makeProject("shop"), await app.makeProject("blog")];
    const limited = { role: "admin", people: true, projects: [shop.id] } as const;
    const { key } = await addMember(app, limited);
    clear();
    for (const project of [shop, blog]) {
      write({ projectId: project.id, details: { of: project.name } });
      const { id, name } = project;
      write({ target: { type: "project", id, name }, details: { of: name } });
    }
    write({ details: { of: "the account" } });
    const seen = async (call: object) =>
      new Set((await page("", call)).entries.map(({ details }) => (details as Json).of));
    expect(await seen({ key: app.key })).toEqual(new Set(["shop", "blog", "the account"]));
    expect(await seen(key)).toEqual(new Set(["shop", "the account"]));
  });

  test("of one account sees no entry of another or of the server, which its administrator sees", async () => {
    clear();
    write({ accountId: null, action: "account_made", target: { type: "account", id: "acc_x" } });
    expect((await page()).entries).toEqual([]);
    const answer = await app.send("GET", "/admin/audit", admin());
    expect(await answer.json()).toMatchObject({ entries: [{ action: "account_made" }] });
    const { cookie } = await addMember(app, { role: "admin", people: true, projects: null });
    expect((await app.send("GET", "/admin/audit", cookie)).status).toBe(403);
  });
});

test.each([
  [undefined, 400],
  ["30", 30],
  ["0", null],
])("with AUDIT_DAYS %p entries are kept for %p days", async (setting, days) => {
  const own = await testApp(setting === undefined ? {} : { AUDIT_DAYS: setting });
  const { control } = own.deps;
  const entries = () => control.db.select().from(auditEntry).all().length;
  await own.post("/account/revoke-key", {});
  expect(entries()).toBeGreaterThan(0);
  const run = async (afterMs: number) => {
    own.setTime(noonMs + afterMs);
    await runDueJobs(own.deps, new Map());
    return entries() > 0;
  };
  expect(await run((days ?? 5_000) * dayMs)).toBe(true);
  expect(await run((days ?? 5_000) * dayMs + 1)).toBe(days === null);
  await own.close();
});
