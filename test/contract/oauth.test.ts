import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { minuteMs } from "../../src/lib/clock";
import { noonMs, type TestApp, testApp } from "../support/app/app";
import {
  answerPage,
  approvedCode,
  authorize,
  authorizePath,
  documentId,
  documentOf,
  documentRedirect,
  documentSite,
  locationOf,
  loopback,
  newPkce,
  oauthBase,
  pageFor,
  registered,
  signedIn,
  token,
} from "../support/app/oauth";
import { seePage, textSeen } from "../support/app/sign-in";

const site = documentSite({
  [documentId]: () => documentOf(),
  "https://agent.example.com/other": () => documentOf(),
  "https://agent.example.com/long": () => documentOf({ filler: "x".repeat(10 * 1024) }),
  "https://agent.example.com/html": () =>
    new Response("{}", { headers: { "content-type": "text/html" } }),
  "https://agent.example.com/moved": () =>
    new Response(null, { status: 302, headers: { location: documentId } }),
  "https://agent.example.com/secret": () =>
    documentOf({
      client_id: "https://agent.example.com/secret",
      token_endpoint_auth_method: "client_secret_basic",
    }),
});

let app: TestApp;
let clientId: string;
beforeAll(async () => {
  app = await testApp({}, site.network);
  clientId = await registered(app);
});
beforeEach(() => app.setTime(noonMs));
afterAll(() => app.close());

const at = (more = {}, id = clientId) => authorizePath(id, newPkce(), more);

describe("the metadata", () => {
  test("of the resource names it, its server and its scopes, at both paths", async () => {
    for (const path of ["", "/mcp"]) {
      const answer = await app.send("GET", `/.well-known/oauth-protected-resource${path}`);
      expect(await answer.json()).toMatchObject({
        resource: `${oauthBase}/mcp`,
        authorization_servers: [oauthBase],
        bearer_methods_supported: ["header"],
        resource_name: "Sightline",
        scopes_supported: [
          ...["account:read", "projects:read", "analytics:read"],
          ...["live:read", "experiments:read"],
        ],
      });
    }
  });

  test("of the server names its endpoints, PKCE and public clients", async () => {
    const answer = await app.send("GET", "/.well-known/oauth-authorization-server");
    expect(await answer.json()).toMatchObject({
      issuer: oauthBase,
      authorization_endpoint: `${oauthBase}/oauth/authorize`,
      token_endpoint: `${oauthBase}/oauth/token`,
      registration_endpoint: `${oauthBase}/oauth/register`,
      revocation_endpoint: `${oauthBase}/oauth/revoke`,
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
    const closed = await testApp({ OAUTH_CLIENT_DOCUMENTS: "false" }, site.network);
    const said = await closed.send("GET", "/.well-known/oauth-authorization-server");
    expect(await said.json()).toMatchObject({ client_id_metadata_document_supported: false });
    const before = site.asked.length;
    expect((await authorize(closed, at({}, documentId))).status).toBe(400);
    expect(site.asked.length).toBe(before);
    await closed.close();
  });
});

describe("asking", () => {
  test("leads to the approval page, and back with code, state and issuer", async () => {
    const page = await pageFor(app, at());
    const asked = { auth_request_id: page.split("/").at(-1) };
    const html = await (await seePage(app, asked as never)).text();
    expect(html).toContain('<p class="host">127.0.0.1:7777</p>');
    const back = locationOf(await answerPage(app, page));
    expect(`${back.origin}${back.pathname}`).toBe(loopback);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.stringMatching(/^aae_[0-9a-f]{48}$/),
      state: "xyz",
      iss: oauthBase,
    });
  });

  test("that a person denies goes back with access_denied", async () => {
    const back = locationOf(await answerPage(app, await pageFor(app, at()), "deny"));
    expect(Object.fromEntries(back.searchParams)).toEqual({
      error: "access_denied",
      state: "xyz",
      iss: oauthBase,
    });
  });

  test("without a state gets none back", async () => {
    const back = locationOf(await answerPage(app, await pageFor(app, at({ state: null }))));
    expect([...back.searchParams.keys()]).toEqual(["code", "iss"]);
  });

  test.each<[string, Readonly<Record<string, string | null>>, string]>([
    ["no response type", { response_type: null }, "unsupported_response_type"],
    ["another response type", { response_type: "token" }, "unsupported_response_type"],
    ["no challenge", { code_challenge: null }, "invalid_request"],
    ["a short challenge", { code_challenge: "x".repeat(42) }, "invalid_request"],
    ["a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
    ["no method", { code_challenge_method: null }, "invalid_request"],
    ["an unknown scope", { scope: "everything" }, "invalid_scope"],
    ["another resource", { resource: "https://other.example.com" }, "invalid_target"],
    ["a path of ours that is none", { resource: `${oauthBase}/stats` }, "invalid_target"],
    ["a state that is too long", { state: "x".repeat(4_097) }, "invalid_request"],
  ])("with %s goes back to the client", async (_, more, error) => {
    const back = locationOf(await authorize(app, at(more)));
    expect([back.href.startsWith(loopback), back.searchParams.get("error")]).toEqual([true, error]);
    expect(back.searchParams.get("iss")).toBe(oauthBase);
    expect(back.searchParams.get("state")).toBe(more.state ?? "xyz");
  });

  test("with a state of 4,096 characters, or an unknown parameter, is asking", async () => {
    await pageFor(app, at({ state: "x".repeat(4_096), audience: "x" }));
    const twice = await authorize(app, `${at()}&scope=a&scope=b`);
    expect(locationOf(twice).searchParams.get("error")).toBe("invalid_request");
  });

  test.each<[string, Readonly<Record<string, string | null>>]>([
    ["no client", { client_id: null }],
    ["an unknown client", { client_id: "occ_0000000000000000" }],
    ["no redirect", { redirect_uri: null }],
    ["a redirect of another path", { redirect_uri: "http://127.0.0.1:7777/other" }],
    ["a redirect of another host", { redirect_uri: "http://localhost:7777/callback" }],
    ["a redirect to elsewhere", { redirect_uri: "https://evil.example/callback" }],
    ["a redirect with a fragment", { redirect_uri: `${loopback}#x` }],
    ["a redirect with a user", { redirect_uri: "http://a@127.0.0.1:7777/callback" }],
  ])("with %s is a page that says no, and sends nobody anywhere", async (_, more) => {
    const answer = await authorize(app, at(more));
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      400,
      "text/html; charset=utf-8",
    ]);
    expect(answer.headers.get("location")).toBeNull();
  });

  test("from a program of this machine may come back to any port", async () => {
    for (const redirect of ["http://127.0.0.1:1/callback", "http://127.0.0.1/callback"]) {
      await pageFor(app, at({ redirect_uri: redirect }));
    }
  });

  test("is limited to twenty a minute and address", async () => {
    const from = "192.0.2.9";
    const ask = () => app.send("GET", at(), { from });
    for (let count = 0; count < 20; count++) expect((await ask()).status).toBe(302);
    expect((await ask()).status).toBe(429);
    app.setTime(noonMs + minuteMs);
    expect((await ask()).status).toBe(302);
  });
});

describe("a client's document", () => {
  const asks = (id: string, redirect = documentRedirect) =>
    authorize(app, at({ redirect_uri: redirect }, id));

  test("is read once an hour, and allows redirects to its own site and to this machine", async () => {
    const own = () => site.asked.filter((one) => one === documentId).length;
    const before = own();
    expect((await asks(documentId)).status).toBe(302);
    expect((await asks(documentId, "http://127.0.0.1:5/callback")).status).toBe(302);
    expect(own()).toBe(before + 1);
    app.setTime(noonMs + 60 * minuteMs - 1);
    await asks(documentId);
    expect(own()).toBe(before + 1);
    app.setTime(noonMs + 60 * minuteMs);
    await asks(documentId);
    expect(own()).toBe(before + 2);
    expect((await asks(documentId, "https://agent.example.com/elsewhere")).status).toBe(400);
  });

  test("names its host on the approval page, and a registered client's name is unverified", async () => {
    const seen = async (path: string) => {
      const id = (await pageFor(app, path)).split("/").at(-1);
      return textSeen(await seePage(app, { auth_request_id: id } as never));
    };
    const shown = await seen(at({ redirect_uri: documentRedirect }, documentId));
    expect(shown).toContain("Agent of the example agent.example.com vouches for this name.");
    expect(shown).not.toContain("unverified");
    expect(await seen(at())).toContain(
      "Tester The program chose this name, and Sightline has not verified it.",
    );
  });

  test.each([
    ["says another address", "https://agent.example.com/other"],
    ["is longer than 10 KiB", "https://agent.example.com/long"],
    ["is no JSON", "https://agent.example.com/html"],
    ["is elsewhere", "https://agent.example.com/moved"],
    ["has a secret", "https://agent.example.com/secret"],
    ["is not there", "https://agent.example.com/gone"],
    ["lies inside", "https://inside.example.com/client.json"],
    ["has no path", "https://agent.example.com/"],
    ["has a fragment", `${documentId}#x`],
    ["has a user", "https://a@agent.example.com/oauth/client.json"],
    ["has another port", "https://agent.example.com:8443/client.json"],
    ["is at an address without a name", "https://93.184.216.34/client.json"],
    ["is not in its normal form", "https://agent.example.com/oauth/../oauth/client.json"],
    ["is not https", "http://agent.example.com/oauth/client.json"],
  ])("that %s is refused by a page", async (_, id) => {
    const answer = await asks(id);
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
  });

  test("may have exactly 10 KiB", async () => {
    const id = "https://full.example.com/client.json";
    const own = { client_id: id, redirect_uris: ["https://full.example.com/back"] };
    const sized = async (bytes: number) => {
      const rest = JSON.stringify({ ...own, filler: "" }).length;
      const text = JSON.stringify({ ...own, filler: "x".repeat(bytes - rest) });
      const headers = { "content-type": "application/json" };
      const { network } = documentSite({ [id]: () => new Response(text, { headers }) });
      const other = await testApp({}, network);
      const answer = await authorize(other, at({ redirect_uri: own.redirect_uris[0] ?? "" }, id));
      await other.close();
      return answer.status;
    };
    expect([await sized(10 * 1024), await sized(10 * 1024 + 1)]).toEqual([302, 400]);
  });

  test("is read once for all who wait for it, and of eight at a time", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const asked: string[] = [];
    const slow = {
      resolve: async () => ["93.184.216.34"],
      request: async ({ href }: URL) => {
        asked.push(href);
        await promise;
        return documentOf({ client_id: href });
      },
    };
    const other = await testApp({}, slow);
    const ask = (number: number) => {
      const id = `https://agent.example.com/${number}`;
      return authorize(other, at({ redirect_uri: documentRedirect }, id));
    };
    const waiting = [1, 1, 2, 3, 4, 5, 6, 7, 8].map(ask);
    expect((await ask(9)).status).toBe(503);
    resolve();
    for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(302);
    expect(asked.length).toBe(8);
    expect((await ask(9)).status).toBe(302);
    await other.close();
  });

  test("that lies inside was not asked for", () => {
    expect(site.asked.some((one) => one.includes("inside"))).toBe(false);
  });
});

test("who is not logged in logs in on the page first", async () => {
  const path = await pageFor(app, at());
  const answer = await app.send("GET", path, { headers: { accept: "text/html" } });
  expect(await answer.text()).toContain('id="login-form"');
  const form = await approvedCode(app, clientId);
  expect((await token(app, form)).status).toBe(200);
  expect((await signedIn(app, clientId)).token_type).toBe("Bearer");
});
