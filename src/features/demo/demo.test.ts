import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Call, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import {
  asDemo,
  beginDemo,
  type DemoSession,
  demoByDate,
  demoName,
  readDemo,
  seedUpTo,
} from "../../../test/support/app/demo";
import { endpointIndex } from "../../../test/support/app/operations";
import { dayOf } from "../../domain/event";
import { startPerMinuteMax } from "../../http/auth/address-limits";
import { demoPerMinuteMax } from "../../http/auth/gate";
import { type AccessRule, hasAccount, splitName } from "../../http/operation/facts";
import { startJobs } from "../../jobs";
import { minuteMs } from "../../lib/clock";
import { accessToken, agentSession } from "../../store/control/agent-tables";
import { account, experiment, project } from "../../store/control/tables";

let app: TestApp;
let session: DemoSession;
beforeAll(async () => {
  app = await testApp();
});
beforeEach(() => app.setTime(noonMs));
afterAll(() => app.close());

/** Seeding takes a second or two where other tests run beside it. */
const slowMs = 30_000;
type Table =
  | typeof account
  | typeof project
  | typeof experiment
  | typeof agentSession
  | typeof accessToken;
const rows = (table: Table) => app.deps.control.db.select().from(table).all().length;

async function outcome(method: string, path: string, call: Call): Promise<string> {
  const answer = await app.send(method, path, call);
  const text = await answer.text();
  const { error } = text.startsWith("{") ? (JSON.parse(text) as { error?: string }) : {};
  return answer.ok || error === undefined ? String(answer.status) : `${answer.status} ${error}`;
}
const read = <T>(path: string, body?: unknown): Promise<T> => readDemo(app, session, path, body);

describe("the first session", () => {
  test("is the first to cost anything: nothing is stored at a start", async () => {
    const stop = startJobs(app.deps, 5);
    await Bun.sleep(50);
    await stop();
    expect(app.deps.control.demo.find()).toBeUndefined();
    expect(rows(account)).toBe(1);
  });

  test(
    "begun by several at once is seeded once",
    async () => {
      const sessions = await Promise.all([beginDemo(app), beginDemo(app), beginDemo(app)]);
      expect(new Set(sessions.map(({ projects }) => projects[0]?.id)).size).toBe(1);
      expect(new Set(sessions.map(({ agent_session }) => agent_session.access_token)).size).toBe(3);
      expect([rows(account), rows(project), rows(experiment)]).toEqual([2, 1, 1]);
      for (const one of sessions) {
        expect(await demoByDate(app, one)).toEqual(seedUpTo(dayOf(noonMs)));
      }
    },
    slowMs,
  );
});

describe("a session", () => {
  test("is what a program needs to read the demo for half an hour", async () => {
    session = await beginDemo(app);
    const { agent_session: made, projects } = session;
    expect(session).toMatchObject({ ok: true, mode: "demo" });
    expect(Object.keys(made).sort()).toEqual(["access_expires_at", "access_token", "id", "scopes"]);
    expect(made.id).toMatch(/^ags_[a-z0-9]{16}$/);
    expect(made.access_token).toMatch(/^aas_[0-9a-f]{48}$/);
    expect(made.access_expires_at).toBe(noonMs + 30 * minuteMs);
    expect(made.scopes).toEqual([
      "account:read",
      "projects:read",
      "analytics:read",
      "experiments:read",
    ]);
    expect(projects).toEqual([{ id: expect.stringMatching(/^proj_/), name: demoName }]);
    app.setTime(made.access_expires_at - 1);
    expect(await outcome("GET", "/account", asDemo(session))).toBe("200");
    app.setTime(made.access_expires_at);
    expect(await outcome("GET", "/account", asDemo(session))).toBe("401 INVALID_TOKEN");
  });

  test("is one of sixty requests a minute, and of twenty beginnings from an address", async () => {
    app.setTime(noonMs + 2 * minuteMs);
    session = await beginDemo(app);
    for (let count = 0; count < demoPerMinuteMax; count++) {
      expect(await outcome("GET", "/account", asDemo(session))).toBe("200");
    }
    expect(await outcome("GET", "/account", asDemo(session))).toBe("429 RATE_LIMITED");
    expect(await outcome("GET", "/account", asDemo(await beginDemo(app)))).toBe("200");
    const begin = (from: string) => outcome("POST", "/demo/session", { from });
    for (let count = 0; count < startPerMinuteMax; count++) {
      expect(await begin("203.0.113.1")).toBe("200");
    }
    expect(await begin("203.0.113.1")).toBe("429 RATE_LIMITED");
    expect(await begin("203.0.113.2")).toBe("200");
  });

  test("is forgotten when it has expired", async () => {
    const { agents } = app.deps.control;
    agents.forgetEnded(noonMs + 50 * minuteMs);
    expect([rows(agentSession), rows(accessToken)]).toEqual([0, 0]);
    session = await beginDemo(app);
    agents.forgetEnded(noonMs + 30 * minuteMs - 1);
    expect([rows(agentSession), rows(accessToken)]).toEqual([1, 1]);
    agents.forgetEnded(noonMs + 30 * minuteMs);
    expect([rows(agentSession), rows(accessToken)]).toEqual([0, 0]);
  });
});

describe("what the demo answers", () => {
  beforeEach(async () => {
    session = await beginDemo(app);
  });

  test("is all that the index marks, and nothing else", async () => {
    const { id } = session.projects[0] ?? { id: "" };
    const bodies: Readonly<Record<string, object>> = {
      "POST /query": { project: demoName },
      "POST /mcp": { jsonrpc: "2.0", id: 1, method: "ping" },
      "POST /paths": { project: demoName, goal_event: "signup" },
      "POST /funnel": { project: demoName, steps: ["page_view", "signup_started", "signup"] },
    };
    const queries: Readonly<Record<string, string>> = {
      "GET /breakdown": `?project=${demoName}&property=referrer`,
      "GET /journey": `?project=${demoName}&user_id=nobody`,
    };
    const mounted = new Set(
      app.routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`),
    );
    await app.deps.demo.move(noonMs);
    const { replays } = await read<{ replays: [{ id: string }] }>(`/replays?project=${demoName}`);
    const [{ id: replay }] = replays;
    let found = 0;
    for (const [name, { access, demo }] of Object.entries<AccessRule>(endpointIndex)) {
      if (!mounted.has(name) || !hasAccount(access) || access === "optional") continue;
      const { method, path: pattern } = splitName(name);
      const recording = pattern.startsWith("/replays") ? replay : id;
      const own = pattern.startsWith("/experiments") ? "exp_demo_signup_cta" : recording;
      const takesProject = /^\/(account|projects|portfolio)|\{id\}/.test(pattern)
        ? ""
        : `?project=${demoName}`;
      const query = method === "GET" ? (queries[name] ?? takesProject) : "";
      const path = `${pattern.replace(/\{\w+\}/, own)}${query}`;
      // One of the page for people tells its refusals as a page, and there is no portfolio to show.
      const isPage = name === "GET /agent-sessions/authorize/{id}";
      const isNone = name === "GET /portfolios/{idOrSlug}";
      const expected = isNone ? "404 NOT_FOUND" : demo ? "200" : "403 DEMO_READ_ONLY";
      const got = await outcome(method, path, { ...asDemo(session), body: bodies[name] });
      if (isPage) expect(got).not.toBe("200");
      else expect([name, got]).toEqual([name, expected]);
      found += 1;
      app.setTime(noonMs + Math.floor(found / 40) * minuteMs);
    }
    expect(found).toBeGreaterThan(40);
  });

  test("has GET /live, with who is there now, for no more than its own project", async () => {
    const live = await read<object>(`/live?project=${demoName}&window=300`);
    expect(live).toMatchObject({ window_seconds: 300, recent_events: expect.any(Array) });
    expect(await outcome("GET", "/live?project=shop", asDemo(session))).toBe("404 NOT_FOUND");
    expect(await outcome("GET", "/stream", asDemo(session))).toContain("403");
  });

  test("is nobody's address: it looks none up and has none itself", async () => {
    const fields: Readonly<Record<string, object>> = {
      "/query": {},
      "/funnel": { steps: ["page_view", "signup"] },
      "/paths": { goal_event: "signup" },
    };
    const post = (path: string, body: unknown) =>
      outcome("POST", path, { ...asDemo(session), body });
    for (const [path, own] of Object.entries(fields)) {
      const asked = { project: demoName, ...own };
      for (const email of ["ann@example.com", "", 7, {}]) {
        const got = await post(path, { ...asked, email });
        expect([path, email, got]).toEqual([path, email, "403 DEMO_READ_ONLY"]);
      }
      expect(await post(path, { ...asked, email: null })).toBe("200");
    }
    const escaped = '{"project":"x","\\u0065mail":"ann@example.com"}';
    expect(await post("/query", escaped)).toBe("403 DEMO_READ_ONLY");
    expect(await post("/query", '{"email":')).toBe("400 INVALID_BODY");
    expect(await read<object>("/account")).toMatchObject({
      email: "demo@example.invalid",
      tier: "pro",
      is_admin: false,
      complimentary: false,
      usage: { events: 0, reads: 0 },
    });
  });

  test("has a winner, a loss, crawlers, a context, and no project of others", async () => {
    const mine = await app.makeProject("shop");
    expect(await read<object>("/experiments/exp_demo_signup_cta")).toMatchObject({
      name: "signup_cta",
      goal_event: "signup",
      variants: [{ key: "control" }, { key: "start_free" }],
      winner: "start_free",
      results: { sufficient_data: true, recommendation_code: "winner" },
    });
    const steps = ["page_view", "signup_started", "signup"];
    const funnel = { project: demoName, steps, since: "119d" };
    const { steps: told } = await read<{ steps: { users: number }[] }>("/funnel", funnel);
    const [, started = 0, done = 0] = told.map(({ users }) => users);
    expect(done / started).toBeLessThan(0.75);
    const { categories, project_context: context } = await read<{
      categories: unknown[];
      project_context: { goals: unknown[] };
    }>(`/bot-traffic?project=${demoName}`);
    expect(categories.length).toBe(3);
    expect(context.goals.length).toBeGreaterThan(0);
    expect(await outcome("GET", `/projects/${mine.id}`, asDemo(session))).toBe("403 FORBIDDEN");
    expect(await outcome("GET", "/stats?project=shop", asDemo(session))).toBe("404 NOT_FOUND");
  });
});

describe("the demo's account", () => {
  beforeEach(async () => {
    session = await beginDemo(app);
  });

  test("takes no events under its token", async () => {
    const { projects } = await read<{ projects: { project_token: string }[] }>("/projects");
    const shown = projects[0]?.project_token ?? "";
    expect(shown).toMatch(/^aat_/);
    for (const token of [shown, session.agent_session.access_token]) {
      const event = { token, event: "x" };
      const identity = { token, user_id: "a", previous_id: "b" };
      for (const [path, body] of [
        ["/track", event],
        ["/track/batch", { events: [event] }],
        ["/identify", identity],
      ] as const) {
        expect([path, await outcome("POST", path, { body })]).toEqual([path, "401 INVALID_TOKEN"]);
      }
      const config = await outcome("GET", `/experiments/config?token=${token}`, {});
      expect(config).toBe("401 INVALID_TOKEN");
    }
  });

  test("is in no list and no sum of anybody, and nobody logs in to it", async () => {
    const { id } = await read<{ id: string }>("/account");
    const person = { headers: { cookie: app.cookie, origin: "http://localhost:3000" } };
    const listed = await app.send("GET", "/admin/accounts", person);
    expect(((await listed.json()) as { accounts: unknown[] }).accounts.length).toBe(1);
    expect(await outcome("DELETE", `/admin/accounts/${id}`, person)).toBe("404 NOT_FOUND");
    const change = { ...person, body: { tier: "free" } };
    expect(await outcome("PATCH", `/admin/accounts/${id}`, change)).toBe("404 NOT_FOUND");
    for (const email of ["demo", "demo@example.invalid"]) {
      const body = { email, password: "correct horse battery" };
      expect(await outcome("POST", "/auth/login", { body })).toBe("401 INVALID_CREDENTIALS");
    }
    const { summary } = (await app.get("/account/all-sites?period=30d")) as {
      summary: { total_events: object };
    };
    expect(summary.total_events).toMatchObject({ current: 0, previous: 0 });
    expect(await app.get("/account")).toMatchObject({ usage: { events: 0 } });
    expect(await app.get("/account/agent-sessions")).toEqual({ sessions: [] });
  });

  test("does not make a server look as if it was set up", async () => {
    const { control } = app.deps;
    expect(control.hasAccounts()).toBe(true);
    const isAlone = Symbol("undone");
    const alone = () =>
      control.write(() => {
        control.db.delete(account).run();
        control.demo.make(1, noonMs);
        throw Object.assign(new Error(), { isAlone, seen: control.hasAccounts() });
      });
    expect(alone).toThrow(expect.objectContaining({ seen: false }));
    expect(control.hasAccounts()).toBe(true);
  });
});
