import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { secondMs } from "../../src/lib/clock";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";
import {
  answerPage,
  authorizePath,
  locationOf,
  loopback,
  newPkce,
  pageFor,
  register,
  registered,
  toldBy,
} from "../support/app/oauth";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
beforeEach(() => app.setTime(noonMs));
afterAll(() => app.close());

const at = (more: Record<string, string>, id: string) => authorizePath(id, newPkce(), more);

describe("registering", () => {
  test("answers what was registered, for a public client", async () => {
    const answer = await register(app, {
      token_endpoint_auth_method: "client_secret_post",
      grant_types: ["authorization_code"],
      response_types: ["code"],
      scope: "analytics:read",
      logo_uri: "https://evil.example/logo.png",
    });
    expect([answer.status, await answer.json()]).toEqual([
      201,
      {
        client_id: expect.stringMatching(/^occ_[a-z0-9]{16}$/),
        client_id_issued_at: noonMs / secondMs,
        client_name: "Tester",
        redirect_uris: [loopback],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      },
    ]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test.each([
    "http://localhost/",
    "http://[::1]:9/x?y=1",
    "https://claude.ai/api/mcp/auth_callback",
    "https://chatgpt.com/connector_platform_oauth_redirect",
    "https://vscode.dev/redirect",
    "https://www.cursor.com/agents/mcp/oauth/callback",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "vscode://vscode.github-authentication/did-authenticate",
    "vscode-insiders://x/y",
  ])("takes a redirect to %s, and asking for it too", async (redirect) => {
    const id = await registered(app, { redirect_uris: [redirect] });
    const page = await pageFor(app, at({ redirect_uri: redirect }, id));
    const back = await answerPage(app, page);
    expect(locationOf(back).href.split("?")[0]).toBe(redirect.split("?")[0]);
  });

  test.each<[unknown, string]>([
    [["https://evil.example/callback"], "invalid_redirect_uri"],
    [["https://claude.ai.evil.example/callback"], "invalid_redirect_uri"],
    [["http://claude.ai/callback"], "invalid_redirect_uri"],
    [["https://127.0.0.1/callback"], "invalid_redirect_uri"],
    [["javascript:alert(1)"], "invalid_redirect_uri"],
    [[`${loopback}#x`], "invalid_redirect_uri"],
    [["/callback"], "invalid_redirect_uri"],
    [[loopback, 1], "invalid_redirect_uri"],
    [[], "invalid_redirect_uri"],
    [Array(6).fill(loopback), "invalid_redirect_uri"],
    [[loopback.padEnd(501, "x")], "invalid_redirect_uri"],
    [[`${loopback.padEnd(499, "x")}é`], "invalid_redirect_uri"],
    [undefined, "invalid_redirect_uri"],
  ])("refuses redirects %j", async (redirects, error) => {
    expect(await toldBy(await register(app, { redirect_uris: redirects }))).toBe(`400 ${error}`);
  });

  test("refuses what is no registration, and takes five redirects, and long names in part", async () => {
    const send = (body: unknown) => app.send("POST", "/oauth/register", { body, from: "10.9.0.1" });
    for (const body of ["", "{", "[]", "1"]) {
      expect(await toldBy(await send(body))).toBe("400 invalid_client_metadata");
    }
    expect(await toldBy(await register(app, { grant_types: ["implicit"] }))).toBe(
      "400 invalid_client_metadata",
    );
    expect(await toldBy(await register(app, { response_types: ["token"] }))).toBe(
      "400 invalid_client_metadata",
    );
    const large = (bytes: number) => JSON.stringify({ redirect_uris: [loopback] }).padEnd(bytes);
    expect((await send(large(8 * 1024))).status).toBe(201);
    expect((await send(large(8 * 1024 + 1))).status).toBe(413);
    const answer = await register(app, {
      client_name: "😀".repeat(300),
      redirect_uris: Array(5).fill(loopback.padEnd(500, "x")),
    });
    expect(((await answer.json()) as Json).client_name).toBe("😀".repeat(200));
  });

  test("is limited to twenty a minute and address", async () => {
    const from = "192.0.2.10";
    const body = { redirect_uris: [loopback] };
    const send = () => app.send("POST", "/oauth/register", { body, from });
    for (let count = 0; count < 20; count++) expect((await send()).status).toBe(201);
    expect(await toldBy(await send())).toBe("429 RATE_LIMITED");
  });

  test("opens the origins that the administrator lists, or every one", async () => {
    const own = "https://agents.example.org/back";
    for (const [listed, opens] of [
      ["https://agents.example.org", true],
      ["*", true],
      ["https://other.example.org", false],
    ] as const) {
      const other = await testApp({ OAUTH_REDIRECT_ORIGINS: listed });
      const made = await register(other, { redirect_uris: [own] });
      expect([listed, made.status]).toEqual([listed, opens ? 201 : 400]);
      const known = await register(other, { redirect_uris: ["https://claude.ai/back"] });
      expect([listed, known.status]).toEqual([listed, listed === "*" ? 201 : 400]);
      await other.close();
    }
  });
});
