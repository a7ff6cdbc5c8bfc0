import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import type { Json } from "../support/app/app";
import { violationsOf } from "../support/browser/accessibility";
import { launchChromium, visitorAgent } from "../support/browser/chromium";
import { logInOn } from "../support/browser/person-pages";
import { login, userAgent } from "../support/server/account";
import {
  ask,
  freePort,
  removeFolder,
  type Server,
  setupToken,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { eventually } from "../support/suite/eventually";

/** A client that signs in by OAuth, with a real browser between: from its registration to a tool. */
const statsHost = "stats.example.net";
const dataDir = temporaryFolder();
const port = freePort();
const base = `http://${statsHost}:${port}`;
const callbackPort = freePort();
const redirect = `http://127.0.0.1:${callbackPort}/callback`;
let server: Server;
let browser: Browser;
let listener: Bun.Server<undefined>;
const received: URLSearchParams[] = [];
const problems: string[] = [];

beforeAll(async () => {
  server = await startServer({ dataDir, env: { PORT: String(port), PUBLIC_URL: base } });
  const first = { ...login, setup_token: setupToken };
  await ask(server.url, "POST", "/auth/setup", { Origin: base }, first);
  browser = await launchChromium([statsHost]);
  listener = Bun.serve({
    hostname: "127.0.0.1",
    port: callbackPort,
    fetch: ({ url }) => {
      const { pathname, searchParams } = new URL(url);
      if (pathname === "/callback") received.push(searchParams);
      return new Response("<!doctype html><title>Done</title><h1>Back in the program</h1>", {
        headers: { "content-type": "text/html" },
      });
    },
  });
});
afterAll(async () => {
  await listener.stop(true);
  await browser.close();
  await server.kill();
  removeFolder(dataDir);
});

async function newPage(options: object = {}): Promise<Page> {
  const context = await browser.newContext({ userAgent: visitorAgent, ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (/Content Security Policy|Refused/.test(message.text())) problems.push(message.text());
  });
  return page;
}

const agent = { "User-Agent": userAgent };

async function post(path: string, headers: Record<string, string>, body: Json): Promise<Json> {
  const reply = await ask(server.url, "POST", path, { ...agent, ...headers }, body);
  if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.body}`);
  return JSON.parse(reply.body) as Json;
}

const register = async (redirects: readonly string[], name = "Helper"): Promise<string> =>
  String(
    (await post("/oauth/register", {}, { client_name: name, redirect_uris: redirects })).client_id,
  );

function authorizeUrl(clientId: string, challenge: string, to = redirect): string {
  const query = new URLSearchParams({
    ...{ response_type: "code", client_id: clientId, redirect_uri: to, state: "s1" },
    ...{ code_challenge: challenge, code_challenge_method: "S256" },
  });
  return `${base}/oauth/authorize?${query}`;
}

const newVerifier = () => randomBytes(32).toString("base64url");
const challengeOf = (verifier: string) => createHash("sha256").update(verifier).digest("base64url");

test("a client registers, a person logs in, ticks a right and approves, and a tool answers", async () => {
  const verifier = newVerifier();
  const clientId = await register([redirect]);
  const page = await newPage();
  await page.goto(authorizeUrl(clientId, challengeOf(verifier)));
  await logInOn(page, login);
  await page.getByRole("heading", { name: "May this program use your account?" }).waitFor();
  await eventually(async () => {
    expect(await page.textContent(".host")).toBe(`127.0.0.1:${callbackPort}`);
    expect(await page.textContent("main")).toContain("has not verified it");
  });
  expect(await page.locator("input:checked").count()).toBe(0);
  await page.getByLabel(/create, change and delete projects/).check();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("heading", { name: "Back in the program" }).waitFor();
  const back = Object.fromEntries(received.at(-1) ?? []);
  expect(back).toMatchObject({ state: "s1", iss: base });

  const form = new URLSearchParams({
    ...{ grant_type: "authorization_code", client_id: clientId, redirect_uri: redirect },
    ...{ code: String(back.code), code_verifier: verifier },
  });
  const answer = await fetch(`${server.url}/oauth/token`, { method: "POST", body: form });
  const tokens = (await answer.json()) as Record<string, string>;
  expect(tokens.scope?.split(" ")).toContain("projects:write");
  const authorization = { Authorization: `Bearer ${tokens.access_token}` };
  const params = {
    name: "create_project",
    arguments: { name: "made", domain: "made.example.com" },
  };
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const { result } = await post("/mcp", authorization, call);
  expect(result).toMatchObject({ isError: false });
  const refused = await ask(server.url, "GET", "/projects", { ...agent, ...authorization });
  expect(refused.status).toBe(403);
});

test.each([
  ["cursor://anysphere.cursor-mcp/oauth/callback", "cursor://anysphere.cursor-mcp"],
  ["https://claude.ai/api/mcp/auth_callback", "claude.ai"],
])("an application is opened by its scheme, and a site by its address: %s", async (to, shown) => {
  // A page of its own: one from which an application was opened may send no other form.
  const page = await newPage();
  await page.goto(`${base}/login`);
  await logInOn(page, login);
  await page.waitForURL(/\/app/);
  const clientId = await register([to]);
  await page.goto(authorizeUrl(clientId, challengeOf(newVerifier()), to));
  expect(await page.textContent(".host")).toBe(shown);
  // Nothing answers there, but the browser tries: no policy of ours is in its way.
  const asked = page.waitForRequest((request) => request.url().includes("/approve"));
  await page.getByRole("button", { name: "Approve" }).click();
  const sent = await (await asked).response();
  expect(sent?.headers().location?.startsWith(`${to}?code=aae_`)).toBe(true);
});

test("the question fits a phone and a desk, in the light and in the dark, and everybody can read it", async () => {
  const own = await newPage();
  await own.goto(`${base}/login`);
  await logInOn(own, login);
  await own.waitForURL(/\/app/);
  const storageState = await own.context().storageState();
  const clientId = await register([redirect], "A name that somebody chose to be long ".repeat(5));
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [320, 390, 1440]) {
      const page = await newPage({
        viewport: { width, height: 900 },
        ...{ colorScheme, storageState },
      });
      await page.goto(authorizeUrl(clientId, challengeOf(newVerifier())));
      const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
      expect([colorScheme, width, wide <= width]).toEqual([colorScheme, width, true]);
      await eventually(async () =>
        expect([colorScheme, width, await violationsOf(page)]).toEqual([colorScheme, width, []]),
      );
      await page.context().close();
    }
  }
});

test("the pages raised no error and no policy stopped them", () => {
  expect(problems.filter((one) => !/cursor:/.test(one))).toEqual([]);
});

test("a server that is reached over http from elsewhere says so at its start", async () => {
  await eventually(() => expect(server.output()).toContain("WARNING: PUBLIC_URL uses http"));
  for (const url of ["https://stats.example.net", "http://127.0.0.1:3000"]) {
    const folder = temporaryFolder();
    const other = await startServer({ dataDir: folder, env: { PUBLIC_URL: url } });
    await other.stop();
    expect(other.output()).not.toContain("PUBLIC_URL uses http");
    removeFolder(folder);
  }
});
