import { afterAll, beforeAll, expect, test } from "bun:test";
import { hostileText, PersonPages } from "../support/browser/person-pages";
import { login, userAgent } from "../support/server/account";
import { ask } from "../support/server/server";
import { eventually } from "../support/suite/eventually";

let pages: PersonPages;
const tokens = new Map<string, string>();

beforeAll(async () => {
  pages = await PersonPages.open(login, { TRUSTED_PROXIES: "127.0.0.1" });
  await pages.goto("/app/live");
  await pages.page.waitForURL("**/login?next=*");
  await pages.logIn(login);
});
afterAll(() => pages.close());

async function makeProject(name: string): Promise<void> {
  const cookie = await pages.post("/auth/login", login);
  const headers = { Cookie: cookie, Origin: pages.base };
  const body = { name, allowed_origins: `https://${name}.example.com` };
  const reply = await ask(pages.server.url, "POST", "/projects", headers, body);
  tokens.set(name, JSON.parse(reply.body).project_token);
}
async function send(project: string, event: object, from = "91.65.0.1"): Promise<void> {
  const headers = { "User-Agent": userAgent, "X-Forwarded-For": from };
  const body = { token: tokens.get(project), event: "page_view", ...event };
  const reply = await ask(pages.server.url, "POST", "/track", headers, body);
  expect([reply.status, reply.body]).toEqual([202, '{"ok":true,"queued":true}']);
}

test("without a project it leads to where one is made", async () => {
  await pages.page.waitForURL(`${pages.base}/app`);
  await pages.shown("#project-heading", /Project/);
  await pages.look("live-none");
});

test("a project where nothing happens says so", async () => {
  await makeProject("my-shop");
  await pages.goto("/app/live");
  await pages.shown("#live-status", /^Live: my-shop$/);
  await pages.shown("#live-empty", /No visitors in the last 5 minutes/);
  await pages.shown("#feed-none", /No events yet/);
  await pages.look("live-empty");
});

test("who is there, what they do and where they are appear as it happens", async () => {
  await send("my-shop", { user_id: "ann", session_id: "s1", properties: { path: "/" } });
  await pages.shown("#feed li", /page_view.*\/.*Germany.*ann/);
  await send(
    "my-shop",
    { user_id: "bob", session_id: "s2", properties: { path: "/b" } },
    "8.8.8.8",
  );
  await send("my-shop", { user_id: "bob", session_id: "s2", properties: { path: "/" } }, "8.8.8.8");
  await pages.shown("#live-visitors", /^2$/);
  await pages.shown("#live-sessions", /^2$/);
  await pages.shown(".now", /Visitors now2in the last 5 minutes.*per minute\d+in the last minute/);
  await pages.shown("#live-rate", /^3$/);
  await pages.shown("#live-pages tr", /^\/2$/);
  await pages.shown("#live-countries tr", /^Germany11$/);
  await pages.shown("#live-countries tr", /^United States12$/);
  await pages.shown("#chart-text", /^Now 3; at most 3/);
  await pages.gone("#live-empty:visible", /./);
  const line = () => pages.page.getAttribute("#chart-line", "d");
  const before = await line();
  await eventually(async () => expect(await line()).not.toBe(before));
  expect(await line()).toMatch(/^M[\d. L]+$/);
});

test("who is there now is the same number in the toolbar of other pages", async () => {
  await pages.goto("/app/p/my-shop/events");
  await pages.shown(".live", /^2visitors now$/);
  expect(await pages.page.getAttribute(".live", "title")).toBe("In the last 5 minutes");
  await pages.goto("/app/settings");
  await pages.shown("h1", /Account/);
  await eventually(async () => expect(await pages.page.locator(".live").count()).toBe(0));
  await pages.goto("/app/live");
  await pages.shown("#live-visitors", /^2$/);
});

test("the line begins five minutes ago, with what was stored since", async () => {
  await pages.page.reload();
  const points = async () => ((await pages.page.getAttribute("#chart-line", "d")) ?? "").split("L");
  await pages.shown("#chart-text", /at most [3-9]/);
  await eventually(async () => {
    const all = await points();
    expect(all.length).toBeGreaterThanOrEqual(20);
    expect(Number(all[0]?.slice(1).split(" ")[0])).toBeLessThan(20);
  });
});

test("what strangers send is text, and the feed has an end", async () => {
  const hostile = { event: hostileText, user_id: hostileText, properties: { path: hostileText } };
  await send("my-shop", hostile);
  await pages.shown("#feed li", /<img src=x/);
  await pages.shown("#live-pages tr", /<img src=x/);
  await eventually(async () => expect(await pages.page.title()).toBe("Live · my-shop"));
  for (let count = 0; count < 40; count++) await send("my-shop", { event: `step ${count}` });
  await pages.shown("#feed li:first-child", /step 39/);
  await eventually(async () => {
    const times = await pages.page.locator("#feed li").allTextContents();
    expect(times.map((text) => /step (\d+)/.exec(text)?.[1])).toEqual(
      Array.from({ length: 30 }, (_, at) => String(39 - at)),
    );
  });
  await pages.look("live");
});

test("what the tracker says for itself is shown when it is asked for, and so are whole ids", async () => {
  const id = "a".repeat(40);
  await send("my-shop", { event: "$scroll", user_id: id });
  await send("my-shop", { event: "looked", user_id: id });
  await pages.shown("#feed li:first-child", /looked.*a{16}…/);
  expect(await pages.page.locator("#feed li").filter({ hasText: "$scroll" }).count()).toBe(0);
  await pages.page.click("#feed-all");
  await pages.shown("#feed li", /\$scroll.*a{40}/);
  await pages.page.click("#feed-all");
});

test("a long text in the feed is whole by Enter, and stays so while other events come", async () => {
  await send("my-shop", { properties: { path: `/${"p".repeat(400)}<b>` } });
  const cut = pages.page.locator("#feed .whole").first();
  await cut.waitFor();
  expect(await cut.innerText()).toBe(`/${"p".repeat(299)}…`);
  await cut.press("Enter");
  await send("my-shop", { event: "meanwhile" });
  await pages.shown("#feed li:first-child", /meanwhile/);
  await eventually(async () => expect(await cut.innerText()).toBe(`/${"p".repeat(400)}<b>`));
  await pages.look("live-whole");
});

test("it can be paused, and goes on with what was missed", async () => {
  await pages.page.click("#live-pause");
  await eventually(async () =>
    expect(await pages.page.getAttribute("#live-pause", "aria-pressed")).toBe("true"),
  );
  await send("my-shop", { event: "while paused" });
  await Bun.sleep(1_000);
  expect(await pages.page.locator("#feed li").filter({ hasText: "while paused" }).count()).toBe(0);
  await pages.page.click("#live-pause");
  await pages.shown("#feed li:first-child", /while paused/);
});

test("a lost server is told, and found again", async () => {
  await pages.restart(async () => {
    await pages.shown("#live-status", /Retrying in \d+ s/);
    await pages.look("live-lost");
    await pages.shown("#live-status", /Cannot reach the server.*Retrying in \d+ s/);
  });
  // The longer the server was away, the longer the page waits before it tries again.
  await pages.shown("#live-status", /^Live: my-shop$/);
  await send("my-shop", { event: "after the restart" });
  await pages.shown("#feed li:first-child", /after the restart/);
});

test("after a restart it says that nobody came since then, and shows what is stored", async () => {
  await makeProject("stored-shop");
  await pages.goto("/app/p/stored-shop/live");
  await pages.shown("#live-empty", /No visitors in the last 5 minutes/);
  // The time is in the middle of the five minutes, however long the restart takes.
  const timestamp = Date.now() - 90_000;
  for (const user_id of ["ann", "bob"]) await send("stored-shop", { user_id, timestamp });
  await pages.shown("#live-visitors", /^2$/);
  await pages.gone("#live-empty", /./);
  await pages.restart(() => pages.shown("#live-status", /Retrying in \d+ s/));
  const seen = async () => {
    await pages.shown("#live-status", /^Live: stored-shop$/);
    await pages.shown("#live-empty", /No new events since the server started/);
    await pages.shown("#chart-text", /at most 2 in the last 5 minutes/);
    await pages.shown("#live-visitors", /^0$/);
    await pages.shown(".now", /Visitors now0since \d\d:\d\d/);
  };
  // The page that was there meanwhile, and one that is opened now.
  await seen();
  await pages.look("live-restarted");
  await pages.page.reload();
  await seen();
  await send("stored-shop", { event: "after it", user_id: "cy" });
  await pages.shown("#live-visitors", /^1$/);
  await pages.gone("#live-empty", /./);
  await pages.shown(".now", /Visitors now1since \d\d:\d\d/);
});

test("another project can be chosen, and is kept in the address", async () => {
  await makeProject("other");
  await pages.page.reload();
  await pages.page.click("#project-menu");
  await pages.page.click(".project-menu .panel a:has-text('other')");
  await pages.shown("#live-status", /^Live: other$/);
  await pages.shown("#live-empty", /No visitors/);
  await send("other", { event: "over there" });
  await pages.shown("#feed li", /over there/);
  await pages.page.waitForURL("**/app/p/other/live");
  await pages.page.reload();
  await pages.shown("#live-status", /^Live: other$/);
});

test("without Pro it says so, and leads to the plan", async () => {
  const person = { email: "free@example.com", password: "correct horse battery" };
  await pages.post("/auth/signup", person);
  const admin = await pages.post("/auth/login", login);
  const headers = { Cookie: admin, Origin: pages.base };
  const { body } = await ask(pages.server.url, "GET", "/admin/accounts", headers);
  const { id } = (JSON.parse(body).accounts as { id: string; email: string }[]).find(
    ({ email }) => email === person.email,
  ) ?? { id: "" };
  await pages.openAnother();
  await pages.goto("/login?next=/app/live");
  await pages.logIn(person);
  await pages.page.waitForURL(`${pages.base}/app`);
  const cookie = await pages.post("/auth/login", person);
  const own = { Cookie: cookie, Origin: pages.base };
  await ask(pages.server.url, "POST", "/projects", own, {
    name: "free-shop",
    allowed_origins: "https://free.example.com",
  });
  await pages.goto("/app/live");
  await pages.shown("#live-status", /^Live: free-shop$/);
  await ask(pages.server.url, "PATCH", `/admin/accounts/${id}`, headers, { tier: "free" });
  await pages.shown("#live-status", /needs the Pro plan/);
  await pages.shown("#live-help a", /plan/);
  await pages.page.reload();
  await pages.shown("#live-status", /needs the Pro plan/);
  await pages.look("live-free");
});

test("nothing broke the pages' own policy or asked anybody else", () => {
  // A socket to a server that is away is an error that the page cannot prevent.
  expect(pages.problems).toEqual([]);
});
