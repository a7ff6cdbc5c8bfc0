import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { dayMs, hourMs } from "../../src/lib/clock";
import { sha256Hex } from "../../src/lib/ids";
import { accessToken } from "../../src/store/control/agent-tables";
import { forgetClients } from "../../src/store/control/oauth-clients";
import { refreshGraceMs, spentTokensMax } from "../../src/store/control/oauth-sessions";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";
import {
  approvedCode,
  bearerOf,
  oauthBase,
  readingScopes,
  refresh,
  registered,
  signedIn,
  statusAtMcp,
  token,
  toldBy,
} from "../support/app/oauth";
import { ownerOf } from "../support/app/owner";

let app: TestApp;
let clientId: string;
beforeAll(async () => {
  app = await testApp();
  await app.makeProject("shop");
  clientId = await registered(app);
  await signedIn(app, clientId);
});
beforeEach(() => app.setTime(noonMs));
afterAll(() => app.close());

const opens = (access: string) => statusAtMcp(app, access);

describe("a refresh token", () => {
  test("is followed by a new one, and so on", async () => {
    const first = await signedIn(app, clientId);
    let last = first.refresh_token;
    const seen = new Set([last]);
    for (let hours = 1; hours <= 5; hours++) {
      app.setTime(noonMs + hours * hourMs);
      const answer = await refresh(app, clientId, last);
      const tokens = (await answer.json()) as typeof first;
      expect([answer.status, tokens.scope, tokens.expires_in]).toEqual([200, readingScopes, 3_600]);
      expect(await opens(tokens.access_token)).toBe(200);
      expect(seen.has(tokens.refresh_token)).toBe(false);
      last = tokens.refresh_token;
      seen.add(last);
    }
  });

  test("used in parallel, or again within a minute, gives all of them the same next one", async () => {
    const { refresh_token: first } = await signedIn(app, clientId);
    const told = await Promise.all([1, 2, 3].map(() => refresh(app, clientId, first)));
    const next = await Promise.all(told.map(async (one) => (await one.json()) as Json));
    expect(new Set(next.map((one) => one.refresh_token)).size).toBe(1);
    expect(new Set(next.map((one) => one.access_token)).size).toBe(3);
    for (const { access_token: access } of next) expect(await opens(String(access))).toBe(200);
    // One that is two steps behind is brought up to the newest.
    const second = String(next[0]?.refresh_token);
    const third = (await (await refresh(app, clientId, second)).json()) as Json;
    app.setTime(noonMs + refreshGraceMs);
    const again = (await (await refresh(app, clientId, first)).json()) as Json;
    expect(again.refresh_token).toBe(third.refresh_token);
  });

  test("used after that minute ends the session with all its tokens", async () => {
    const { refresh_token: first, access_token: access } = await signedIn(app, clientId);
    const next = (await (await refresh(app, clientId, first)).json()) as Json;
    app.setTime(noonMs + refreshGraceMs + 1);
    expect(await toldBy(await refresh(app, clientId, first))).toBe("400 invalid_grant");
    for (const one of [access, String(next.access_token)]) expect(await opens(one)).toBe(401);
    const newest = await refresh(app, clientId, String(next.refresh_token));
    expect(await toldBy(newest)).toBe("400 invalid_grant");
    const { sessions } = await app.get("/account/agent-sessions");
    const ended = (sessions as Json[]).filter(({ revoked_at: at }) => at !== null);
    expect(ended.some(({ revoked_at: at }) => at === noonMs + refreshGraceMs + 1)).toBe(true);
  });

  test("that was followed long ago ends it too", async () => {
    const { refresh_token: first } = await signedIn(app, clientId);
    let last = first;
    for (let count = 0; count < 4; count++) {
      app.setTime(noonMs + count * hourMs);
      last = ((await (await refresh(app, clientId, last)).json()) as { refresh_token: string })
        .refresh_token;
    }
    expect(await toldBy(await refresh(app, clientId, first))).toBe("400 invalid_grant");
    expect(await toldBy(await refresh(app, clientId, last))).toBe("400 invalid_grant");
  });

  test("is told from an unknown one for a thousand refreshes", async () => {
    const { refresh_token: first, access_token: access } = await signedIn(app, clientId);
    const next = async (of: string) =>
      ((await (await refresh(app, clientId, of)).json()) as { refresh_token: string })
        .refresh_token;
    const second = await next(first);
    const third = await next(second);
    const { control } = app.deps;
    // The first is now the last of a thousand, but for the two that follow.
    control.write(() =>
      control.db.run(sql`
        with recursive number(n) as (select 1 union all select n + 1 from number where n < ${spentTokensMax - 2})
        insert into spent_refresh_token (hash, session_id, spent_at)
        select 'spent ' || n, session_id, ${noonMs} from access_token, number where hash = ${sha256Hex(access)}`),
    );
    app.setTime(noonMs + refreshGraceMs + 1);
    const fourth = await next(third);
    app.setTime(noonMs + 2 * (refreshGraceMs + 1));
    // Nothing is known of the first any more, so its use ends nothing; that of the second does.
    expect(await toldBy(await refresh(app, clientId, first))).toBe("400 invalid_grant");
    expect(await opens(access)).toBe(200);
    expect(await toldBy(await refresh(app, clientId, second))).toBe("400 invalid_grant");
    expect(await opens(access)).toBe(401);
    expect(await toldBy(await refresh(app, clientId, fourth))).toBe("400 invalid_grant");
  });

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ["another scope", { scope: "projects:write" }, "400 invalid_scope"],
    ["another resource", { resource: oauthBase }, "400 invalid_target"],
    ["none", { refresh_token: "" }, "400 invalid_request"],
    ["one that nobody has", { refresh_token: `aar_${"0".repeat(48)}` }, "400 invalid_grant"],
  ])("with %s is refused, and good afterwards", async (_, more, refusal) => {
    const { refresh_token: first } = await signedIn(app, clientId);
    expect(await toldBy(await refresh(app, clientId, first, more))).toBe(refusal);
    const fewer = { scope: "analytics:read", resource: `${oauthBase}/mcp` };
    expect((await refresh(app, clientId, first, fewer)).status).toBe(200);
  });

  test("with fewer scopes gives an access token with these alone, and keeps what was approved", async () => {
    const resource = { resource: oauthBase };
    const { refresh_token: first, access_token: whole } = await signedIn(app, clientId, resource);
    const next = async (of: string, scope?: string) => {
      const answer = await refresh(app, clientId, of, scope === undefined ? {} : { scope });
      return (await answer.json()) as Record<"scope" | "access_token" | "refresh_token", string>;
    };
    const reach = async (access: string) => {
      const headers = bearerOf(access);
      const paths = ["/projects", "/account", "/stats?project=shop"];
      const answers = await Promise.all(paths.map((path) => app.send("GET", path, { headers })));
      return answers.map(({ status }) => status);
    };
    const narrow = await next(first, "projects:read projects:read");
    expect(narrow.scope).toBe("projects:read");
    expect(await reach(narrow.access_token)).toEqual([200, 403, 403]);
    expect(await reach(whole)).toEqual([200, 200, 200]);
    // RFC 6749, 6: the new refresh token has the scopes of the one before.
    const again = await next(narrow.refresh_token);
    expect(again.scope).toBe(readingScopes);
    expect(await reach(again.access_token)).toEqual([200, 200, 200]);
    expect(await reach(narrow.access_token)).toEqual([200, 403, 403]);
  });

  test("of another client is refused, and its session goes on", async () => {
    const { refresh_token: first } = await signedIn(app, clientId);
    const other = await registered(app);
    expect(await toldBy(await refresh(app, other, first))).toBe("400 invalid_grant");
    expect((await refresh(app, clientId, first)).status).toBe(200);
  });

  test("is not for the endpoint of agent sessions, nor theirs for this one", async () => {
    const { refresh_token } = await signedIn(app, clientId);
    const answer = await app.send("POST", "/agent-sessions/refresh", { body: { refresh_token } });
    expect(await toldBy(answer)).toBe("401 INVALID_REFRESH_TOKEN");
    const accountId = String((await app.get("/account")).id);
    const made = {
      ...ownerOf(app.deps.control, accountId),
      scopes: ["analytics:read"],
      clientType: "cli",
    };
    const { refreshToken } = app.deps.control.agents.addSession(made, noonMs);
    expect(await toldBy(await refresh(app, clientId, refreshToken))).toBe("400 invalid_grant");
    const kept = { body: { refresh_token: refreshToken } };
    expect((await app.send("POST", "/agent-sessions/refresh", kept)).status).toBe(200);
  });

  test("ends with its session, and 90 days after the last use", async () => {
    const { refresh_token: first, access_token: access } = await signedIn(app, clientId);
    const hash = sha256Hex(access);
    const { db } = app.deps.control;
    const found = db.select().from(accessToken).where(eq(accessToken.hash, hash)).get();
    await app.post("/agent-sessions/revoke", { session_id: found?.sessionId });
    expect(await opens(access)).toBe(401);
    expect(await toldBy(await refresh(app, clientId, first))).toBe("400 invalid_grant");
    const { refresh_token: kept } = await signedIn(app, clientId);
    const { refresh_token: late } = await signedIn(app, clientId);
    app.setTime(noonMs + 90 * dayMs - 1);
    expect((await refresh(app, clientId, kept)).status).toBe(200);
    app.setTime(noonMs + 90 * dayMs);
    expect(await toldBy(await refresh(app, clientId, late))).toBe("400 invalid_grant");
  });

  test("and a code are nowhere kept as they are", async () => {
    const form = await approvedCode(app, clientId);
    const tokens = (await (await token(app, form)).json()) as { refresh_token: string };
    const next = await refresh(app, clientId, tokens.refresh_token);
    const { access_token, refresh_token } = (await next.json()) as Record<string, string>;
    const { db } = app.deps.control;
    const rows = ["auth_request", "agent_session", "access_token", "spent_refresh_token"].map(
      (table) => JSON.stringify(db.all(sql.raw(`select * from ${table}`))),
    );
    for (const secret of [form.code, tokens.refresh_token, access_token, refresh_token]) {
      expect(rows.some((text) => text.includes(String(secret)))).toBe(false);
    }
    expect(app.logged.some((line) => /aa[res]_[0-9a-f]{48}/.test(line))).toBe(false);
  });
});

describe("revoking", () => {
  const revoke = (form: Record<string, string>) =>
    app.send("POST", "/oauth/revoke", { body: new URLSearchParams(form).toString() });

  test("ends the session by either token, and is always 200", async () => {
    for (const which of ["access_token", "refresh_token"] as const) {
      const tokens = await signedIn(app, clientId);
      const other = await registered(app);
      expect((await revoke({ token: tokens[which], client_id: other })).status).toBe(200);
      expect(await opens(tokens.access_token)).toBe(200);
      const answer = await revoke({ token: tokens[which], client_id: clientId });
      expect([answer.status, await answer.text()]).toEqual([200, "{}"]);
      expect(await opens(tokens.access_token)).toBe(401);
      expect((await revoke({ token: tokens[which] })).status).toBe(200);
    }
    expect((await revoke({})).status).toBe(200);
    expect((await revoke({ token: app.key })).status).toBe(200);
    expect((await app.send("GET", "/projects", { key: app.key })).status).toBe(200);
  });
});

describe("a registered client", () => {
  const isKnown = async (id: string) => {
    forgetClients(app.deps.control, nowMs);
    const answer = await refresh(app, id, "x");
    return (await toldBy(answer)) !== "401 invalid_client";
  };
  let nowMs = noonMs;
  const at = (ms: number) => {
    nowMs = ms;
    app.setTime(ms);
  };

  test("that nobody approved is gone after a day", async () => {
    at(noonMs);
    const id = await registered(app);
    at(noonMs + dayMs - 1);
    expect(await isKnown(id)).toBe(true);
    at(noonMs + dayMs);
    expect(await isKnown(id)).toBe(false);
  });

  test("that was approved is gone when it was not used for 90 days", async () => {
    at(noonMs);
    const id = await registered(app);
    const { refresh_token: first } = await signedIn(app, id);
    at(noonMs + 80 * dayMs);
    expect((await refresh(app, id, first)).status).toBe(200);
    at(noonMs + 170 * dayMs - 1);
    expect(await isKnown(id)).toBe(true);
    at(noonMs + 170 * dayMs);
    expect(await isKnown(id)).toBe(false);
  });
});
