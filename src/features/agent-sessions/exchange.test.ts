import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import {
  type Asked,
  ask,
  codeOf,
  exchange,
  newVerifier,
  poll,
  press,
  sentTo,
  told,
} from "../../../test/support/app/sign-in";
import { accessTokenMs, refreshTokenMs } from "../../domain/limits";
import { authRequest } from "../../store/control/agent-tables";
import { exchangeCodeMs, wrongCodesMax } from "../../store/control/auth-requests";
import { account } from "../../store/control/tables";
import { pollPerMinuteMax } from "./start-routes";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
beforeEach(() => app.setTime(noonMs));
afterAll(() => app.close());

const approved = async (body: Json = {}): Promise<{ asked: Asked; code: string }> => {
  const asked = await ask(app, body);
  await press(app, asked, "approve");
  return { asked, code: codeOf(app, asked) };
};
const wrongCode = `aae_${"0".repeat(48)}`;
const stateOf = async (asked: Asked) => (await (await poll(app, asked)).json()) as Json;

describe("polling", () => {
  test("tells each state, and a detached request's code while it is approved", async () => {
    const asked = await ask(app, { mode: "detached" });
    const none = { exchange_code: null, account_id: null, approved_email: null };
    expect(await stateOf(asked)).toEqual({ status: "pending", ...none });
    await press(app, asked, "approve");
    const { id } = await app.get("/account");
    const who = { account_id: id, approved_email: "owner@example.com" };
    const now = await stateOf(asked);
    expect(now).toEqual({ status: "approved", exchange_code: codeOf(app, asked), ...who });
    await exchange(app, asked, String(now.exchange_code));
    expect(await stateOf(asked)).toEqual({ status: "exchanged", exchange_code: null, ...who });
  });

  test("never tells the code of an interactive request, which goes to its callback alone", async () => {
    const { asked, code } = await approved();
    expect(code).toMatch(/^aae_[0-9a-f]{48}$/);
    expect(await stateOf(asked)).toMatchObject({ status: "approved", exchange_code: null });
    expect((await exchange(app, asked, code)).status).toBe(200);
  });

  test("tells with 410 that it was denied, or that time ran out", async () => {
    const denied = await ask(app);
    await press(app, denied, "deny");
    const none = { exchange_code: null, account_id: null, approved_email: null };
    const revoked = await poll(app, denied);
    expect([revoked.status, await revoked.json()]).toEqual([
      410,
      {
        error: "AUTH_REQUEST_REVOKED",
        message: expect.stringContaining("revoked"),
        status: "revoked",
        ...none,
      },
    ]);
    const { asked } = await approved();
    app.setTime(noonMs + exchangeCodeMs.interactive);
    const expired = await poll(app, asked);
    expect([expired.status, await expired.json()]).toMatchObject([
      410,
      {
        error: "AUTH_REQUEST_EXPIRED",
        message: expect.stringContaining("expired"),
        status: "expired",
        exchange_code: null,
      },
    ]);
  });

  test("needs the token of the request", async () => {
    const [asked, other] = [await ask(app), await ask(app)];
    for (const answer of [
      await poll(app, asked, other.poll_token),
      await poll(app, asked, `${asked.poll_token}0`),
      await poll(app, { ...asked, auth_request_id: "req_0000000000000000" }),
    ]) {
      expect([answer.status, await answer.json()]).toEqual([
        401,
        { error: "INVALID_POLL_TOKEN", message: "invalid auth request" },
      ]);
    }
    const answer = await app.send("POST", "/agent-sessions/poll", { body: {} });
    expect(await told(answer)).toBe("400 MISSING_FIELDS auth_request_id");
  });

  test("is for 60 times a minute, which nobody else can use up", async () => {
    const asked = await ask(app);
    for (let count = 1; count <= pollPerMinuteMax; count++) {
      expect((await poll(app, asked, wrongCode)).status).toBe(401);
    }
    expect(await told(await poll(app, asked, wrongCode))).toBe("429 RATE_LIMITED");
    for (let count = 1; count <= pollPerMinuteMax; count++) {
      expect((await poll(app, asked)).status).toBe(200);
    }
    const refused = await poll(app, asked);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect((await poll(app, await ask(app))).status).toBe(200);
  });
});

describe("the exchange", () => {
  test("gives tokens, an id, the scopes and the account", async () => {
    const { asked, code } = await approved({ scopes: ["live:read"] });
    const answer = await exchange(app, asked, code);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const { id } = await app.get("/account");
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        ok: true,
        agent_session: {
          id: expect.stringMatching(/^ags_[a-z0-9]{16}$/),
          access_token: expect.stringMatching(/^aas_[0-9a-f]{48}$/),
          refresh_token: expect.stringMatching(/^aar_[0-9a-f]{48}$/),
          access_expires_at: noonMs + accessTokenMs,
          refresh_expires_at: noonMs + refreshTokenMs,
          scopes: ["live:read"],
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
  });

  test("goes through its cases in their order", async () => {
    const nobody = { ...(await ask(app)), auth_request_id: "req_0000000000000000" };
    expect(await told(await exchange(app, nobody, wrongCode))).toBe("401 INVALID_EXCHANGE_CODE");
    const pending = await ask(app);
    const early = await exchange(app, pending, wrongCode);
    expect([early.status, await early.json()]).toEqual([
      400,
      { error: "INVALID_STATE", message: "auth request is not ready" },
    ]);
    const { asked, code } = await approved();
    expect(await told(await exchange(app, asked, wrongCode))).toBe("401 INVALID_EXCHANGE_CODE");
    expect((await exchange(app, asked, code)).status).toBe(200);
    for (const sent of [code, wrongCode]) {
      const again = await exchange(app, asked, sent);
      expect([again.status, await again.json()]).toEqual([
        409,
        { error: "AUTH_REQUEST_ALREADY_EXCHANGED", message: "auth request already exchanged" },
      ]);
    }
    await press(app, pending, "deny");
    const revoked = await exchange(app, pending, wrongCode);
    expect([revoked.status, await revoked.json()]).toMatchObject([
      410,
      { error: "AUTH_REQUEST_REVOKED", status: "revoked" },
    ]);
    expect(await told(await app.send("POST", "/agent-sessions/exchange", { body: {} }))).toBe(
      "400 MISSING_FIELDS auth_request_id",
    );
  });

  test.each(["interactive", "detached"] as const)("%s: until its code expires", async (mode) => {
    const [first, second] = [await approved({ mode }), await approved({ mode })];
    app.setTime(noonMs + exchangeCodeMs[mode] - 1);
    expect((await exchange(app, first.asked, first.code)).status).toBe(200);
    app.setTime(noonMs + exchangeCodeMs[mode]);
    const late = await exchange(app, second.asked, second.code);
    expect([late.status, await late.json()]).toMatchObject([
      410,
      { error: "AUTH_REQUEST_EXPIRED", status: "expired" },
    ]);
  });

  test("five wrong codes end the request, four do not", async () => {
    const { asked, code } = await approved();
    for (let count = 1; count < wrongCodesMax; count++) await exchange(app, asked, wrongCode);
    expect((await exchange(app, asked, code)).status).toBe(200);
    const other = await approved();
    for (let count = 1; count <= wrongCodesMax; count++) {
      expect(await told(await exchange(app, other.asked, wrongCode))).toBe(
        "401 INVALID_EXCHANGE_CODE",
      );
    }
    expect(await told(await exchange(app, other.asked, other.code))).toBe(
      "410 AUTH_REQUEST_REVOKED",
    );
    expect(await told(await poll(app, other.asked))).toBe("410 AUTH_REQUEST_REVOKED");
  });

  test("has one winner among many", async () => {
    const { asked, code } = await approved();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => exchange(app, asked, code).then(told)),
    );
    expect(answers.filter((answer) => answer === "200").length).toBe(1);
    expect(answers.filter((answer) => answer.startsWith("409 AUTH_REQUEST_ALREADY")).length).toBe(
      19,
    );
  });

  test("of an account that was deleted since is over", async () => {
    const { asked, code } = await approved();
    const { control } = app.deps;
    const setDeleted = (deletedAtMs: number | null) =>
      control.write(() => control.db.update(account).set({ deletedAtMs }).run());
    setDeleted(noonMs);
    expect(await told(await exchange(app, asked, code))).toBe("410 AUTH_REQUEST_REVOKED");
    setDeleted(null);
  });
});

describe("a code challenge", () => {
  test("is met by its verifier, in hex and in base64url", async () => {
    const { verifier, challenge } = newVerifier();
    const base64 = Buffer.from(challenge, "hex").toString("base64url");
    for (const code_challenge of [challenge, challenge.toUpperCase(), base64]) {
      const { asked, code } = await approved({ code_challenge });
      const answer = await exchange(app, asked, code, { code_verifier: verifier });
      expect([code_challenge, answer.status]).toEqual([code_challenge, 200]);
    }
  });

  test("takes verifiers of 43 to 128 characters", async () => {
    for (const [length, expected] of [
      [42, "401 INVALID_CODE_VERIFIER"],
      [43, "200"],
      [128, "200"],
      [129, "401 INVALID_CODE_VERIFIER"],
    ] as const) {
      const verifier = "v".repeat(length);
      const digest = new Bun.CryptoHasher("sha256").update(verifier).digest("hex");
      const { asked, code } = await approved({ code_challenge: digest });
      const answer = await exchange(app, asked, code, { code_verifier: verifier });
      expect([length, await told(answer)]).toEqual([length, expected]);
    }
  });

  test("refuses who lacks it, five times; a wrong code comes first", async () => {
    const { verifier, challenge } = newVerifier();
    const { asked, code } = await approved({ code_challenge: challenge });
    const wrong = "401 INVALID_CODE_VERIFIER";
    expect(await told(await exchange(app, asked, code))).toBe(wrong);
    expect(await told(await exchange(app, asked, code, { code_verifier: null }))).toBe(wrong);
    const other = { code_verifier: newVerifier().verifier };
    expect(await told(await exchange(app, asked, code, other))).toBe(wrong);
    expect(await told(await exchange(app, asked, wrongCode, other))).toBe(
      "401 INVALID_EXCHANGE_CODE",
    );
    expect(await told(await exchange(app, asked, code, other))).toBe(wrong);
    const right = { code_verifier: verifier };
    expect(await told(await exchange(app, asked, code, right))).toBe("410 AUTH_REQUEST_REVOKED");
  });

  test("a verifier without a challenge is not looked at", async () => {
    const { asked, code } = await approved();
    expect((await exchange(app, asked, code, { code_verifier: "x" })).status).toBe(200);
  });
});

test("the code of an approved request is kept encrypted, and gone once it was used", async () => {
  const { asked, code } = await approved();
  const row = () =>
    app.deps.control.db
      .select()
      .from(authRequest)
      .where(eq(authRequest.id, asked.auth_request_id))
      .get();
  expect(row()?.exchangeCodeSealed).toBeString();
  expect(JSON.stringify(row())).not.toContain(code);
  expect(Buffer.from(String(row()?.exchangeCodeSealed), "base64").includes("aae_")).toBe(false);
  await exchange(app, asked, code);
  expect(row()?.exchangeCodeSealed).toBeNull();
  const denied = await ask(app);
  const sent = sentTo(await press(app, denied, "deny"));
  expect(sent?.searchParams.get("exchange_code")).toBeNull();
});
