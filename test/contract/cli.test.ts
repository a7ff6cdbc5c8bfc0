import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { clock, hourMs, secondMs } from "../../src/lib/clock";
import { savedSites } from "../scans/sites";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";
import { browser, newVerifier, press, type SignedIn, sentTo } from "../support/app/sign-in";

/**
 * The command-line client, as far as the contract tells what it sends and reads: a content type on every request, null
 * for every flag that was left out, a refresh and one repetition on every 401.
 */
class Cli {
  #session: SignedIn | null = null;
  accountId = "";

  constructor(readonly app: TestApp) {}

  /** Asks with the headers the client sends always; the answer's status and body. */
  async call(method: string, path: string, body?: Json): Promise<readonly [number, Json]> {
    const token = this.#session?.access_token;
    const response = await this.app.send(method, path, {
      headers: {
        "content-type": "application/json",
        "user-agent": "agent-analytics-cli/1.0",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body }),
    });
    return [response.status, (await response.json()) as Json];
  }

  /** A command: on 401 it refreshes once and repeats. */
  async command(method: string, path: string, body?: Json): Promise<readonly [number, Json]> {
    const first = await this.call(method, path, body);
    if (first[0] !== 401 || this.#session === null) return first;
    const { refresh_token } = this.#session;
    const [status, answer] = await this.call("POST", "/agent-sessions/refresh", { refresh_token });
    if (status !== 200) return [status, answer];
    this.keep(answer);
    return this.call(method, path, body);
  }

  /** What it reads of an exchange or a refresh. */
  keep({ agent_session: session, account }: Json): void {
    const { id, access_token, refresh_token, access_expires_at, refresh_expires_at, scopes } =
      session as SignedIn;
    for (const text of [id, access_token, refresh_token]) expect(text).toBeString();
    for (const time of [access_expires_at, refresh_expires_at]) expect(time).toBeInteger();
    expect(scopes.length).toBeGreaterThan(0);
    const owner = account as Json;
    expect([owner.github_login, owner.google_name]).toEqual([null, null]);
    expect([owner.email, owner.tier]).toEqual(["owner@example.com", "pro"]);
    this.accountId = String(owner.id);
    this.#session = session as SignedIn;
  }

  get sessionId(): string | undefined {
    return this.#session?.id;
  }
  expire(): void {
    if (this.#session !== null) this.#session = { ...this.#session, access_token: "aas_old" };
  }
}

const scopes = [
  "account:read",
  "projects:read",
  "projects:write",
  "analytics:read",
  "experiments:write",
  "feedback:write",
  "live:read",
];
const unused = { client_name: null, client_instance_id: null, label: null, metadata: null };

let app: TestApp;
let cli: Cli;
beforeAll(async () => {
  app = await testApp({}, savedSites());
});
beforeEach(() => {
  app.setTime(noonMs);
  cli = new Cli(app);
});
afterAll(() => app.close());

/** What it reads of a start. */
async function start(body: Json) {
  const sent = { client_type: "cli", scopes, ...unused, ...body };
  const [status, started] = await cli.call("POST", "/agent-sessions/start", sent);
  expect([status, started.ok, started.scopes]).toEqual([201, true, scopes]);
  const id = String(started.auth_request_id);
  expect(started.authorize_url).toBe(`http://localhost:3000/agent-sessions/authorize/${id}`);
  expect(started.approval_code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
  expect(started.poll_token).toMatch(/^aap_[0-9a-f]{48}$/);
  expect(Number(started.expires_at)).toBeGreaterThan(clock.nowMs());
  return started as Json & { readonly auth_request_id: string; readonly authorize_url: string } & {
    readonly poll_token: string;
    readonly expires_at: number;
  };
}

/** What it prints after a sign-in. */
async function expectSignedIn(): Promise<void> {
  const [status, account] = await cli.command("GET", "/account");
  expect([status, account.id, account.email]).toEqual([200, cli.accountId, "owner@example.com"]);
  const [, { projects }] = await cli.command("GET", "/projects");
  expect(projects).toEqual([]);
}

describe("the command-line client signs in", () => {
  test("through the browser, with a listener of its own", async () => {
    const { verifier, challenge } = newVerifier();
    const state = randomBytes(8).toString("hex");
    const started = await start({
      mode: "interactive",
      callback_url: `http://127.0.0.1:49152/callback?state=${state}`,
      code_challenge: challenge,
    });
    const opened = await app.send("GET", new URL(started.authorize_url).pathname, {
      headers: browser(app),
    });
    expect(await opened.text()).toContain(String(started.approval_code));
    const sent = sentTo(await press(app, started, "approve"));
    expect(`${sent?.origin}${sent?.pathname}`).toBe("http://127.0.0.1:49152/callback");
    expect(sent?.searchParams.get("state")).toBe(state);
    expect(sent?.searchParams.get("request_id")).toBe(started.auth_request_id);
    const [status, answer] = await cli.call("POST", "/agent-sessions/exchange", {
      auth_request_id: sent?.searchParams.get("request_id"),
      exchange_code: sent?.searchParams.get("exchange_code"),
      code_verifier: verifier,
    });
    expect([status, answer.ok]).toEqual([200, true]);
    cli.keep(answer);
    await expectSignedIn();
  });

  test("detached: another process is given the finish code later", async () => {
    const started = await start({ mode: "detached", callback_url: null, code_challenge: null });
    const page = await (await press(app, started, "approve")).text();
    app.setTime(clock.nowMs() + 59 * 60 * secondMs);
    const [status, answer] = await cli.call("POST", "/agent-sessions/exchange", {
      auth_request_id: started.auth_request_id,
      exchange_code: /aae_[0-9a-f]{48}/.exec(page)?.[0],
      code_verifier: null,
    });
    expect(status).toBe(200);
    cli.keep(answer);
    await expectSignedIn();
  });

  test("detached and waiting: it polls every two seconds", async () => {
    const started = await start({ mode: "detached", callback_url: null });
    const { auth_request_id, poll_token } = started;
    const poll = () => cli.call("POST", "/agent-sessions/poll", { auth_request_id, poll_token });
    let polled = await poll();
    for (let count = 1; polled[1].status === "pending" && count < 100; count++) {
      expect(polled).toEqual([
        200,
        { status: "pending", exchange_code: null, account_id: null, approved_email: null },
      ]);
      app.setTime(clock.nowMs() + 2 * secondMs);
      if (count === 40) await press(app, started, "approve");
      polled = await poll();
    }
    const [, { status, exchange_code, account_id, approved_email }] = polled;
    expect([status, approved_email]).toEqual(["approved", "owner@example.com"]);
    const [done, answer] = await cli.call("POST", "/agent-sessions/exchange", {
      auth_request_id,
      exchange_code,
    });
    expect(done).toBe(200);
    cli.keep(answer);
    expect(account_id).toBe(cli.accountId);
    await expectSignedIn();
  });

  test("and is told by texts it knows when that does not work", async () => {
    const poll = (started: Json) => {
      const { auth_request_id, poll_token } = started;
      return cli.call("POST", "/agent-sessions/poll", { auth_request_id, poll_token });
    };
    const exchange = ({ auth_request_id }: Json) =>
      cli.call("POST", "/agent-sessions/exchange", { auth_request_id, exchange_code: "aae_x" });
    const message = ([, answer]: readonly [number, Json]) => String(answer.message);

    const waiting = await start({ mode: "detached" });
    expect(message(await exchange(waiting))).toBe("auth request is not ready");
    expect(message(await poll({ ...waiting, poll_token: "aap_x" }))).toBe("invalid auth request");
    await press(app, waiting, "approve");
    const [, { exchange_code }] = await poll(waiting);
    const { auth_request_id } = waiting;
    await cli.call("POST", "/agent-sessions/exchange", { auth_request_id, exchange_code });
    expect(message(await exchange(waiting))).toBe("auth request already exchanged");
    const denied = await start({ mode: "detached" });
    await press(app, denied, "deny");
    expect(message(await poll(denied))).toContain("revoked");
    const late = await start({ mode: "detached" });
    app.setTime(late.expires_at);
    expect(message(await poll(late))).toContain("expired");
  });
});

describe("signed in, the command-line client", () => {
  beforeEach(async () => {
    const started = await start({ mode: "detached" });
    const page = await (await press(app, started, "approve")).text();
    const exchange_code = /aae_[0-9a-f]{48}/.exec(page)?.[0];
    const { auth_request_id } = started;
    const body = { auth_request_id, exchange_code };
    cli.keep((await cli.call("POST", "/agent-sessions/exchange", body))[1]);
  });

  test("refreshes on 401, in parallel requests too, and goes on with every token it got", async () => {
    app.setTime(clock.nowMs() + 2 * hourMs);
    const paths = ["/account", "/projects", "/account", "/projects"];
    const answers = await Promise.all(paths.map((path) => cli.command("GET", path)));
    expect(answers.map(([status]) => status)).toEqual([200, 200, 200, 200]);
    cli.expire();
    expect((await cli.command("GET", "/account"))[0]).toBe(200);
  });

  test("may do what its scopes say, and is told what it lacks without a 401", async () => {
    const created = await cli.command("POST", "/projects", {
      name: "shop",
      domain: "shop.example.com",
      allowed_origins: null,
      source_scan_id: null,
    });
    expect(created[0]).toBe(201);
    expect((await cli.command("GET", "/stats?project=shop&since=7d"))[0]).toBe(200);
    const lacking = await cli.command("POST", "/account/revoke-key");
    expect([lacking[0], lacking[1].error]).toEqual([403, "FORBIDDEN"]);
  });

  test("scans a site for a project, and prints the plan", async () => {
    const made = { name: "quill", domain: "site-full.example.com" };
    expect((await cli.command("POST", "/projects", made))[0]).toBe(201);
    const asked = { url: "https://site-full.example.com", project: "quill" };
    const sent = { ...asked, full: true, mode: null };
    const [status, scan] = await cli.command("POST", "/cli/website-scans", sent);
    expect([status, scan.normalized_url, scan.cached, scan.resume_token]).toEqual([
      200,
      "https://site-full.example.com/",
      false,
      undefined,
    ]);
    const { label, prompt } = scan.agent_handoff as Json;
    for (const text of [scan.analysis_id, label, prompt]) expect(text).toBeString();
    const { current_blindspots, not_needed_yet, ...plan } = scan.result as Json;
    const events = plan.minimum_viable_instrumentation as readonly Json[];
    for (const { priority, event, why_this_matters_now, unlocks_questions } of events) {
      expect(priority).toBeInteger();
      for (const text of [event, why_this_matters_now]) expect(text).toBeString();
      expect(unlocks_questions).toBeArray();
    }
    expect(current_blindspots).toBeArray();
    for (const { event, reason } of not_needed_yet as readonly Json[]) {
      for (const text of [event, reason]) expect(text).toBeString();
    }
    const [read, again] = await cli.command("GET", `/website-scans/${scan.analysis_id}`);
    expect([read, again]).toEqual([200, scan]);
    await cli.command("DELETE", "/projects/quill");
  });

  test("logs out by revoking itself; afterwards it must sign in again", async () => {
    const [status, answer] = await cli.command("POST", "/agent-sessions/revoke", {
      session_id: cli.sessionId,
    });
    expect([status, answer]).toEqual([200, { ok: true, session_id: cli.sessionId }]);
    const [refused, { error }] = await cli.command("GET", "/account");
    expect([refused, error]).toEqual([401, "INVALID_REFRESH_TOKEN"]);
    expect((await app.send("GET", "/account", { key: app.key })).status).toBe(200);
  });
});
