import { afterEach, beforeEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { accessTokenMs } from "../../src/domain/limits";
import { clock, minuteMs, secondMs } from "../../src/lib/clock";
import { agentSession } from "../../src/store/control/agent-tables";
import { demoSessionMs } from "../../src/store/control/agents";
import { account } from "../../src/store/control/tables";
import { noonMs, type TestApp, testApp } from "../support/app/app";
import { ownerOf } from "../support/app/owner";

let app: TestApp;
let accountId = "";
beforeEach(async () => {
  app = await testApp();
  accountId = String((await app.get("/account")).id);
  await app.makeProject("shop");
});
afterEach(() => app.close());

const signIn = (...scopes: readonly string[]) =>
  app.deps.control.agents.addSession(
    { ...ownerOf(app.deps.control, accountId), scopes, clientType: "cli" },
    clock.nowMs(),
  );

async function answer(method: string, path: string, authorization: string): Promise<string> {
  const { send, key } = app;
  // The key would do; it must not be looked at.
  const response = await send(method, path, { key, headers: { authorization } });
  const { error, required_scope: scope } = (await response.json()) as Record<string, unknown>;
  return [response.status, error, scope].filter((part) => part !== undefined).join(" ");
}

test("an access token opens what its scopes name, and nothing else", async () => {
  const { accessToken } = signIn("analytics:read", "projects:write");
  const bearer = `Bearer ${accessToken}`;
  expect(await answer("GET", "/stats?project=shop", bearer)).toBe("200");
  expect(await answer("GET", "/projects", bearer)).toBe("200");
  expect(await answer("DELETE", "/projects/shop", bearer)).toBe("200");
  expect(await answer("GET", "/account", bearer)).toBe("403 FORBIDDEN account:read");
  expect(await answer("POST", "/account/revoke-key", bearer)).toBe("403 FORBIDDEN");
  expect(await answer("GET", "/account/api-key", bearer)).toBe("403 FORBIDDEN");
});

test("reading does not include writing", async () => {
  const { accessToken } = signIn("projects:read");
  const bearer = `Bearer ${accessToken}`;
  expect(await answer("GET", "/projects", bearer)).toBe("200");
  expect(await answer("DELETE", "/projects/shop", bearer)).toBe("403 FORBIDDEN projects:write");
});

test("Bearer takes access tokens only, in any spelling of the word", async () => {
  const { accessToken, refreshToken } = signIn("account:read");
  for (const [authorization, expected] of [
    [`Bearer ${accessToken}`, "200"],
    [`bearer ${accessToken}`, "200"],
    [`BEARER  ${accessToken}`, "200"],
    [`Bearer ${accessToken.toUpperCase()}`, "401 INVALID_TOKEN"],
    [`Bearer ${accessToken}0`, "401 INVALID_TOKEN"],
    [`Bearer ${refreshToken}`, "401 INVALID_TOKEN"],
    [`Bearer ${app.key}`, "401 INVALID_TOKEN"],
    [accessToken, "401 INVALID_TOKEN"],
    [`Basic ${accessToken}`, "401 INVALID_TOKEN"],
    ["Bearer", "401 INVALID_TOKEN"],
    ["", "401 INVALID_TOKEN"],
  ] as const) {
    const got = await answer("GET", "/account", authorization);
    expect([authorization, got]).toEqual([authorization, expected]);
  }
});

test("it lives for an hour, and not a moment after its session is revoked", async () => {
  const { accessToken, accessExpiresAtMs } = signIn("account:read");
  expect(accessExpiresAtMs).toBe(noonMs + accessTokenMs);
  app.setTime(accessExpiresAtMs - 1);
  expect(await answer("GET", "/account", `Bearer ${accessToken}`)).toBe("200");
  app.setTime(accessExpiresAtMs);
  expect(await answer("GET", "/account", `Bearer ${accessToken}`)).toBe("401 INVALID_TOKEN");

  const second = signIn("account:read");
  const { control } = app.deps;
  control.write(() => {
    const row = eq(agentSession.id, second.id);
    control.db.update(agentSession).set({ revokedAtMs: clock.nowMs() }).where(row).run();
  });
  expect(await answer("GET", "/account", `Bearer ${second.accessToken}`)).toBe("401 INVALID_TOKEN");
});

test("its last use is told to the minute", async () => {
  const { id, accessToken } = signIn("account:read");
  const lastUsed = () => {
    app.deps.usage.flush();
    const row = app.deps.control.db.select().from(agentSession).where(eq(agentSession.id, id));
    return (row.get()?.lastUsedAtMs ?? 0) - noonMs;
  };
  const useAt = async (afterMs: number) => {
    app.setTime(noonMs + afterMs);
    await answer("GET", "/account", `Bearer ${accessToken}`);
    return lastUsed();
  };
  expect(await useAt(10 * secondMs)).toBe(10 * secondMs);
  expect(await useAt(minuteMs)).toBe(10 * secondMs);
  expect(await useAt(minuteMs + 10 * secondMs)).toBe(minuteMs + 10 * secondMs);
});

test("a session of the demo's account reads what the index marks, for half an hour", async () => {
  const { control } = app.deps;
  control.write(() => {
    control.db.update(account).set({ isDemo: true }).where(eq(account.id, accountId)).run();
  });
  const scopes = ["account:read", "projects:read", "analytics:read", "feedback:write"];
  const { accessToken, accessExpiresAtMs } = control.agents.addDemoSession(
    accountId,
    scopes,
    clock.nowMs(),
  );
  expect(accessExpiresAtMs).toBe(noonMs + demoSessionMs);
  const bearer = `Bearer ${accessToken}`;
  expect(await answer("GET", "/stats?project=shop", bearer)).toBe("200");
  expect(await answer("DELETE", "/projects/shop", bearer)).toBe("403 DEMO_READ_ONLY");
  expect(await answer("POST", "/account/revoke-key", bearer)).toBe("403 DEMO_READ_ONLY");
  app.setTime(accessExpiresAtMs);
  expect(await answer("GET", "/stats?project=shop", bearer)).toBe("401 INVALID_TOKEN");
});
