import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app";
import {
  type Asked,
  ask,
  browser,
  callback,
  codeOf,
  exchange,
  poll,
  press,
  seePage,
  sentTo,
  told,
} from "../../../test/support/sign-in";
import { approvalMs, exchangeCodeMs } from "../../domain/limits";
import { scopes, scopeWords } from "../../domain/scope";
import { withParameters } from "./callback";

let app: TestApp;
let other = "";
beforeAll(async () => {
  app = await testApp({ REGISTRATION: "open" });
  other = await signUp("other@example.com");
});
beforeEach(() => app.setTime(noonMs));
afterAll(() => app.close());

const own = "http://localhost:3000";

async function signUp(email: string): Promise<string> {
  const body = { email, password: "correct horse battery" };
  const made = await app.send("POST", "/auth/signup", { body });
  return (made.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

/** The page's text, as far as tags let it be seen. */
async function textOf(answer: Response): Promise<string> {
  return (await answer.text()).replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
}

describe("the page", () => {
  test("tells who asks for what, and where the code goes", async () => {
    const asked = await ask(app, {
      client_type: "mcp",
      client_name: "Helper",
      label: "laptop",
      scopes: [...scopes],
    });
    const answer = await seePage(app, asked);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    const text = await textOf(answer);
    const told = ["owner@example.com", "Helper", "mcp", "laptop", "127.0.0.1:49152"];
    for (const word of [...told, String(asked.approval_code)]) expect(text).toContain(word);
    // Writing includes reading, so the page asks for one of the two.
    const implied = ["projects:read", "experiments:read", "replays:read"];
    for (const scope of scopes) {
      expect([scope, text.includes(` ${scopeWords[scope]} `)]).toEqual([
        scope,
        !implied.includes(scope),
      ]);
    }
    const reading = await seePage(app, await ask(app, { scopes: ["projects:read"] }));
    expect(await textOf(reading)).toContain(scopeWords["projects:read"]);
  });

  test("shows what a client says of itself as text", async () => {
    const hostile = `"><script>alert(1)</script>\u202e<img src=x onerror='x'>&amp;`;
    const asked = await ask(app, {
      client_type: '<b>"',
      client_name: hostile,
      label: hostile,
      callback_url: `${callback}?x="><script>alert(2)</script>`,
    });
    for (const cookie of [app.cookie, "sl_session=none"]) {
      const html = await (await seePage(app, asked, cookie)).text();
      expect(html).not.toMatch(/<script>|<img|<b>/);
      expect(html).toContain("<bdi>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\u202e&lt;img");
    }
  });

  test("calls a program that has no name by its kind", async () => {
    for (const client_name of ["", " ", null]) {
      const asked = await ask(app, { client_type: "openclaw", client_name, label: "" });
      const text = await textOf(await seePage(app, asked));
      expect(text).toContain("Program openclaw Kind openclaw Approval code");
    }
  });

  test("lets its form go to us and to the callback alone, and is in no frame", async () => {
    const policyOf = async (url: string) => {
      const answer = await seePage(app, await ask(app, { callback_url: url }));
      expect(answer.headers.get("referrer-policy")).toBe("same-origin");
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      return answer.headers.get("content-security-policy") ?? "";
    };
    const policy = await policyOf(`${callback}?a=b`);
    expect(policy).toContain("form-action 'self' http://127.0.0.1:49152;");
    expect(policy).toContain("default-src 'none'; script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(await policyOf("http://localhost/x")).toContain("form-action 'self' http://localhost;");
    expect(await policyOf("http://[::1]:1/x")).toContain("form-action 'self' http:;");
    const detached = await seePage(app, await ask(app, { mode: "detached" }));
    expect(detached.headers.get("content-security-policy")).toContain("form-action 'self';");
  });

  test("asks who is not logged in to log in, and offers an account where that is possible", async () => {
    const asked = await ask(app);
    for (const cookie of ["", "sl_session=gone"]) {
      const html = await (await seePage(app, asked, cookie)).text();
      expect(html).toContain('id="login-form"');
      expect(html).toContain('id="sign-up-form"');
      expect(html).not.toContain("owner@example.com");
      expect(html).not.toContain("account:read");
      expect(html).not.toContain(String(asked.approval_code));
    }
    const existing = await ask(app, { metadata: { requires_existing_account: true } });
    expect(await (await seePage(app, existing, "")).text()).not.toContain("sign-up-form");
    for (const value of [false, "true", 1, null]) {
      const open = await ask(app, { metadata: { requires_existing_account: value } });
      expect(await (await seePage(app, open, "")).text()).toContain("sign-up-form");
    }
  });

  test("is no place for programs", async () => {
    const { auth_request_id: id } = await ask(app);
    const path = `/agent-sessions/authorize/${id}`;
    expect((await app.send("GET", path, { key: app.key })).status).toBe(403);
    expect((await app.send("GET", path, { key: "aak_wrong" })).status).toBe(401);
    const headers = { authorization: "Bearer aas_wrong" };
    expect((await app.send("GET", path, { headers })).status).toBe(401);
  });

  test("of no request is 404, of one that ended 410, of one that was used 200", async () => {
    const nobody = { auth_request_id: "req_0000000000000000" } as Asked;
    expect((await seePage(app, nobody)).status).toBe(404);
    expect((await seePage(app, nobody, "")).status).toBe(404);
    const denied = await ask(app);
    await press(app, denied, "deny");
    const refused = await seePage(app, denied);
    expect([refused.status, refused.headers.get("content-type")]).toEqual([
      410,
      "text/html; charset=utf-8",
    ]);
    const used = await ask(app);
    const code = sentTo(await press(app, used, "approve"))?.searchParams.get("exchange_code");
    expect(await textOf(await seePage(app, used))).toContain("Approved");
    await exchange(app, used, String(code));
    expect(await textOf(await seePage(app, used, ""))).toContain("This sign-in is complete");
    const late = await ask(app);
    app.setTime(late.expires_at);
    expect((await seePage(app, late)).status).toBe(410);
    expect((await seePage(app, late, "")).status).toBe(410);
  });

  test("belongs to the first account before there is one", async () => {
    const { control } = app.deps;
    const asked = await ask(app);
    const had = control.credentials.hasAccounts;
    Object.assign(control.credentials, { hasAccounts: () => false });
    expect(await (await seePage(app, asked, "")).text()).toContain('href="/setup"');
    Object.assign(control.credentials, { hasAccounts: had });
  });
});

describe("an interactive approval", () => {
  test("sends the browser to the callback with the code, its own parameters kept", async () => {
    const asked = await ask(app, { callback_url: `${callback}?state=a%20b&x=+&flag` });
    const answer = await press(app, asked, "approve");
    expect(answer.status).toBe(302);
    const code = await codeOf(app, asked);
    expect(code).toMatch(/^aae_[0-9a-f]{48}$/);
    expect(answer.headers.get("location")).toBe(
      `${callback}?state=a%20b&x=+&flag&request_id=${asked.auth_request_id}&exchange_code=${code}`,
    );
  });

  test("is made once", async () => {
    const asked = await ask(app);
    expect((await press(app, asked, "approve")).status).toBe(302);
    const answers = await Promise.all([
      press(app, asked, "approve"),
      press(app, asked, "deny"),
      press(app, asked, "approve", other),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409]);
    expect((await (await poll(app, asked)).json()) as Json).toMatchObject({ status: "approved" });
  });

  test("takes a form, JSON or nothing, and answers a program with JSON", async () => {
    const headers = { cookie: app.cookie, origin: own };
    for (const body of ["", "{}", "csrf=1&x=y", "not json at all {"]) {
      const { auth_request_id: id } = await ask(app);
      const path = `/agent-sessions/authorize/${id}/approve`;
      expect((await app.send("POST", path, { headers, body })).status).toBe(302);
      const again = await app.send("POST", path, { headers, body });
      expect(await again.json()).toEqual({
        error: "AUTH_REQUEST_ALREADY_EXCHANGED",
        message: "auth request already exchanged",
      });
    }
  });

  test("comes from our own pages, and from a browser that is logged in", async () => {
    const asked = await ask(app);
    const path = `/agent-sessions/authorize/${asked.auth_request_id}`;
    for (const button of ["approve", "deny"]) {
      const send = (headers: Readonly<Record<string, string>>, key?: string) =>
        app.send("POST", `${path}/${button}`, { headers, ...(key === undefined ? {} : { key }) });
      const { cookie } = app;
      expect(await told(await send({}))).toBe("401 AUTH_REQUIRED");
      expect(await told(await send({ cookie: "sl_session=x", origin: own }))).toBe(
        "401 INVALID_TOKEN",
      );
      for (const origin of ["https://evil.example", "null", "http://127.0.0.1:49152"]) {
        expect(await told(await send({ cookie, origin }))).toBe("403 CSRF_FAILED");
      }
      expect(await told(await send({ cookie }))).toBe("403 CSRF_FAILED");
      expect(await told(await send({}, app.key))).toBe("403 FORBIDDEN");
      const page = await send({ ...browser(app), origin: "https://evil.example" });
      expect([page.status, page.headers.get("content-type")]).toEqual([
        403,
        "text/html; charset=utf-8",
      ]);
    }
    expect((await (await poll(app, asked)).json()) as Json).toMatchObject({ status: "pending" });
  });

  test("denied, sends the browser to the callback with an error", async () => {
    const asked = await ask(app, { callback_url: `${callback}?state=x` });
    const answer = await press(app, asked, "deny");
    expect(answer.status).toBe(302);
    expect(answer.headers.get("location")).toBe(
      `${callback}?state=x&request_id=${asked.auth_request_id}&error=access_denied`,
    );
    expect((await press(app, asked, "approve")).status).toBe(410);
    expect((await press(app, asked, "deny")).status).toBe(410);
  });
});

describe("a detached approval", () => {
  test("shows the finish code, and again until it is used or expires", async () => {
    const asked = await ask(app, { mode: "detached" });
    const shown = async (answer: Response) =>
      /id="finish-code">(aae_[0-9a-f]{48})</.exec(await answer.text())?.[1];
    const first = await press(app, asked, "approve");
    expect(first.status).toBe(200);
    const code = await shown(first);
    expect(code).toBe(await codeOf(app, asked));
    expect(await shown(await press(app, asked, "approve"))).toBe(code);
    expect(await shown(await seePage(app, asked))).toBe(code);
    expect(await shown(await seePage(app, asked, other))).toBeUndefined();
    expect((await press(app, asked, "approve", other)).status).toBe(409);
    app.setTime(noonMs + exchangeCodeMs.detached - 1);
    expect(await shown(await seePage(app, asked))).toBe(code);
    app.setTime(noonMs + exchangeCodeMs.detached);
    expect((await seePage(app, asked)).status).toBe(410);
    expect((await press(app, asked, "approve")).status).toBe(410);
  });

  test("denied, is a page", async () => {
    const asked = await ask(app, { mode: "detached" });
    const answer = await press(app, asked, "deny");
    expect(answer.status).toBe(200);
    expect(await textOf(answer)).toContain("Denied");
    expect(await told(await poll(app, asked))).toBe("410 AUTH_REQUEST_REVOKED");
  });
});

describe("time", () => {
  test.each(["interactive", "detached"] as const)(
    "%s: approval in time or not at all",
    async (mode) => {
      const onTime = await ask(app, { mode });
      const late = await ask(app, { mode });
      expect(onTime.expires_at).toBe(noonMs + approvalMs[mode]);
      app.setTime(onTime.expires_at - 1);
      expect((await press(app, onTime, "approve")).status).toBeLessThan(400);
      app.setTime(late.expires_at);
      expect((await press(app, late, "approve")).status).toBe(410);
      expect((await press(app, late, "deny")).status).toBe(410);
      expect(await told(await poll(app, late))).toBe("410 AUTH_REQUEST_EXPIRED");
    },
  );
});

test("a callback's own parameters of our names give way", () => {
  const added = { request_id: "r&1", error: "x" };
  expect(withParameters("http://localhost/?request_id=old&a=1&%65rror=2", added)).toBe(
    "http://localhost/?a=1&request_id=r%261&error=x",
  );
  expect(withParameters("http://localhost/x?", { error: "x" })).toBe("http://localhost/x?error=x");
  expect(withParameters("http://localhost/?errors=1", { error: "x" })).toBe(
    "http://localhost/?errors=1&error=x",
  );
});
