import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { isAtLeast, type Role, roles, type Standing, seesPeople } from "../../src/domain/role";
import { type AccessRule, hasAccount } from "../../src/http/operation/facts";
import { minuteMs } from "../../src/lib/clock";
import { member } from "../../src/store/control/member-tables";
import { noonMs, type TestApp, testApp } from "../support/app/app";
import { answerTo, possessionsOf, type Row, rowsOf, takesProject } from "../support/app/matrix";
import { addMember, type TestMember } from "../support/app/members";
import { takesQuery } from "../support/app/operations";

/** Every operation of an account for every kind of member: role × people × reach. */
let app: TestApp;
let rows: readonly Row[];
let owned: Readonly<Record<string, string>>;
let members: readonly (TestMember & { readonly standing: Standing })[];

beforeAll(async () => {
  app = await testApp();
  owned = await possessionsOf(app);
  const other = (await app.makeProject("other")).id;
  rows = rowsOf(app).filter(({ isMounted, access }) => isMounted && hasAccount(access));
  const standings = roles
    .filter((role) => role !== "owner")
    .flatMap((role) =>
      [true, false].flatMap((people) =>
        [null, [other]].map((projects): Standing => ({ role, people, projects })),
      ),
    );
  members = await Promise.all(
    standings.map(async (standing) => ({ ...(await addMember(app, standing)), standing })),
  );
});
afterAll(() => app.close());

/** The operations that need more than a viewer's rights, by hand: a new one that does must be added here. */
const demanding: readonly (readonly [string, readonly string[]])[] = [
  [
    "viewer, people",
    [
      "GET /events, POST /events, POST /events/lookup, GET /journey, POST /journey, POST /journey/lookup",
      "GET /sessions, GET /stream, GET /live/ws, GET /export",
      "GET /replays, GET /replays/{id}, GET /replays/{id}/timeline, POST /replays/{id}/open",
    ],
  ],
  [
    "editor",
    [
      "PATCH /projects/{id}, POST /projects/{id}/test-event, PUT /project-context",
      "POST /project-context/annotations, PATCH /project-context/annotations/{id}",
      "DELETE /project-context/annotations/{id}, POST /identities/unlink, PUT /trust",
      "POST /experiments, PATCH /experiments/{id}, DELETE /experiments/{id}",
      "POST /goals, PATCH /goals/{id}, DELETE /goals/{id}",
      "GET /shares, POST /shares, DELETE /shares/{id}",
      "GET /projects/{id}/exclusions, PUT /projects/{id}/exclusions",
    ],
  ],
  [
    "editor, people",
    [
      "PUT /replays/settings, POST /replays/enable, POST /replays/disable",
      "DELETE /replays, DELETE /replays/{id}",
    ],
  ],
  ["editor, whole account", ["POST /projects, PUT /portfolio-context"]],
  [
    "admin",
    [
      "DELETE /projects/{id}, POST /projects/{id}/sources, DELETE /projects/{id}/sources/{source}",
      "POST /portfolios, PATCH /portfolios/{idOrSlug}, DELETE /portfolios/{idOrSlug}",
      "POST /imports, PUT /imports/{id}/data, POST /imports/{id}/check, POST /imports/{id}/commit",
      "GET /audit, DELETE /imports/{id}, GET /webhooks, POST /webhooks, PATCH /webhooks/{id}, DELETE /webhooks/{id}",
      "POST /webhooks/{id}/rotate, POST /webhooks/{id}/test, GET /webhooks/{id}/deliveries",
      "POST /webhooks/{id}/deliveries/{delivery}/again",
      "POST /members/invitations, DELETE /members/invitations/{id}, PATCH /members/{id}",
      "POST /people/export, POST /people/erase, GET /people/erasures, GET /people/erasures/{id}",
    ],
  ],
  [
    "owner",
    [
      "PATCH /account, POST /account/transfer, DELETE /account, GET /billing, POST /billing/checkout",
    ],
  ],
  ["editor", ["POST /alerts, PATCH /alerts/{id}, DELETE /alerts/{id}, POST /alerts/{id}/test"]],
];

const wordsOf = ({ role, people, isWhole }: AccessRule): string =>
  [role, ...(people ? ["people"] : []), ...(isWhole ? ["whole account"] : [])].join(", ");

test("the operations that need more than a viewer's rights are these", () => {
  const byHand = demanding.flatMap(([words, names]) =>
    names.flatMap((line) => line.split(", ")).map((name): [string, string] => [name, words]),
  );
  const ours = rows
    .map((row): [string, string] => [row.name, wordsOf(row)])
    .filter(([, words]) => words !== "viewer");
  expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(byHand));
});

function refusalOf({ access, role, people, isWhole }: Row, standing: Standing): string | null {
  if (access === "program") return "401 AUTH_REQUIRED";
  if (access === "admin") return "403 FORBIDDEN";
  if (!isAtLeast(standing.role, role)) return `403 FORBIDDEN ${role}`;
  if (people && !seesPeople(standing)) return "403 FORBIDDEN people";
  return isWhole && standing.projects !== null ? "403 FORBIDDEN" : null;
}

/** The operations that ask a browser for a fresh sign-in, by hand: a new one that does must be added here. */
const confirmed: Readonly<Record<string, string>> = {
  "POST /account/transfer": "always",
  "POST /webhooks/{id}/rotate": "always",
  "POST /admin/accounts/{id}/two-factor/off": "always",
  "POST /auth/identities/unlink": "always",
  "POST /account/api-key": "with_factor",
  "POST /account/revoke-key": "with_factor",
  "POST /agent-sessions/authorize/{id}/approve": "with_factor",
};

/** The operations that serve to turn a second factor on, where the account requires one. */
const beforeFactor: readonly string[] = [
  "GET /auth/two-factor",
  "POST /auth/confirm",
  "POST /auth/two-factor/enable",
  "POST /auth/two-factor/setup",
];

test("who lacks the second factor that an account requires may call these alone", () => {
  const ours = rows.filter((row) => row.isBeforeFactor).map(({ name }): string => name);
  expect(ours.sort()).toEqual([...beforeFactor]);
});

test("the operations that need a fresh sign-in are these", () => {
  const ours = rows
    .filter(({ fresh }) => fresh !== "never")
    .map(({ name, fresh }) => [name, fresh]);
  expect(Object.fromEntries(ours)).toEqual(confirmed);
});

const isGate = /^(401|403 (FORBIDDEN|DEMO_READ_ONLY))/;
const noJson = ({ method }: Row) => (method === "GET" ? {} : { body: "{" });

describe("a member", () => {
  test("may do what the operation says, for each role, reach and view of visitors", async () => {
    const wrong: string[] = [];
    for (const [at, row] of rows.entries()) {
      app.setTime(noonMs + (at % 30) * minuteMs);
      for (const { standing, cookie } of members) {
        // The gates come before the project, so that nothing has to be named.
        const path = row.path.replace(/\{\w+\}/g, "nothing");
        const got = await answerTo(app, row, path, { ...cookie, ...noJson(row) });
        const page = row.method === "GET" && row.path.startsWith("/agent-sessions/authorize");
        const expected = page ? null : refusalOf(row, standing);
        const isAsSaid = expected === null ? !isGate.test(got) : got === expected;
        const who = JSON.stringify(standing);
        if (!isAsSaid) wrong.push(`${row.name} for ${who}: ${got}, not ${expected ?? "in"}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("meets a project out of reach as one of another account", async () => {
    const limited = members.find(
      ({ standing }) => standing.role === "admin" && standing.projects !== null,
    );
    const seen: string[] = [];
    for (const [at, row] of rows.entries()) {
      const { access, method, name, path, isWhole } = row;
      if (access === "cookie" || access === "admin" || isWhole) continue;
      app.setTime(noonMs + (at % 30) * minuteMs);
      const prefix = Object.keys(owned).find((one) => path.startsWith(`${one}/{`));
      const project = String(owned["/projects"]);
      const body = method === "GET" ? {} : { body: prefix === undefined ? { project } : {} };
      if (prefix === undefined && !takesProject(app, row)) continue;
      const isQuery = prefix === undefined && takesQuery(name);
      const named = path.replace(/\{\w+\}/, owned[prefix ?? ""] ?? "");
      const call = { ...limited?.key, ...(isQuery ? {} : body) };
      const got = await answerTo(app, row, isQuery ? `${named}?project=${project}` : named, call);
      expect([name, got]).toEqual([name, prefix === undefined ? "404 NOT_FOUND" : "403 FORBIDDEN"]);
      seen.push(name);
    }
    expect(seen.length).toBeGreaterThan(40);
    for (const name of ["GET /stats", "DELETE /projects/{id}", "DELETE /portfolios/{idOrSlug}"]) {
      expect(seen).toContain(name);
    }
  });

  const limitedTo = async (role: Role) => {
    const { id } = await app.makeProject(`for-${role}`);
    const { key } = await addMember(app, { role, people: true, projects: [id] });
    return { id, get: async (path: string) => (await app.send("GET", path, key)).json() };
  };

  test("sees only projects within reach in what is about the whole account", async () => {
    const { id, get } = await limitedTo("viewer");
    const names = [{ id, name: "for-viewer" }];
    expect(await get("/projects")).toMatchObject({ projects: names });
    expect(await get("/portfolios")).toEqual({ portfolios: [] });
    expect(await get("/account/all-sites")).toMatchObject({ summary: { total_projects: 1 } });
    expect(await get("/account")).toMatchObject({
      ...{ role: "viewer", people: true, projects: [id], projects_count: 1 },
    });
  });
});

describe("who may not see single visitors", () => {
  const blind = { role: "editor", people: false, projects: null } as const;
  const ask = async (method: string, path: string, body?: unknown) => {
    const { key } = await addMember(app, blind);
    const answer = await app.send(method, path, {
      ...key,
      ...(body === undefined ? {} : { body }),
    });
    const { error, required } = (await answer.json()) as Record<string, unknown>;
    return [answer.status, error, required].filter((part) => part !== undefined).join(" ");
  };
  const refused = "403 FORBIDDEN people";

  test.each(["user_id", "session_id"])("neither groups nor filters by %s", async (field) => {
    const project = owned["/projects"];
    const filters = [{ field, op: "eq", value: "u" }];
    expect(await ask("POST", "/query", { project, group_by: [field] })).toBe(refused);
    expect(await ask("POST", "/query", { project, filters })).toBe(refused);
    const query = `project=${project}&filters=${encodeURIComponent(JSON.stringify(filters))}`;
    expect(await ask("GET", `/stats?${query}`)).toBe(refused);
    expect(await ask("POST", "/query", { project, group_by: ["event"] })).toBe("200");
  });

  test("makes no share that shows them, and is told of none", async () => {
    const project = owned["/projects"];
    const filters = [{ field: "user_id", op: "eq", value: "u" }];
    expect(await ask("POST", "/shares", { project, name: "a", pages: ["events"] })).toBe(refused);
    expect(await ask("POST", "/shares", { project, name: "a", filters })).toBe(refused);
    expect(await ask("POST", "/shares", { project, name: "numbers" })).toBe("201");
    await app.post("/shares", { project, name: "visitors", pages: ["events"] });
    const { key } = await addMember(app, blind);
    const list = await (await app.send("GET", `/shares?project=${project}`, key)).json();
    expect(JSON.stringify(list)).toContain("numbers");
    expect(JSON.stringify(list)).not.toContain("visitors");
  });

  test("sees the numbers of GET /live without its events", async () => {
    const project = await app.makeProject("live");
    await app.track(project, { event: "pay", user_id: "u", session_id: "s" });
    const { key } = await addMember(app, blind);
    const live = async (call: object) => (await app.send("GET", "/live?project=live", call)).json();
    expect(await live(key)).toMatchObject({ active_visitors: 1, recent_events: [] });
    expect(await live({ key: app.key })).toMatchObject({ recent_events: [{ event: "pay" }] });
  });
});

describe("the acting account", () => {
  const account = async (call: object) => {
    const answer = await app.send("GET", "/account", call);
    const { id, error, memberships } = (await answer.json()) as Record<string, unknown>;
    return { status: answer.status, id, error, memberships };
  };
  const signedUp = { email: "two@example.com", password: "correct horse battery" };

  test("is the person's own, or the one that the request names", async () => {
    const { cookie, accountId, email, personId } = await addMember(app, {
      ...{ role: "viewer", people: false, projects: null },
    });
    const { control } = app.deps;
    const own = await app.send("POST", "/admin/accounts", {
      ...{ headers: { cookie: app.cookie, origin: "http://localhost:3000" }, body: signedUp },
    });
    const { id: ownId } = (await own.json()) as { id: string };
    expect(await account(cookie)).toMatchObject({ id: accountId });
    // The other account's owner makes way for this person.
    control.db.update(member).set({ personId }).where(eq(member.accountId, ownId)).run();
    const acting = (id: string) => account({ headers: { ...cookie.headers, "x-account": id } });
    expect(await account(cookie)).toMatchObject({ id: ownId });
    expect(await acting(accountId)).toMatchObject({ status: 200, id: accountId });
    expect((await acting(accountId)).memberships).toMatchObject([
      { id: ownId, name: email, role: "owner" },
      { id: accountId, name: "owner@example.com", role: "viewer" },
    ]);
    expect(await acting("acc_nothing")).toMatchObject({ status: 403, error: "FORBIDDEN" });
  });

  test("of a key is its own, whatever the request names", async () => {
    const { key, accountId } = await addMember(app, {
      ...{ role: "viewer", people: false, projects: null },
    });
    const named = (id: string) => account({ headers: { ...key.headers, "x-account": id } });
    expect(await named(accountId)).toMatchObject({ status: 200 });
    expect(await named("acc_nothing")).toMatchObject({ status: 403, error: "FORBIDDEN" });
  });
});
