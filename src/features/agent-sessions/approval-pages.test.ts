import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import {
  type Asked,
  ask,
  callback,
  exchange,
  press,
  seePage,
  sentTo,
  textSeen,
} from "../../../test/support/app/sign-in";
import { scopes, scopeWords } from "../../domain/scope";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ REGISTRATION: "open" });
});
beforeEach(() => app.setTime(noonMs));
afterAll(() => app.close());

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
    const text = await textSeen(answer);
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
    expect(await textSeen(reading)).toContain(scopeWords["projects:read"]);
  });

  test("tells what approving does, and asks to compare no code that a program need not show", async () => {
    const seen = async (body: Json) => textSeen(await seePage(app, await ask(app, body)));
    const interactive = await seen({});
    expect(interactive).toContain("your browser goes to 127.0.0.1:49152 with a code");
    expect(interactive).not.toContain("finish code");
    const detached = await seen({ mode: "detached" });
    expect(detached).toContain("the next page shows a finish code");
    for (const text of [interactive, detached]) {
      expect(text).toContain("Approve only if you started this sign-in yourself. ");
      expect(text).not.toContain("same approval code");
    }
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
      expect(html).toContain(
        "<bdi>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\\u{202E}&lt;img",
      );
      expect(html).not.toContain("\u202e");
    }
  });

  test("shows a name of what nobody sees", async () => {
    const asked = await ask(app, {
      client_type: "openclaw",
      client_name: "\u200b\u2060",
      label: "",
    });
    const text = await textSeen(await seePage(app, asked));
    expect(text).toContain("Program \\u{200B}\\u{2060} Kind openclaw");
  });

  test("calls a program that has no name by its kind", async () => {
    for (const client_name of ["", " ", null]) {
      const asked = await ask(app, { client_type: "openclaw", client_name, label: "" });
      const text = await textSeen(await seePage(app, asked));
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
    expect(await textSeen(await seePage(app, used))).toContain("Approved");
    await exchange(app, used, String(code));
    expect(await textSeen(await seePage(app, used, ""))).toContain("This sign-in is complete");
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
