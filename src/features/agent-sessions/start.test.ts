import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { ask, callback, newVerifier, told } from "../../../test/support/app/sign-in";
import { startPerMinuteMax } from "../../http/auth/address-limits";
import { minuteMs } from "../../lib/clock";
import { authRequest } from "../../store/control/agent-tables";
import { approvalMs } from "../../store/control/auth-requests";
import {
  callbackUrlCharsMax,
  clientTextCharsMax,
  clientTypeCharsMax,
  scopesAskedMax,
} from "./schema";
import { metadataBytesMax } from "./start-routes";

let app: TestApp;
let minute = 0;
beforeAll(async () => {
  app = await testApp({ AGENT_CALLBACK_ORIGINS: "https://agents.example.com, http://lan:8080/" });
});
afterAll(() => app.close());

/** Each in a minute of its own: starting is limited by address. */
const start = (body: unknown) => {
  minute += 1;
  app.setTime(noonMs + minute * minuteMs);
  return app.send("POST", "/agent-sessions/start", { body });
};
const interactive = { client_type: "cli", callback_url: callback };
const detached = { client_type: "cli", mode: "detached" };
const refusal = async (body: Json) => told(await start(body));

describe("starting", () => {
  test("tells all that a client needs, and keeps no secret", async () => {
    app.setTime(noonMs);
    const asked = await ask(app, { client_type: "mcp", label: "laptop" });
    const { auth_request_id: id, poll_token: token, approval_code: code } = asked;
    expect(asked).toEqual({
      ok: true,
      auth_request_id: expect.stringMatching(/^req_[a-z0-9]{16}$/),
      authorize_url: `http://localhost:3000/agent-sessions/authorize/${id}`,
      approval_code: expect.stringMatching(/^[A-HJ-NP-Z2-9]{8}$/),
      poll_token: expect.stringMatching(/^aap_[0-9a-f]{48}$/),
      mode: "interactive",
      expires_at: noonMs + approvalMs.interactive,
      scopes: ["account:read", "projects:read", "analytics:read"],
    });
    const rows = JSON.stringify(app.deps.control.db.select().from(authRequest).all());
    expect(rows).toContain(String(code));
    expect(rows).not.toContain(String(token));
  });

  test("detached waits for a day and needs no callback; one that is sent is not looked at", async () => {
    const answer = await start({ ...detached, callback_url: "ftp://nowhere/#x" });
    const { expires_at: expiresAt, mode } = (await answer.json()) as Json;
    expect([answer.status, mode]).toEqual([201, "detached"]);
    expect(expiresAt).toBe(noonMs + minute * minuteMs + approvalMs.detached);
  });

  test("takes null for what a client leaves out", async () => {
    const nothing = { client_name: null, client_instance_id: null, label: null, metadata: null };
    const none = { ...nothing, scopes: null, code_challenge: null, mode: null };
    expect((await start({ ...interactive, ...none })).status).toBe(201);
    expect(await refusal({ ...interactive, client_type: null })).toBe(
      "400 MISSING_FIELDS client_type",
    );
  });

  test("bounds every text", async () => {
    const fit = (chars: number) => "é".repeat(chars);
    for (const [field, charsMax] of [
      ["client_type", clientTypeCharsMax],
      ["client_name", clientTextCharsMax],
      ["client_instance_id", clientTextCharsMax],
      ["label", clientTextCharsMax],
    ] as const) {
      const fits = await start({ ...detached, [field]: fit(charsMax) });
      expect([field, fits.status]).toEqual([field, 201]);
      const tooLong = await refusal({ ...detached, [field]: fit(charsMax + 1) });
      expect(tooLong).toBe(`400 MISSING_FIELDS ${field}`);
    }
    expect(await refusal({ ...detached, client_type: "" })).toBe("400 MISSING_FIELDS client_type");
    expect(await refusal({ ...detached, mode: "silent" })).toBe("400 MISSING_FIELDS mode");
    expect(await refusal({ ...detached, label: 7 })).toBe("400 INVALID_BODY label");
  });

  test("takes metadata of 4 KiB", async () => {
    const of = (bytes: number) => ({ a: "x".repeat(bytes - '{"a":""}'.length) });
    expect((await start({ ...detached, metadata: of(metadataBytesMax) })).status).toBe(201);
    const tooLarge = await refusal({ ...detached, metadata: of(metadataBytesMax + 1) });
    expect(tooLarge).toBe("400 MISSING_FIELDS metadata");
    expect(await refusal({ ...detached, metadata: [] })).toBe("400 INVALID_BODY metadata");
  });
});

describe("scopes", () => {
  const granted = async (scopes: unknown) => {
    const answer = await start({ ...detached, scopes });
    return answer.status === 201 ? ((await answer.json()) as Json).scopes : told(answer);
  };
  test("are granted as asked for, without the unknown ones", async () => {
    expect(await granted(["live:read", "account:read", "sites:admin", "live:read"])).toEqual([
      "live:read",
      "account:read",
    ]);
    const cli = ["account:read", "projects:read", "projects:write", "analytics:read"];
    const more = ["live:read", "experiments:write", "feedback:write"];
    expect(await granted([...cli, ...more])).toEqual([...cli, ...more]);
  });
  test("must leave one that is known", async () => {
    expect(await granted([])).toBe("400 INVALID_SCOPE");
    expect(await granted(["toString", "account"])).toBe("400 INVALID_SCOPE");
  });
  test("are a list of bounded length", async () => {
    const many = Array.from({ length: scopesAskedMax }, () => "account:read");
    expect(await granted(many)).toEqual(["account:read"]);
    expect(await granted([...many, "account:read"])).toBe("400 MISSING_FIELDS scopes");
    expect(await granted("account:read")).toBe("400 INVALID_BODY scopes");
    expect(await granted([1])).toBe("400 INVALID_BODY scopes[0]");
  });
});

describe("a callback", () => {
  const wrong = "400 MISSING_FIELDS callback_url";
  test.each([
    "http://127.0.0.1:49152/callback",
    "http://localhost:1/",
    "http://[::1]:49152/callback?state=x",
    "HTTP://LOCALHOST:49152",
    "https://agents.example.com/deep/path?x=1",
    "http://lan:8080/callback",
  ])("may be %s", async (url) => {
    expect((await start({ ...interactive, callback_url: url })).status).toBe(201);
  });
  test.each([
    "",
    "callback",
    "/callback",
    "https://127.0.0.1/callback",
    "http://127.0.0.2/callback",
    "http://0.0.0.0/callback",
    "http://localhost.example.com/callback",
    "http://localhost:80@evil.example/callback",
    "http://user:pass@127.0.0.1/callback",
    "http://127.0.0.1/callback#",
    "http://127.0.0.1/callback#token",
    "http://agents.example.com/",
    "https://agents.example.com:8443/",
    "https://agents.example.com.evil.example/",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "myapp://callback",
  ])("may not be %j", async (url) => {
    expect(await refusal({ ...interactive, callback_url: url })).toBe(wrong);
  });
  test("is needed, and has at most 2,000 characters", async () => {
    expect(await refusal({ client_type: "cli" })).toBe(wrong);
    const of = (chars: number) => `${callback}?x=`.padEnd(chars, "x");
    expect((await start({ ...interactive, callback_url: of(callbackUrlCharsMax) })).status).toBe(
      201,
    );
    expect(await refusal({ ...interactive, callback_url: of(callbackUrlCharsMax + 1) })).toBe(
      wrong,
    );
  });
});

test("a code challenge is 64 hexadecimal or 43 base64url characters", async () => {
  const { challenge } = newVerifier();
  const base64 = Buffer.from(challenge, "hex").toString("base64url");
  for (const fits of [challenge, challenge.toUpperCase(), base64]) {
    expect((await start({ ...detached, code_challenge: fits })).status).toBe(201);
  }
  for (const wrong of ["", challenge.slice(1), `${challenge}0`, `${base64}=`, base64.slice(1)]) {
    expect(await refusal({ ...detached, code_challenge: wrong })).toBe(
      "400 MISSING_FIELDS code_challenge",
    );
  }
});

test("twenty a minute come from one address", async () => {
  app.setTime(noonMs - minuteMs);
  const from = (address: string) =>
    app.send("POST", "/agent-sessions/start", { body: detached, from: address });
  for (let count = 1; count <= startPerMinuteMax; count++) {
    expect((await from("198.51.100.7")).status).toBe(201);
  }
  const refused = await from("198.51.100.7");
  expect(await told(refused)).toBe("429 RATE_LIMITED");
  expect(refused.headers.get("retry-after")).toBe("60");
  expect((await from("198.51.100.8")).status).toBe(201);
});
