import { expect, test } from "bun:test";
import { isAtLeast, type Role } from "../../src/domain/role";
import { clock, minuteMs } from "../../src/lib/clock";
import { sha256Hex } from "../../src/lib/ids";
import { type ModelMember, may, mayGive, samplesOf } from "../model/team";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";
import { ownerOf } from "../support/app/owner";
import { password } from "../support/app/person";
import { cases } from "../support/random/cases";
import { type Random, randomFrom, randomSeed } from "../support/random/random";

/** Random histories of a team, against a model that knows a list of members and nothing else. */
const stepsOfHistory = 30;
const samplesOfStep = 8;
const agentScopes = ["account:read", "members:read", "analytics:read", "projects:write"] as const;

interface Person {
  /** Null once the person is no member any more: then no credential of theirs works. */
  member: ModelMember | null;
  readonly id: string;
  readonly cookie: string;
  key: string | null;
  agent: { readonly token: string; readonly scopes: readonly string[] } | null;
}

class Team {
  readonly people: Person[] = [];
  readonly invitations = new Map<string, { token: string; rights: ModelMember }>();
  made = 0;
  constructor(
    readonly app: TestApp,
    readonly random: Random,
    readonly accountId: string,
    readonly projectIds: Readonly<Record<string, string>>,
  ) {}

  get members(): Person[] {
    return this.people.filter(({ member }) => member !== null);
  }
  async ask(cookie: string, method: string, path: string, body?: unknown) {
    const headers = { cookie, origin: "http://localhost:3000" };
    const call = body === undefined ? { headers } : { headers, body };
    const answer = await this.app.send(method, path, { ...call, from: "10.3.0.1" });
    return { status: answer.status, body: (await answer.json()) as Json };
  }
  reach(): readonly string[] | null {
    return this.random.pick([null, null, ["shop"], ["blog"], ["shop", "blog"], []]);
  }
  role(): Exclude<Role, "owner"> {
    return this.random.pick(["viewer", "editor", "admin"]);
  }
}

const membersNow = (team: Team) =>
  team.members
    .map(({ member }) => member)
    .flatMap((one) => (one === null ? [] : [one]))
    .sort((a, b) => (a.email < b.email ? -1 : 1));

type Step = (team: Team) => Promise<void>;

const invite: Step = async (team) => {
  const by = team.random.pick(team.members);
  const [role, projects] = [team.role(), team.reach()];
  const people = team.random.chance(0.5);
  const email = `p${++team.made}@example.com`;
  const sent = { email, role, people, ...(projects !== null && { projects }) };
  const { status, body } = await team.ask(by.cookie, "POST", "/members/invitations", sent);
  const isAllowed = by.member !== null && mayGive(by.member, projects);
  expect([role, projects, status === 201]).toEqual([role, projects, isAllowed]);
  if (!isAllowed) return;
  const token = String(body.url).split("#")[1] ?? "";
  team.invitations.set(String(body.id), { token, rights: { email, role, people, projects } });
};

const revoke: Step = async (team) => {
  const [id] = team.random.pick([...team.invitations]) ?? [];
  if (id === undefined) return;
  const by = team.random.pick(team.members);
  const { status } = await team.ask(by.cookie, "DELETE", `/members/invitations/${id}`);
  const isAllowed = by.member !== null && isAtLeast(by.member.role, "admin");
  expect(status === 200).toBe(isAllowed);
  if (!isAllowed) return;
  const dead = team.invitations.get(id);
  team.invitations.delete(id);
  const late = { token: dead?.token ?? "", password };
  expect((await team.ask("", "POST", "/auth/invitation/accept", late)).status).toBe(410);
};

const accept: Step = async (team) => {
  const [id, invited] = team.random.pick([...team.invitations]) ?? [];
  if (id === undefined || invited === undefined) return;
  const body = { token: invited.token, password };
  const answer = await team.app.send("POST", "/auth/invitation/accept", { body, from: "10.3.0.2" });
  expect(answer.status).toBe(200);
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  const { account } = (await answer.json()) as { account: { user: { id: string } } };
  team.invitations.delete(id);
  const joined = { member: invited.rights, id: account.user.id, cookie, key: null, agent: null };
  team.people.push(joined);
};

const change: Step = async (team) => {
  const [by, of] = [team.random.pick(team.members), team.random.pick(team.people)];
  const [role, projects, people] = [team.role(), team.reach(), team.random.chance(0.5)];
  const sent = { role, people, projects: projects ?? "all" };
  const { status } = await team.ask(by.cookie, "PATCH", `/members/${of.id}`, sent);
  const isAllowed =
    by !== of &&
    by.member !== null &&
    of.member !== null &&
    of.member.role !== "owner" &&
    mayGive(by.member, projects);
  expect(status === 200).toBe(isAllowed);
  if (isAllowed && of.member !== null) of.member = { ...of.member, role, people, projects };
};

/** The first person administers the server, and the server always has one who does. */
const remove: Step = async (team) => {
  const of = team.random.pick(team.people);
  const by = team.random.chance(0.3) && of.member !== null ? of : team.random.pick(team.members);
  const { status } = await team.ask(by.cookie, "DELETE", `/members/${of.id}`);
  const mayRemove = by === of || isAtLeast(by.member?.role ?? "viewer", "admin");
  const isAllowed =
    mayRemove && of.member !== null && of.member.role !== "owner" && of !== team.people[0];
  expect(status === 200).toBe(isAllowed);
  if (isAllowed) of.member = null;
};

const transfer: Step = async (team) => {
  const [by, to] = [team.random.pick(team.members), team.random.pick(team.people)];
  const secret = by.cookie.slice(by.cookie.indexOf("=") + 1);
  team.app.deps.control.credentials.confirmSession(sha256Hex(secret), clock.nowMs());
  const { status } = await team.ask(by.cookie, "POST", "/account/transfer", {
    ...{ to: to.id, password },
  });
  const isAllowed = by.member?.role === "owner" && to.member?.role === "admin";
  expect(status === 200).toBe(isAllowed);
  if (!isAllowed || by.member === null || to.member === null) return;
  by.member = { ...by.member, role: "admin" };
  to.member = { ...to.member, role: "owner", projects: null, people: true };
};

const makeKey: Step = async (team) => {
  const by = team.random.pick(team.members);
  const { status, body } = await team.ask(by.cookie, "POST", "/account/api-key");
  expect(status === 200 || status === 201).toBe(by.key === null);
  if (by.key === null) by.key = String(body.api_key);
};

const dropKey: Step = async (team) => {
  const by = team.random.pick(team.members);
  expect((await team.ask(by.cookie, "DELETE", "/account/api-key")).status).toBe(200);
  by.key = null;
};

const approveAgent: Step = async (team) => {
  const by = team.random.pick(team.members);
  const scopes = agentScopes.filter(() => team.random.chance(0.6));
  const made = { accountId: team.accountId, personId: by.id, scopes, clientType: "cli" } as const;
  by.agent = {
    token: team.app.deps.control.agents.addSession(made, clock.nowMs()).accessToken,
    scopes,
  };
};

const steps: readonly Step[] = [
  ...[invite, invite, accept, accept, accept, change, change, remove, revoke, transfer],
  ...[makeKey, dropKey, approveAgent],
];

/** A random operation by a random person, member or not, with each credential that the person has. */
async function checkSample(team: Team): Promise<void> {
  const person = team.random.pick(team.people);
  const sample = team.random.pick(samplesOf(team.random.pick(["shop", "blog"])));
  const means = [
    ["cookie", { cookie: person.cookie, origin: "http://localhost:3000" }],
    ...(person.key === null ? [] : [["key", { "x-api-key": person.key }] as const]),
    ...(person.agent === null
      ? []
      : [[person.agent.scopes, { authorization: `Bearer ${person.agent.token}` }] as const]),
  ] as const;
  for (const [by, headers] of means) {
    const { method, path, body } = sample;
    const call = body === undefined ? { headers } : { headers, body };
    const { status } = await team.app.send(method, path, call);
    const expected = person.member === null ? "401" : may(person.member, by, sample) ? "in" : "out";
    const got = status === 401 ? "401" : status < 300 ? "in" : "out";
    const who = JSON.stringify([person.member, by]);
    expect(`${method} ${path} by ${who}: ${got}`).toBe(`${method} ${path} by ${who}: ${expected}`);
  }
}

test.each(cases([randomSeed()], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, randomSeed()]))(
  "a random history of a team: each operation is allowed or refused as a list of members says (seed %d)",
  async (seed) => {
    const app = await testApp();
    const account = await app.get("/account");
    const accountId = String(account.id);
    const ids = {
      shop: (await app.makeProject("shop")).id,
      blog: (await app.makeProject("blog")).id,
    };
    const team = new Team(app, randomFrom(seed), accountId, ids);
    const { personId } = ownerOf(app.deps.control, accountId);
    const standing = { role: "owner", projects: null, people: true } as const;
    const member = { ...standing, email: String(account.email) };
    team.people.push({ member, id: personId, cookie: app.cookie, key: app.key, agent: null });
    for (let step = 1; step <= stepsOfHistory; step++) {
      app.setTime(noonMs + step * minuteMs);
      await team.random.pick(steps)(team);
      for (let n = 0; n < samplesOfStep; n++) await checkSample(team);
    }
    const owner = team.members.find((one) => one.member?.role === "owner");
    const { body } = await team.ask(owner?.cookie ?? "", "GET", "/members");
    const named = Object.fromEntries(Object.entries(ids).map(([name, id]) => [id, name]));
    const listed = (body.members as readonly Json[]).map(({ email, role, projects, people }) => ({
      ...{
        email,
        role,
        projects: (projects as string[] | null)?.map((id) => named[id]) ?? null,
        people,
      },
    }));
    const sees = (one: ModelMember) => one.people || isAtLeast(one.role, "admin");
    const expected = membersNow(team).map((one) => ({ ...one, people: sees(one) }));
    const byEmail = (a: Json, b: Json) => (String(a.email) < String(b.email) ? -1 : 1);
    expect(listed.sort(byEmail) as readonly unknown[]).toEqual(
      expected.map(({ email, role, projects, people }) => ({
        ...{ email, role, people, projects: projects === null ? null : [...projects] },
      })),
    );
    await app.close();
  },
);
