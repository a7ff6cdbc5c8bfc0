import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../../../../test/support/app/app";
import { addMember } from "../../../../test/support/app/members";
import { ownerOf } from "../../../../test/support/app/owner";
import type { GrantedRole } from "../../../domain/role";
import { hourMs, minuteMs } from "../../../lib/clock";
import { auditEntry } from "../../../store/control/audit-tables";
import {
  invitationMs,
  invitationsPerHourMax,
  membersMax,
  openInvitationsMax,
} from "../../../store/control/invitations";

let app: TestApp;
let nowMs = noonMs;
const origin = "http://localhost:3000";
const password = "correct horse battery";
/** Later than every limit of the tests before. */
const later = (ms = 2 * hourMs): void => {
  nowMs += ms;
  app.setTime(nowMs);
};

beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());
beforeEach(() => later());

const owner = () => ({ headers: { cookie: app.cookie, origin } });
async function ask(method: string, path: string, body?: unknown, call: object = owner()) {
  const answer = await app.send(method, path, { ...call, ...(body === undefined ? {} : { body }) });
  const json = (await answer.json()) as Json;
  return { status: answer.status, cookie: answer.headers.get("set-cookie"), ...json } as Json & {
    readonly status: number;
    readonly cookie: string | null;
  };
}
const codeOf = ({ status, error, required }: Json): string =>
  [status, error, required].filter((part) => part !== undefined).join(" ");

let addresses = 0;
const newAddress = () => `invited${++addresses}@example.com`;
const tokenOf = ({ url }: Json): string => String(url).split("#")[1] ?? "";
const invited = async (body: Json) => {
  const made = await ask("POST", "/members/invitations", body);
  expect(made.status).toBe(201);
  return { ...made, id: String(made.id), token: tokenOf(made) };
};
const accept = (token: string, more: Json = { password }, call: object = {}) =>
  ask("POST", "/auth/invitation/accept", { token, ...more }, call);
const openOnes = async () => (await ask("GET", "/members")).invitations as Json[];
const member = (role: GrantedRole) => addMember(app, { role, people: false, projects: null });

describe("an invitation", () => {
  test("makes a log-in and a member of who has none, once", async () => {
    const email = newAddress();
    const made = await invited({ email: ` ${email.toUpperCase()} `, role: "editor" });
    expect(made).toMatchObject({
      ...{ email, role: "editor", people: true, projects: null, mail: "none", mailed: false },
      ...{
        invited_by: "owner@example.com",
        url: expect.stringMatching(/\/invite#ivt_[0-9a-f]{48}$/),
      },
    });
    expect(await ask("POST", "/auth/invitation", { token: made.token }, {})).toMatchObject({
      ...{ email, role: "editor", invited_by: "owner@example.com", has_login: false },
      account: { name: "owner@example.com" },
    });
    const joined = await accept(made.token);
    expect(joined).toMatchObject({ status: 200, account: { role: "editor", email } });
    const cookie = { headers: { cookie: String(joined.cookie).split(";")[0], origin } };
    expect(await ask("GET", "/account", undefined, cookie)).toMatchObject({ role: "editor" });
    expect(await ask("POST", "/auth/login", { email, password }, {})).toMatchObject({
      status: 200,
    });
    expect(codeOf(await accept(made.token))).toBe("410 INVITATION_OVER");
    expect(await openOnes()).toEqual([]);
  });

  test("is good only for the log-in of its address, where there is one", async () => {
    const other = await member("viewer");
    const outsider = { email: newAddress(), password };
    await ask("POST", "/admin/accounts", outsider);
    const { token } = await invited({ email: outsider.email });
    expect(await ask("POST", "/auth/invitation", { token }, {})).toMatchObject({ has_login: true });
    expect(codeOf(await accept(token))).toBe("401 AUTH_REQUIRED");
    expect(codeOf(await accept(token, {}, other.cookie))).toBe("403 FORBIDDEN");
    const login = await ask("POST", "/auth/login", outsider, {});
    const cookie = { headers: { cookie: String(login.cookie).split(";")[0], origin } };
    const joined = await accept(token, {}, cookie);
    expect(joined).toMatchObject({ status: 200, account: { role: "viewer" } });
    const { memberships } = await ask("GET", "/account", undefined, cookie);
    expect(memberships).toMatchObject([
      { name: outsider.email, role: "owner" },
      { name: "owner@example.com", role: "viewer" },
    ]);
  });

  test("is refused to other sites, and to a password that is too short", async () => {
    const { token } = await invited({ email: newAddress() });
    const foreign = { headers: { origin: "https://evil.example" } };
    expect(codeOf(await ask("POST", "/auth/invitation", { token }, foreign))).toBe(
      "403 CSRF_FAILED",
    );
    expect(codeOf(await accept(token, { password }, foreign))).toBe("403 CSRF_FAILED");
    expect(codeOf(await accept(token, { password: "short" }))).toBe("400 MISSING_FIELDS");
    expect(codeOf(await accept(token, {}))).toBe("400 MISSING_FIELDS");
  });

  test("is over when it is revoked, replaced or late, and says the same as one that never was", async () => {
    const unknown = await ask("POST", "/auth/invitation", { token: "ivt_unknown" }, {});
    expect(codeOf(unknown)).toBe("410 INVITATION_OVER");
    const look = async (token: string) =>
      (await ask("POST", "/auth/invitation", { token }, {})).message;
    const revoked = await invited({ email: newAddress() });
    expect(codeOf(await ask("DELETE", `/members/invitations/${revoked.id}`))).toBe("200");
    expect(codeOf(await ask("DELETE", `/members/invitations/${revoked.id}`))).toBe("404 NOT_FOUND");
    const email = newAddress();
    const replaced = await invited({ email });
    const late = await invited({ email, role: "admin" });
    expect((await openOnes()).filter((one) => one.email === email)).toMatchObject([
      { id: late.id, role: "admin" },
    ]);
    later(invitationMs - 2 * minuteMs);
    expect((await ask("POST", "/auth/invitation", { token: late.token }, {})).status).toBe(200);
    later(2 * minuteMs);
    for (const { token } of [revoked, replaced, late])
      expect(await look(token)).toBe(unknown.message);
    expect(await openOnes()).toEqual([]);
  });

  test("makes a member of a stranger only, and gives no more than the inviter has", async () => {
    const invite = async (body: Json, call: object = owner()) =>
      codeOf(await ask("POST", "/members/invitations", { email: newAddress(), ...body }, call));
    const { email } = await member("viewer");
    expect(await invite({ email })).toBe("409 ALREADY_MEMBER");
    expect(await invite({ role: "owner" })).toBe("400 MISSING_FIELDS");
    expect(await invite({ email: "no address" })).toBe("400 MISSING_FIELDS");
    const { key } = await member("editor");
    expect(await invite({}, key)).toBe("403 FORBIDDEN admin");
    const [shop, other] = [await app.makeProject("shop"), await app.makeProject("other")];
    const limited = await addMember(app, { role: "admin", people: false, projects: [shop.id] });
    expect(await invite({ projects: ["shop"] }, limited.key)).toBe("201");
    expect(await invite({ projects: [other.id] }, limited.key)).toBe("404 NOT_FOUND");
    expect(await invite({}, limited.key)).toBe("400 MISSING_FIELDS");
  });

  test(`is one of ${openInvitationsMax} open ones, and of ${invitationsPerHourMax} in an hour`, async () => {
    for (const { id } of await openOnes()) await ask("DELETE", `/members/invitations/${id}`);
    later();
    const invite = async () =>
      codeOf(await ask("POST", "/members/invitations", { email: newAddress() }));
    for (let n = 1; n <= invitationsPerHourMax; n++) expect(await invite()).toBe("201");
    // Revoking makes no room in the hour.
    const [first] = await openOnes();
    await ask("DELETE", `/members/invitations/${first?.id}`);
    expect(await invite()).toBe("429 RATE_LIMITED");
    later(hourMs - 1);
    expect(await invite()).toBe("429 RATE_LIMITED");
    later(1);
    for (let n = invitationsPerHourMax; n <= openInvitationsMax; n++)
      expect(await invite()).toBe("201");
    expect(await openOnes()).toHaveLength(openInvitationsMax);
    expect(await invite()).toBe("400 MISSING_FIELDS");
    for (const { id } of await openOnes()) await ask("DELETE", `/members/invitations/${id}`);
  });
});

describe("a member", () => {
  test("is listed whole to administrators, and by name to others", async () => {
    const viewer = await member("viewer");
    const admin = await member("admin");
    const listed = async (call: object) => {
      const { members, invitations } = await ask("GET", "/members", undefined, call);
      return { first: (members as Json[])[0], hasInvitations: invitations !== undefined };
    };
    const id = ownerOf(app.deps.control, viewer.accountId).personId;
    const name = { id, email: "owner@example.com", role: "owner" };
    expect(await listed(viewer.key)).toEqual({ first: name, hasInvitations: false });
    expect(await listed(admin.key)).toMatchObject({
      first: { ...name, people: true, projects: null },
      hasInvitations: true,
    });
  });

  test("has other rights with the next request", async () => {
    const { key, personId } = await member("viewer");
    const shop = await app.makeProject("changed");
    const change = (body: Json, call: object = owner()) =>
      ask("PATCH", `/members/${personId}`, body, call);
    expect(codeOf(await ask("GET", `/events?project=${shop.id}`, undefined, key))).toBe(
      "403 FORBIDDEN people",
    );
    expect(await change({ people: true, projects: [shop.id] })).toMatchObject({
      ...{ role: "viewer", people: true, projects: [shop.id] },
    });
    expect(codeOf(await ask("GET", `/events?project=${shop.id}`, undefined, key))).toBe("200");
    expect(await ask("GET", "/account", undefined, key)).toMatchObject({ projects_count: 1 });
    expect(await change({ projects: "all", role: "admin" })).toMatchObject({ projects: null });
    expect(codeOf(await ask("GET", "/members", undefined, key))).toBe("200");
    expect(codeOf(await change({ role: "owner" }))).toBe("400 MISSING_FIELDS");
    expect(codeOf(await change({ role: "viewer" }, key))).toBe("403 FORBIDDEN");
    expect(codeOf(await ask("PATCH", "/members/usr_nothing", {}))).toBe("404 NOT_FOUND");
    const { personId: ownerId } = ownerOf(app.deps.control, String((await app.get("/account")).id));
    expect(codeOf(await ask("PATCH", `/members/${ownerId}`, { role: "admin" }, key))).toBe(
      "403 FORBIDDEN",
    );
  });

  test("is removed with their key, agents and log-in; others leave by themselves", async () => {
    const removed = await member("editor");
    const leaver = await member("viewer");
    const { accountId, personId } = removed;
    const agent = app.deps.control.agents.addSession(
      { accountId, personId, scopes: ["projects:read"], clientType: "cli" },
      nowMs,
    );
    const bearer = { headers: { authorization: `Bearer ${agent.accessToken}` } };
    expect(codeOf(await ask("GET", "/projects", undefined, bearer))).toBe("200");
    expect(codeOf(await ask("DELETE", `/members/${personId}`, undefined, leaver.key))).toBe(
      "403 FORBIDDEN admin",
    );
    expect(codeOf(await ask("DELETE", `/members/${personId}`))).toBe("200");
    for (const call of [removed.key, removed.cookie, bearer]) {
      expect(codeOf(await ask("GET", "/projects", undefined, call))).toBe("401 INVALID_TOKEN");
    }
    expect(codeOf(await ask("DELETE", `/members/${leaver.personId}`, undefined, leaver.key))).toBe(
      "200",
    );
    expect(codeOf(await ask("GET", "/account", undefined, leaver.cookie))).toBe(
      "401 INVALID_TOKEN",
    );
    const own = ownerOf(app.deps.control, accountId).personId;
    expect(codeOf(await ask("DELETE", `/members/${own}`))).toBe("409 LAST_OWNER");
  });

  test(`is one of ${membersMax}: the next neither is invited nor joins`, async () => {
    const { token } = await invited({ email: newAddress() });
    const { members } = await ask("GET", "/members");
    for (let n = (members as Json[]).length; n < membersMax; n++) await member("viewer");
    expect(codeOf(await accept(token))).toBe("400 MISSING_FIELDS");
    const next = { email: newAddress() };
    expect(codeOf(await ask("POST", "/members/invitations", next))).toBe("400 MISSING_FIELDS");
    const { members: all } = await ask("GET", "/members");
    const last = (all as Json[]).at(-1);
    await ask("DELETE", `/members/${last?.id}`);
    later();
    expect(codeOf(await accept(token))).toBe("200");
  });
});

describe("the account", () => {
  test("has a name that its owner gives", async () => {
    expect(await ask("PATCH", "/account", { name: " Shop & Co " })).toMatchObject({
      ...{ status: 200, name: "Shop & Co" },
    });
    expect(codeOf(await ask("PATCH", "/account", { name: "x".repeat(65) }))).toBe(
      "400 MISSING_FIELDS",
    );
    expect(await ask("PATCH", "/account", { name: "x".repeat(64) })).toMatchObject({ status: 200 });
    expect(await ask("PATCH", "/account", { name: "" })).toMatchObject({
      name: "owner@example.com",
    });
  });

  test("goes to an administrator in one step, and back", async () => {
    const all = (await ask("GET", "/members")).members as Json[];
    const spare = all.find((one) => one.role === "viewer");
    await ask("DELETE", `/members/${spare?.id}`);
    const heir = await member("admin");
    const viewer = all.findLast((one) => one.role === "viewer");
    const transfer = (to: unknown, more: Json = { password }) =>
      ask("POST", "/account/transfer", { to, ...more });
    // It is long ago that the owner logged in.
    expect(codeOf(await transfer(heir.personId))).toBe("403 CONFIRM_REQUIRED");
    expect(codeOf(await ask("POST", "/auth/confirm", { password }))).toBe("200");
    expect(codeOf(await transfer(heir.personId, { password: "wrong" }))).toBe(
      "401 INVALID_CREDENTIALS",
    );
    expect(codeOf(await transfer(viewer?.id))).toBe("403 FORBIDDEN");
    expect(codeOf(await transfer(heir.personId))).toBe("200");
    expect(await app.get("/account")).toMatchObject({ role: "admin", email: "owner@example.com" });
    expect(await ask("GET", "/account", undefined, heir.key)).toMatchObject({ role: "owner" });
    expect(codeOf(await transfer(heir.personId))).toBe("403 FORBIDDEN owner");
  });

  test("notes each of this in the commit of the change", async () => {
    const { control } = app.deps;
    const rows = control.db.select().from(auditEntry).all();
    const told = new Set<string>(rows.map(({ action }) => action));
    expect([...told].sort()).toEqual([
      ...["account_changed", "account_made", "invitation_revoked", "key_made", "member_changed"],
      ...["member_invited", "member_joined", "member_removed", "ownership_transferred"],
      ...["project_created", "signed_in"],
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/ivt_|aak_|password/);
  });
});
