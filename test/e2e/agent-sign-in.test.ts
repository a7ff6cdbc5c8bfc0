import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import type { Json } from "../support/app/app";
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

/** A machine that asks, in a real browser: where the form may go is the browser's to decide. */
const statsHost = "stats.example.net";
const dataDir = temporaryFolder();
const port = freePort();
const base = `http://${statsHost}:${port}`;
const callbackPort = freePort();
let server: Server;
let browser: Browser;
let page: Page;
/** The queries with which the waiting program was called. */
const received: URLSearchParams[] = [];
const listeners: ReturnType<typeof listen>[] = [];
const problems: string[] = [];

beforeAll(async () => {
  const env = { PORT: String(port), PUBLIC_URL: base, REGISTRATION: "open" };
  server = await startServer({ dataDir, env });
  const first = { ...login, setup_token: setupToken };
  await ask(server.url, "POST", "/auth/setup", { Origin: base }, first);
  browser = await launchChromium([statsHost]);
  page = await newPage();
  for (const hostname of ["127.0.0.1", "::1"]) listeners.push(listen(hostname));
});
afterAll(async () => {
  for (const listener of listeners) await listener.stop(true);
  await browser.close();
  await server.kill();
  removeFolder(dataDir);
});

const listen = (hostname: string) =>
  Bun.serve({
    hostname,
    port: callbackPort,
    fetch: ({ url }) => {
      const { pathname, searchParams } = new URL(url);
      if (pathname === "/callback") received.push(searchParams);
      return new Response("<!doctype html><title>Done</title><h1>Back in the program</h1>", {
        headers: { "content-type": "text/html" },
      });
    },
  });

async function newPage(options: object = {}): Promise<Page> {
  const context = await browser.newContext({ userAgent: visitorAgent, ...options });
  const opened = await context.newPage();
  opened.on("pageerror", (error) => problems.push(error.message));
  opened.on("dialog", (dialog) => problems.push(dialog.message()));
  opened.on("console", (message) => {
    if (/Content Security Policy|Refused/.test(message.text())) problems.push(message.text());
  });
  return opened;
}

interface Started {
  readonly auth_request_id: string;
  readonly authorize_url: string;
  readonly approval_code: string;
  readonly poll_token: string;
}

async function post<Answer = Json>(path: string, body: Json): Promise<[number, Answer]> {
  const reply = await ask(server.url, "POST", path, { "User-Agent": userAgent }, body);
  return [reply.status, JSON.parse(reply.body)];
}

async function start(body: Json): Promise<Started> {
  const sent = { client_type: "cli", client_name: "Helper", ...body };
  return (await post<Started>("/agent-sessions/start", sent))[1];
}

const interactive = (host: string, more: Json = {}) =>
  start({ callback_url: `http://${host}:${callbackPort}/callback?state=s1`, ...more });

const press = (label: "Approve" | "Deny") => page.getByRole("button", { name: label }).click();
const isBack = () => page.getByRole("heading", { name: "Back in the program" }).waitFor();

describe("a person who is asked", () => {
  test("logs in on the page that asks, approves, and is back in the program with the code", async () => {
    const verifier = randomBytes(32).toString("hex");
    const started = await interactive("127.0.0.1", {
      code_challenge: createHash("sha256").update(verifier).digest("hex"),
      label: "laptop",
    });
    await page.goto(started.authorize_url);
    await logInOn(page, { email: login.email, password: "not this one" });
    await page.waitForSelector("#alert:visible");
    await page.fill("#password", login.password);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("heading", { name: "May this program use your account?" }).waitFor();
    await page.waitForURL(started.authorize_url);
    const shown = (await page.textContent("main")) ?? "";
    const facts = [login.email, "Helper", "laptop", `127.0.0.1:${callbackPort}`];
    for (const text of [...facts, started.approval_code]) expect(shown).toContain(text);
    await press("Approve");
    await isBack();
    const query = received.at(-1);
    expect(query?.get("state")).toBe("s1");
    expect(query?.get("request_id")).toBe(started.auth_request_id);
    const proof = {
      auth_request_id: started.auth_request_id,
      exchange_code: query?.get("exchange_code"),
      code_verifier: verifier,
    };
    const [status, answer] = await post<{ agent_session: { access_token: string } }>(
      "/agent-sessions/exchange",
      proof,
    );
    expect(status).toBe(200);
    const headers = {
      Authorization: `Bearer ${answer.agent_session.access_token}`,
      "User-Agent": userAgent,
    };
    const account = await ask(server.url, "GET", "/account", headers);
    expect(JSON.parse(account.body).email).toBe(login.email);
  });

  test.each(["localhost", "[::1]"])("is sent back to a program on %s as well", async (host) => {
    await page.goto((await interactive(host)).authorize_url);
    await press("Approve");
    await isBack();
    expect(received.at(-1)?.get("exchange_code")).toMatch(/^aae_[0-9a-f]{48}$/);
  });

  test("denies, and the program hears of it", async () => {
    const started = await interactive("127.0.0.1");
    await page.goto(started.authorize_url);
    await press("Deny");
    await isBack();
    const query = received.at(-1);
    expect([query?.get("request_id"), query?.get("error"), query?.get("exchange_code")]).toEqual([
      started.auth_request_id,
      "access_denied",
      null,
    ]);
    await page.goto(started.authorize_url);
    expect(await page.textContent("main")).toContain("no longer valid");
  });

  test("answers with the keyboard, and a double click is one answer", async () => {
    await page.goto((await interactive("127.0.0.1")).authorize_url);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await isBack();
    expect(received.at(-1)?.get("exchange_code")).toMatch(/^aae_/);
    await page.goto((await interactive("127.0.0.1")).authorize_url);
    await page.getByRole("button", { name: "Approve" }).dblclick();
    await isBack();
    expect(received.at(-1)?.get("exchange_code")).toMatch(/^aae_/);
  });

  test("gets a finish code for a program that cannot listen, and the same after a reload", async () => {
    const started = await start({ mode: "detached" });
    await page.goto(started.authorize_url);
    await press("Approve");
    const code = await page.textContent("#finish-code");
    // The page's script makes the button work, then it changes the address.
    await page.waitForURL(started.authorize_url);
    expect(code).toMatch(/^aae_[0-9a-f]{48}$/);
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByRole("button", { name: /Copied|Press Ctrl/ }).waitFor();
    await page.reload();
    expect(await page.textContent("#finish-code")).toBe(code);
    const { auth_request_id } = started;
    const body = { auth_request_id, exchange_code: code };
    // Over connections of their own, all at once: one of them is the first.
    const all = await Promise.all(
      Array.from({ length: 20 }, () => post("/agent-sessions/exchange", body)),
    );
    expect(all.map(([status]) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
    await page.reload();
    expect(await page.textContent("main")).toContain("This sign-in is complete");
  });

  test("reads what a program says of itself as text", async () => {
    const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>\u202e`;
    const said = { client_type: hostile.slice(0, 64), client_name: hostile, label: hostile };
    await page.goto((await interactive("127.0.0.1", said)).authorize_url);
    expect(await page.locator("dd", { hasText: "<script>alert(1)" }).count()).toBe(3);
    expect(await page.locator("main script, main img").count()).toBe(0);
  });
});

test("who has no account makes one on the page, where the operator allows it", async () => {
  const own = page;
  page = await newPage();
  await page.goto((await start({ mode: "detached" })).authorize_url);
  await page.locator("#login-form input:focus").waitFor();
  await page.getByText("Create an account").click();
  await page.fill("#new-email", "new@example.com");
  await page.fill("#new-password", login.password);
  await page.getByRole("button", { name: "Create the account" }).click();
  await page.getByRole("heading", { name: "May this program use your account?" }).waitFor();
  await page.locator("main", { hasText: "new@example.com" }).waitFor();
  page = own;
});

test("another site's page can neither frame the question nor answer it", async () => {
  const started = await interactive("127.0.0.1");
  const action = `${base}/agent-sessions/authorize/${started.auth_request_id}/approve`;
  const evil = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      new Response(
        `<!doctype html><iframe src="${started.authorize_url}"></iframe>
        <form method="post" action="${action}"><button>Win</button></form>`,
        { headers: { "content-type": "text/html" } },
      ),
  });
  const before = [...problems];
  await page.goto(`http://127.0.0.1:${evil.port}/`);
  const framed = page.frames().find((frame) => frame !== page.mainFrame());
  expect(framed === undefined ? "" : await framed.content()).not.toContain("May this program");
  // The browser says so when it likes.
  await eventually(() => expect(problems.length).toBeGreaterThan(before.length));
  await page.click("button");
  // The cookie does not come along, and if it did, the Origin would tell.
  await page.locator("main", { hasText: "do not have access" }).waitFor();
  await evil.stop(true);
  const { auth_request_id, poll_token } = started;
  const [, polled] = await post("/agent-sessions/poll", { auth_request_id, poll_token });
  expect(polled.status).toBe("pending");
  problems.splice(0, problems.length, ...before);
});

test("the question fits a phone, in the light and in the dark", async () => {
  const state = await page.context().storageState();
  const started = await interactive("127.0.0.1", {
    client_name: "x".repeat(200),
    label: "A label that somebody wrote ".repeat(7),
    scopes: ["projects:write", "analytics:read", "experiments:write", "replays:write"],
  });
  const detached = await start({ mode: "detached" });
  for (const colorScheme of ["light", "dark"]) {
    const phone = await newPage({
      viewport: { width: 320, height: 640 },
      colorScheme,
      storageState: state,
    });
    for (const { authorize_url } of [started, detached]) {
      await phone.goto(authorize_url);
      const width = await phone.evaluate<number>("document.documentElement.scrollWidth");
      expect([colorScheme, width]).toEqual([colorScheme, 320]);
      expect(await contrast(phone)).toBeGreaterThan(4.5);
    }
    await phone.context().close();
  }
});

/** Returns the contrast between the page's text and its background, as WCAG defines it. */
const contrast = (on: Page): Promise<number> =>
  on.evaluate<number>(`(() => {
    const light = (color) => {
      const [r, g, b] = color.match(/[\\d.]+/g).map((part) => {
        const share = part / 255;
        return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const { color, backgroundColor } = getComputedStyle(document.body);
    const [a, b] = [light(color), light(backgroundColor)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  })()`);

test("no page broke its own policy, reported an error or opened a dialog", () => {
  expect(problems).toEqual([]);
});
