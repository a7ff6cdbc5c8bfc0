import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { ownerOf } from "../../../test/support/app/owner";
import { logIn, owner, type Person, password, signUp } from "../../../test/support/app/person";
import { dayMs } from "../../lib/clock";
import { addSession, cookieSessionsMax } from "../../store/control/people";

let app: TestApp;
let admin: Person;
beforeEach(async () => {
  app = await testApp({ REGISTRATION: "open" });
  admin = await owner(app);
});
afterEach(() => app.close());

const sessionsOf = async (person: Person) => {
  const [, { sessions }] = await person.ask("GET", "/account/browser-sessions");
  return sessions as readonly Json[];
};
const end = (person: Person, id: unknown) =>
  person.ask("DELETE", `/account/browser-sessions/${id}`);

describe("browsers that are logged in", () => {
  test("are listed with what a person knows them by, the one seen last first", async () => {
    app.setTime(noonMs + 1_000);
    await logIn(app, admin.email);
    expect(await sessionsOf(admin)).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        label: "Firefox on Linux",
        network: expect.stringMatching(/^198\.51\.\d+\.0\/24$/),
        is_current: false,
        created_at: "2026-01-14T12:00:01.000Z",
        last_seen_at: "2026-01-14T12:00:01.000Z",
      },
      {
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        label: "Firefox on Linux",
        network: "127.0.0.0/24",
        is_current: true,
        created_at: "2026-01-14T12:00:00.000Z",
        last_seen_at: "2026-01-14T12:00:00.000Z",
      },
    ]);
  });

  test("are seen to the day, and no more once they expired", async () => {
    const elsewhere = await logIn(app, admin.email);
    app.setTime(noonMs + 29 * dayMs);
    await elsewhere.ask("GET", "/account");
    app.setTime(noonMs + 30 * dayMs);
    expect(await sessionsOf(elsewhere)).toMatchObject([
      { created_at: "2026-01-14T12:00:00.000Z", last_seen_at: "2026-02-12T12:00:00.000Z" },
    ]);
  });

  test("can be logged out from another, and by nobody else", async () => {
    const elsewhere = await logIn(app, admin.email);
    const ann = await signUp(app, "ann@example.com");
    const [other] = (await sessionsOf(admin)).filter(({ is_current }) => is_current === false);
    expect(await end(ann, other?.id)).toMatchObject([404, { error: "NOT_FOUND" }]);
    expect(await end(admin, other?.id)).toEqual([200, { ok: true, deleted: other?.id }]);
    expect((await elsewhere.ask("GET", "/account"))[0]).toBe(401);
    expect((await end(admin, other?.id))[0]).toBe(404);
    expect((await end(admin, ""))[0]).toBe(404);
    expect(await sessionsOf(admin)).toHaveLength(1);
  });

  test("may log themselves out", async () => {
    const [self] = await sessionsOf(admin);
    expect((await end(admin, self?.id))[0]).toBe(200);
    expect((await admin.ask("GET", "/account"))[0]).toBe(401);
  });

  test(`are ${cookieSessionsMax} at most: the one not seen for the longest is logged out`, async () => {
    const { control } = app.deps;
    app.setTime(noonMs + 1);
    for (let more = 1; more < cookieSessionsMax; more++)
      addSession(control, ownerOf(control, admin.id).personId, `secret ${more}`, {
        label: null,
        network: null,
      });
    expect(await sessionsOf(admin)).toHaveLength(cookieSessionsMax);
    const newest = await logIn(app, admin.email);
    expect((await admin.ask("GET", "/account"))[0]).toBe(401);
    expect(await sessionsOf(newest)).toHaveLength(cookieSessionsMax);
  });

  test("are for a person: neither key nor agent sees them", async () => {
    expect((await app.send("GET", "/account/browser-sessions", { key: app.key })).status).toBe(403);
  });

  test("leave their label and network, not their agent or address, in the database", async () => {
    const { $client } = app.deps.control.db as unknown as {
      $client: { query(sql: string): { all(): readonly Json[] } };
    };
    const [row] = $client.query("select * from cookie_session").all();
    expect(Object.values(row ?? {})).toContain("Firefox on Linux");
    expect(JSON.stringify(row)).not.toContain("Gecko");
    const from = "2001:db8:7:1234::99";
    const body = { email: admin.email, password };
    await app.send("POST", "/auth/login", { body, from });
    const rows = JSON.stringify($client.query("select * from cookie_session").all());
    expect(rows).toContain("2001:db8:7::/48");
    expect(rows).not.toContain(":1234");
    expect(app.logged.join()).not.toContain("2001:db8");
    expect(app.logged.join()).not.toContain("Firefox");
  });
});
