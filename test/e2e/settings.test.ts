import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hostileText, PersonPages } from "../support/browser/person-pages";
import { login } from "../support/server/account";
import { ask } from "../support/server/server";
import { eventually } from "../support/suite/eventually";

let pages: PersonPages;
beforeAll(async () => {
  pages = await PersonPages.open(login, {
    ...{ TRUSTED_PROXIES: "127.0.0.1", WEBHOOK_ALLOW_HOSTS: "127.0.0.1:9" },
  });
});
afterAll(() => pages.close());

const newPassword = "another horse battery";

describe("settings, in a browser", () => {
  test("ask for a log-in and come back from it, never to another site", async () => {
    const { base, page } = pages;
    await pages.goto("/settings");
    await page.waitForURL(`${base}/login?next=%2Fapp%2Fsettings`);
    await pages.logIn(login);
    await page.waitForURL(`${base}/app/settings`);
    await pages.shown("#account-email", new RegExp(login.email));
    const elsewhere = ["//elsewhere.example", "https://elsewhere.example", "/\\elsewhere.example"];
    for (const next of elsewhere) {
      await pages.goto(`/login?next=${encodeURIComponent(next)}`);
      await page.waitForURL(`${base}/app`);
    }
    for (const next of ["/.//elsewhere.example", "/app/settings?a=1#b"]) {
      await pages.goto(`/login?next=${encodeURIComponent(next)}`);
      await page.waitForURL((url) => !url.pathname.startsWith("/login"));
      expect(new URL(page.url()).origin).toBe(base);
    }
  });

  test("make a webhook, whose secret is shown once, switch it off and delete it", async () => {
    const { page } = pages;
    await pages.goto("/app/settings");
    await page.click("#new-webhook summary");
    await page.fill("#webhook-name", hostileText);
    await page.fill("#webhook-url", "http://127.0.0.1:9/hook");
    await page.getByRole("button", { name: "Create webhook" }).click();
    await pages.shown("#webhook-secret", /^whsec_/);
    await page.getByRole("button", { name: "Deliveries" }).click();
    await pages.shown("#webhooks li", /taken over.*Nothing was sent yet/s);
    await page.getByRole("button", { name: "Switch off" }).click();
    await pages.shown("#webhooks li", /Switched off/);
    await page.reload();
    await pages.shown("#webhooks li", /Switched off/);
    expect(await page.locator("#webhook-secret").count()).toBe(0);
    await page.locator("#webhooks .danger").click();
    await pages.confirm();
    await pages.gone("#webhooks li", /taken over/);
  });

  test("make, replace and delete the API key, each shown once and only after a yes", async () => {
    const { page } = pages;
    await pages.goto("/app/settings");
    await page.click("#key-make");
    await pages.shown("#key", /^aak_[0-9a-f]{48}$/);
    const first = await pages.text("#key");
    await pages.look("settings-key");
    await page.click("#key-replace");
    await page.waitForSelector("#question[open]");
    await page.keyboard.press("Escape");
    expect(await pages.text("#key")).toBe(first);
    await page.click("#key-replace");
    await pages.confirm();
    await pages.gone("#key", new RegExp(first));
    await pages.shown("#key", /^aak_[0-9a-f]{48}$/);
    const second = await pages.text("#key");
    expect(await pages.status({ "X-API-Key": first })).toBe(401);
    expect(await pages.status({ "X-API-Key": second })).toBe(200);
    await page.reload();
    await pages.shown("#key-state", new RegExp(second.slice(0, 12)));
    await eventually(async () => expect(await page.locator("#key").count()).toBe(0));
    await page.click("#key-delete");
    await pages.confirm();
    await pages.shown("#key-state", /no API key/);
    expect(await pages.status({ "X-API-Key": second })).toBe(401);
  });

  test("disconnect another browser by its name", async () => {
    const { page } = pages;
    const cookie = await pages.post("/auth/login", login);
    await page.reload();
    await pages.shown(
      "#browser-sessions li",
      /Firefox on Windows.*logged in .*\d.* from 127\.0\.0\.0\/24/,
    );
    await pages.shown("#browser-sessions li", /Chrome on Linux.*This browser/);
    await pages.look("settings-browsers");
    await page.click('button[aria-label="Disconnect Firefox on Windows"]');
    await pages.confirm();
    await pages.gone("#browser-sessions", /Windows/);
    expect(await pages.status({ Cookie: cookie })).toBe(401);
    await eventually(async () =>
      expect(await page.evaluate("document.activeElement.id")).toBe("browser-heading"),
    );
  });

  test("log out all other browsers at once", async () => {
    const { page } = pages;
    // The request comes from another network, as a network has ten log-ins a minute.
    const cookie = await pages.post("/auth/login", login, { "X-Forwarded-For": "203.0.113.9" });
    await page.reload();
    await page.click("#end-others");
    await pages.confirm();
    await pages.gone("#browser-sessions", /Windows/);
    expect(await pages.status({ Cookie: cookie })).toBe(401);
    await pages.shown("#browser-sessions li", /Chrome on Linux.*This browser/);
    await eventually(async () => {
      expect(await page.locator("#browser-sessions li").count()).toBe(1);
      expect(await page.locator("#end-others").count()).toBe(0);
    });
  });

  test("disconnect an agent by its name, whatever it calls itself", async () => {
    const token = await signAgentIn(hostileText);
    const headers = { Authorization: `Bearer ${token}` };
    expect(await pages.status(headers)).toBe(200);
    await pages.goto("/app/settings");
    await pages.shown("#agent-sessions li", /taken over/);
    await eventually(async () => expect(await pages.page.title()).toBe("Account · Sightline"));
    await pages.look("settings-agents");
    await pages.page.click("#agent-sessions button");
    await pages.confirm();
    await pages.page.waitForSelector("#agent-none:visible");
    expect(await pages.status(headers)).toBe(401);
  });

  test("change the password: wrong ones are told, other browsers are logged out", async () => {
    const { page } = pages;
    const cookie = await pages.post("/auth/login", login);
    await page.fill("#password-now", "not this one");
    await page.fill("#password-new", newPassword);
    await page.click("#password-form button");
    await page.waitForSelector("#password-form [role=alert]");
    await page.fill("#password-now", login.password);
    await page.click("#password-form button");
    await pages.shown("#password-form [role=status]", /has been changed/);
    expect(await pages.status({ Cookie: cookie })).toBe(401);
    await page.reload();
    await page.waitForSelector("#settings:visible");
  });

  test("tell the last administrator why the account stays", async () => {
    const { page } = pages;
    await page.click("details:has(#deletion-form) > summary");
    await page.fill("#deletion-password", newPassword);
    await page.click("#deletion-form button");
    await pages.confirm();
    await pages.shown("#deletion-form [role=alert]", /only administrator/);
  });

  test("delete the account of anybody else", async () => {
    const bob = { email: "bob@example.com", password: login.password };
    await pages.post("/auth/signup", bob);
    await pages.openAnother();
    const { page } = pages;
    await pages.goto("/app/settings");
    await pages.page.waitForURL("**/login?**");
    await pages.logIn(bob);
    await page.click("details:has(#deletion-form) > summary");
    await page.fill("#deletion-password", bob.password);
    await pages.look("settings-deletion");
    await page.click("#deletion-form button");
    await pages.confirm();
    await page.waitForURL(`${pages.base}/login`);
    await pages.logIn(bob);
    await pages.shown("#alert", /Wrong email or password/);
  });

  test("are reached by who makes an account on a server that is open to all", async () => {
    const { page } = pages;
    await pages.goto("/login?next=/app/settings");
    await page.click("#sign-up summary");
    await pages.look("login-sign-up");
    await page.fill("#new-email", login.email);
    await page.fill("#new-password", newPassword);
    await page.click("#sign-up-form button");
    await page.waitForSelector("#sign-up-alert:visible");
    await page.fill("#new-email", "carol@example.com");
    await page.click("#sign-up-form button");
    await page.waitForURL("**/app/settings");
    await pages.shown("#account-email", /carol@example\.com/);
  });

  test("load nothing from elsewhere and report no error", () => {
    expect(pages.problems).toEqual([]);
  });
});

/** The way a machine goes, with this browser's person approving it. Returns its access token. */
async function signAgentIn(label: string): Promise<string> {
  const send = async (path: string, body: object) =>
    JSON.parse((await ask(pages.server.url, "POST", `/agent-sessions/${path}`, {}, body)).body);
  const client = { mode: "detached", client_type: "cli", label, scopes: ["account:read"] };
  const { authorize_url, auth_request_id, poll_token } = await send("start", client);
  await pages.page.goto(authorize_url);
  await pages.page.click("button:has-text('Approve')");
  await pages.page.waitForSelector("body[data-page=finish]");
  const { exchange_code } = await send("poll", { auth_request_id, poll_token });
  const { agent_session } = await send("exchange", { auth_request_id, exchange_code });
  return agent_session.access_token;
}
