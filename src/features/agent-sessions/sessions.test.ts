import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { ownerOf } from "../../../test/support/app/owner";
import { bearer, browser, type SignedIn, signIn, told } from "../../../test/support/app/sign-in";
import { accessTokenMs, refreshTokenMs } from "../../domain/limits";
import { clock, hourMs, secondMs } from "../../lib/clock";
import {
  accessTokensMax,
  agentSessionMs,
  agentSessionsListedMax,
} from "../../store/control/agent-sessions";
import { accessToken, agentSession } from "../../store/control/agent-tables";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ REGISTRATION: "open" });
});
beforeEach(() => app.setTime(noonMs));
afterAll(() => app.close());

describe("refreshing", () => {
  const refresh = (token: unknown) =>
    app.send("POST", "/agent-sessions/refresh", { body: { refresh_token: token } });
  const again = async ({ refresh_token: token }: SignedIn): Promise<SignedIn> => {
    const { agent_session } = (await (await refresh(token)).json()) as { agent_session: SignedIn };
    return agent_session;
  };
  const isGood = async (session: SignedIn) =>
    (await app.send("GET", "/account", bearer(session))).status === 200;

  test("gives a new access token beside the earlier ones, and the same refresh token", async () => {
    const session = await signIn(app);
    app.setTime(noonMs + hourMs / 2);
    const answer = await refresh(session.refresh_token);
    const { id } = await app.get("/account");
    const nowMs = clock.nowMs();
    const body = (await answer.json()) as { agent_session: SignedIn };
    expect([answer.status, body as unknown]).toEqual([
      200,
      {
        ok: true,
        agent_session: {
          id: session.id,
          session_id: session.id,
          access_token: expect.stringMatching(/^aas_[0-9a-f]{48}$/),
          refresh_token: session.refresh_token,
          access_expires_at: nowMs + accessTokenMs,
          refresh_expires_at: nowMs + refreshTokenMs,
          scopes: session.scopes,
        },
        account: {
          id,
          email: "owner@example.com",
          github_login: null,
          google_name: null,
          tier: "pro",
        },
      },
    ]);
    expect([await isGood(session), await isGood(body.agent_session)]).toEqual([true, true]);
    app.setTime(noonMs + hourMs);
    expect([await isGood(session), await isGood(body.agent_session)]).toEqual([false, true]);
  });

  test("works for many at once, as a command that sends parallel requests does", async () => {
    const session = await signIn(app);
    const all = await Promise.all(Array.from({ length: 20 }, () => again(session)));
    expect(new Set(all.map((one) => one.access_token)).size).toBe(20);
    for (const one of all) expect(await isGood(one)).toBe(true);
  });

  test("keeps no more tokens than its bound, of which the newest are good", async () => {
    const session = await signIn(app);
    const { db } = app.deps.control;
    const own = eq(accessToken.sessionId, session.id);
    const kept = () => db.select().from(accessToken).where(own).all().length;
    db.run(sql`
      with recursive number(n) as (select 3 union all select n + 1 from number where n < ${accessTokensMax})
      insert into access_token (hash, session_id, expires_at)
      select 'h' || n, ${session.id}, ${session.access_expires_at} from number`);
    const last = await again(session);
    expect([kept(), await isGood(session), await isGood(last)]).toEqual([
      accessTokensMax,
      true,
      true,
    ]);
    const oneMore = await again(session);
    expect([kept(), await isGood(session), await isGood(last), await isGood(oneMore)]).toEqual([
      accessTokensMax,
      false,
      true,
      true,
    ]);
  });

  test("lengthens a session by 90 days, up to a year", async () => {
    const session = await signIn(app);
    app.setTime(noonMs + refreshTokenMs - 1);
    expect((await again(session)).refresh_expires_at).toBe(noonMs + 2 * refreshTokenMs - 1);
    app.setTime(noonMs + 2 * refreshTokenMs - 2);
    await again(session);
    app.setTime(noonMs + 3 * refreshTokenMs - 3);
    await again(session);
    app.setTime(noonMs + 4 * refreshTokenMs - 10);
    const last = await again(session);
    expect(last.refresh_expires_at).toBe(noonMs + agentSessionMs);
    app.setTime(noonMs + agentSessionMs - 1);
    const ending = await again(session);
    expect([ending.access_expires_at, ending.refresh_expires_at]).toEqual([
      noonMs + agentSessionMs,
      noonMs + agentSessionMs,
    ]);
    app.setTime(noonMs + agentSessionMs);
    expect(await told(await refresh(session.refresh_token))).toBe("401 INVALID_REFRESH_TOKEN");
    expect(await isGood(ending)).toBe(false);
  });

  test("refuses what is unknown, expired, revoked, or no refresh token", async () => {
    const session = await signIn(app);
    const refused = "401 INVALID_REFRESH_TOKEN";
    for (const token of [`aar_${"0".repeat(48)}`, session.access_token, app.key]) {
      expect(await told(await refresh(token))).toBe(refused);
    }
    for (const token of [undefined, null, ""]) {
      expect(await told(await refresh(token))).toBe("400 MISSING_FIELDS refresh_token");
    }
    await app.send("POST", "/agent-sessions/revoke", bearer(session, { session_id: session.id }));
    expect(await told(await refresh(session.refresh_token))).toBe(refused);
    const old = await signIn(app);
    app.setTime(noonMs + refreshTokenMs);
    expect(await told(await refresh(old.refresh_token))).toBe(refused);
    app.setTime(noonMs + refreshTokenMs - 1);
    expect(await told(await refresh(old.refresh_token))).toBe("200");
  });
});

describe("the list", () => {
  const list = async (): Promise<readonly Json[]> =>
    (await app.get("/account/agent-sessions")).sessions as readonly Json[];
  const clear = () => app.deps.control.db.delete(agentSession).run();

  test("shows every field, newest first", async () => {
    clear();
    const client = { client_name: "Helper", client_instance_id: "i-1", label: "laptop" };
    const first = await signIn(app, { client_type: "mcp", ...client, scopes: ["live:read"] });
    app.setTime(noonMs + secondMs);
    const second = await signIn(app);
    expect(await list()).toEqual([
      {
        id: second.id,
        client_type: "cli",
        client_name: null,
        client_instance_id: null,
        label: null,
        scopes: second.scopes,
        status: "active",
        created_at: noonMs + secondMs,
        last_used_at: noonMs + secondMs,
        access_expires_at: second.access_expires_at,
        refresh_expires_at: second.refresh_expires_at,
        revoked_at: null,
      },
      {
        id: first.id,
        client_type: "mcp",
        ...client,
        scopes: ["live:read"],
        status: "active",
        created_at: noonMs,
        last_used_at: noonMs,
        access_expires_at: noonMs + accessTokenMs,
        refresh_expires_at: noonMs + refreshTokenMs,
        revoked_at: null,
      },
    ]);
  });

  test("shows a session that was revoked, and one whose time ran out, as revoked", async () => {
    clear();
    const [revoked, expired] = [await signIn(app), await signIn(app)];
    app.setTime(noonMs + hourMs);
    await app.post("/agent-sessions/revoke", { session_id: revoked.id });
    const told = async () =>
      Object.fromEntries(
        (await list()).map(({ id, ...one }) => [id, [one.status, one.revoked_at]]),
      );
    const isRevoked = { [revoked.id]: ["revoked", noonMs + hourMs] };
    app.setTime(noonMs + refreshTokenMs - 1);
    expect(await told()).toEqual({ ...isRevoked, [expired.id]: ["active", null] });
    app.setTime(noonMs + refreshTokenMs);
    const ended = ["revoked", noonMs + refreshTokenMs];
    expect(await told()).toEqual({ ...isRevoked, [expired.id]: ended });
  });

  test("has at most 200, and none of another account", async () => {
    clear();
    const { control } = app.deps;
    const body = { email: "other@example.com", password: "correct horse battery" };
    const other = await (await app.send("POST", "/auth/signup", { body })).json();
    const { account } = other as { account: { id: string } };
    const { id } = await app.get("/account");
    const add = (accountId: string) =>
      control.agents.addSession(
        { ...ownerOf(control, accountId), scopes: ["live:read"], clientType: "cli" },
        noonMs,
      );
    control.write(() => {
      for (let count = 1; count <= agentSessionsListedMax; count++) add(String(id));
      add(account.id);
    });
    expect((await list()).length).toBe(agentSessionsListedMax);
    add(String(id));
    expect((await list()).length).toBe(agentSessionsListedMax);
    control.db
      .delete(agentSession)
      .where(eq(agentSession.accountId, String(id)))
      .run();
    expect(await list()).toEqual([]);
  });
});

describe("revoking", () => {
  const revoke = (body: Json, headers: Readonly<Record<string, string>>) =>
    app.send("POST", "/agent-sessions/revoke", { headers, body });
  const isGood = async (session: SignedIn) =>
    (await app.send("GET", "/account", bearer(session))).status === 200;

  test("ends all tokens of a session at once", async () => {
    const session = await signIn(app);
    const { refresh_token } = session;
    const more = await app.send("POST", "/agent-sessions/refresh", { body: { refresh_token } });
    const { agent_session: newer } = (await more.json()) as { agent_session: SignedIn };
    const answer = await app.post("/agent-sessions/revoke", { session_id: session.id });
    expect(answer).toEqual({ ok: true, session_id: session.id });
    expect([await isGood(session), await isGood(newer)]).toEqual([false, false]);
    expect(await app.post("/agent-sessions/revoke", { session_id: session.id })).toEqual(answer);
  });

  test("is allowed to a session for itself alone", async () => {
    const [session, other] = [await signIn(app), await signIn(app)];
    const call = (id: string) =>
      app.send("POST", "/agent-sessions/revoke", bearer(session, { session_id: id }));
    expect(await told(await call(other.id))).toBe("403 FORBIDDEN");
    expect(await told(await call("ags_0000000000000000"))).toBe("403 FORBIDDEN");
    expect(await isGood(other)).toBe(true);
    expect((await call(session.id)).status).toBe(200);
    expect(await told(await call(session.id))).toBe("401 INVALID_TOKEN");
  });

  test("is allowed to the dashboard and to the key for all of the account's", async () => {
    const session = await signIn(app);
    expect((await revoke({ session_id: session.id }, browser(app))).status).toBe(200);
    const unknown = { session_id: "ags_0000000000000000" };
    expect(await told(await revoke(unknown, { "x-api-key": app.key }))).toBe("404 NOT_FOUND");
    expect(await told(await revoke({}, { "x-api-key": app.key }))).toBe(
      "400 MISSING_FIELDS session_id",
    );
    const mine = await signIn(app);
    const body = { email: "third@example.com", password: "correct horse battery" };
    const made = await app.send("POST", "/auth/signup", { body });
    const cookie = (made.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const foreign = await revoke({ session_id: mine.id }, browser(app, cookie));
    expect(await told(foreign)).toBe("404 NOT_FOUND");
    expect(await isGood(mine)).toBe(true);
  });
});
