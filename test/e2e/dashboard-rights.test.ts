import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page, Request, Route } from "playwright-core";
import { isAtLeast, type Standing, seesPeople } from "../../src/domain/role";
import type { OperationName } from "../../src/http/operation/facts";
import { endpointIndex } from "../support/app/operations";
import { PersonPages } from "../support/browser/person-pages";
import { login } from "../support/server/account";
import { ask } from "../support/server/server";
import { eventually } from "../support/suite/eventually";

/**
 * The buttons of each kind of member: whatever the owner can press on the pages of a project and of the account, a
 * member can press exactly if the facts of its operation allow it.
 */
let pages: PersonPages;
let viewersReport = "";
const password = "another horse battery";
const people = {
  viewer: { role: "viewer", people: false, projects: null },
  /** Sees one project alone. */
  editor: { role: "editor", people: false, projects: [] },
  admin: { role: "admin", people: true, projects: null },
} as const satisfies Record<string, Standing>;
type Kind = keyof typeof people;
const emailOf = (kind: string): string =>
  kind === "owner" ? login.email : `the-${kind}@example.com`;
/** The credentials of those who call the API, by kind. */
const cookies: Record<string, string> = {};

async function api<Answer>(kind: string, method: string, path: string, body?: object) {
  const headers = { Cookie: cookies[kind] ?? "", Origin: pages.base };
  const answer = await ask(pages.server.url, method, path, headers, body);
  expect([path, answer.body, answer.status < 300]).toEqual([path, answer.body, true]);
  return JSON.parse(answer.body) as Answer;
}

beforeAll(async () => {
  pages = await PersonPages.open(login, { WEBHOOK_ALLOW_HOSTS: "127.0.0.1:9" });
  cookies.owner = await pages.post("/auth/login", login);
  const own = await api<{ user: { id: string } }>("owner", "GET", "/account");
  const project = { name: "shop", domain: "shop.example.com" };
  const { id } = await api<{ id: string }>("owner", "POST", "/projects", project);
  for (const [kind, standing] of Object.entries(people)) {
    const reach = kind === "editor" ? { projects: [id] } : {};
    const invited = { ...standing, ...reach, email: emailOf(kind) };
    const { url } = await api<{ url: string }>("owner", "POST", "/members/invitations", invited);
    const token = url.slice(url.indexOf("#") + 1);
    cookies[kind] = await pages.post("/auth/invitation/accept", { token, password });
  }
  const to = [own.user.id];
  await api("owner", "POST", "/members/invitations", { email: "else@example.com" });
  await api("owner", "POST", "/webhooks", {
    ...{ name: "Bell", kind: "signed", url: "http://127.0.0.1:9/bell" },
  });
  await api("owner", "POST", "/alerts", { project: "shop", name: "Silence", kind: "silence", to });
  await api("owner", "POST", "/reports", { project: "shop", every: "week", to });
  const viewer = await api<{ user: { id: string } }>("viewer", "GET", "/account");
  const alone = { project: "shop", every: "month", to: [viewer.user.id] };
  viewersReport = (await api<{ id: string }>("viewer", "POST", "/reports", alone)).id;
  await api("owner", "POST", "/shares", { project: "shop", name: "Partner" });
  await api("owner", "POST", "/project-context/annotations", {
    ...{ project: "shop", title: "Launch", occurred_at: "2026-01-05T00:00:00Z" },
  });
});
afterAll(() => pages.close());

/** The pages that change something. */
const visited = [
  // Without a query it leads those who have nothing to set up to the overview.
  "/app?new",
  "/app/settings",
  "/app/p/shop/experiments?new=1",
  "/account/billing",
].concat(
  ["people", "replays", "move", "project"].map((page) => `/app/p/shop/${page}`),
  "goals sharing meaning privacy team data danger"
    .split(" ")
    .map((tab) => `/app/p/shop/project/${tab}`),
);
const names = Object.keys(endpointIndex) as OperationName[];
const forms = names.map((name) => ({
  name,
  form: new RegExp(`^${name.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
}));
const operationAt = (method: string, path: string): OperationName | undefined =>
  forms.find(({ form }) => form.test(`${method} ${path}`))?.name;

const fill = `for (const one of document.querySelectorAll("main details")) one.open = true;
for (const one of document.querySelectorAll("main input, main textarea")) {
  if (!one.checkVisibility() || one.value !== "" || one.type === "file") continue;
  const value = { email: "x@example.com", number: "9", date: "2026-01-05", url: "https://x.example.com" }[one.type];
  const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(one), "value").set;
  set.call(one, value ?? (one.type === "password" ? "correct horse battery" : "x.example.com"));
  one.dispatchEvent(new Event("input", { bubbles: true }));
}
for (const one of document.querySelectorAll("main fieldset.checks"))
  if (one.querySelector(":checked") === null) one.querySelector("input")?.click();`;

/** Says yes to what a page asks. */
const sayYes = `new MutationObserver(() => document.querySelector("#question[open] #question-yes")?.click())
  .observe(document, { subtree: true, childList: true, attributes: true })`;

/** Presses the next button that was not pressed yet, but no Cancel. Returns its card and words, or null. */
const pressNext = `(() => {
  const isNew = (one) => one.checkVisibility() && !one.disabled && one.role !== "radio" &&
    !one.dataset.pressed && one.textContent !== "Cancel";
  const next = [...document.querySelectorAll("main button")].find(isNew);
  if (next === undefined) return null;
  next.dataset.pressed = "true";
  next.click();
  return next.closest("section")?.querySelector("h2")?.textContent + ": " + (next.ariaLabel ?? next.textContent);
})()`;
/** What a press leads to is drawn after some frames, however long these take. */
const drawn = `new Promise((done) => {
  const wait = (frames) => frames === 0 ? setTimeout(done) : requestAnimationFrame(() => wait(frames - 1));
  wait(4);
})`;

interface Reached {
  /** The operations that the buttons call. */
  readonly names: ReadonlySet<OperationName>;
  /** Each with its path and body. */
  readonly requests: readonly string[];
}

/** Presses every button of every page. The server never hears of what that would change. */
async function reachedBy(kind: Kind | "owner"): Promise<Reached> {
  await pages.openAnother();
  const { page } = pages;
  await pages.goto("/login");
  await pages.logIn(kind === "owner" ? login : { email: emailOf(kind), password });
  await page.waitForURL(/\/app/);
  const names = new Set<OperationName>();
  const requests: string[] = [];
  const refused: string[] = [];
  page.on("response", (answer) => {
    if (answer.status() === 403) refused.push(`${kind} ${page.url()} ${answer.url()}`);
  });
  let isPressing = false;
  const answer = { status: 503, json: { error: "UNAVAILABLE", message: "Not in this test." } };
  await page.route("**/*", (route: Route) => {
    const request = route.request();
    const { pathname } = new URL(request.url());
    const name = operationAt(request.method(), pathname);
    const isChange = isPressing && request.method() !== "GET";
    if (!isChange || name === undefined || endpointIndex[name].read) return route.continue();
    names.add(name);
    requests.push(`${request.method()} ${pathname} ${request.postData() ?? ""}`);
    return route.fulfill(answer);
  });
  await page.addInitScript(sayYes);
  for (const path of visited) {
    isPressing = false;
    await page.goto(`${pages.base}${path}`, { waitUntil: "networkidle" });
    isPressing = true;
    await pressAll(page);
  }
  expect(refused).toEqual([]);
  await page.context().close();
  return { names, requests };
}

async function pressAll(page: Page): Promise<void> {
  // A request that began before this moment does not count.
  const open = new Set<Request>();
  page.on("request", (request) => open.add(request));
  const close = (request: Request) => open.delete(request);
  page.on("requestfinished", close).on("requestfailed", close);
  for (let pressed = 0; pressed < buttonsMax; pressed += 1) {
    await page.evaluate(fill);
    await page.evaluate(drawn);
    const words = await page.evaluate<string | null>(pressNext);
    if (words === null) return;
    await page.evaluate(drawn);
    await eventually(() => expect(open.size).toBe(0));
    await page.evaluate(drawn);
  }
  throw new Error("There is no end to the buttons.");
}
const buttonsMax = 150;

/** The server's rule for a member who may see the project, as its operations declare it. */
const allows = (name: OperationName, standing: Standing): boolean => {
  const { role, people: isOfPeople, isWhole } = endpointIndex[name];
  if (!isAtLeast(standing.role, role)) return false;
  return (!isOfPeople || seesPeople(standing)) && (!isWhole || standing.projects === null);
};

/** Unlinking needs the id of a visitor, so that its button stands on the page of single visitors. */
const hasPage = (name: OperationName, standing: Standing): boolean =>
  name !== "POST /identities/unlink" || seesPeople(standing);

let all: ReadonlySet<OperationName>;
test("the owner", async () => {
  all = (await reachedBy("owner")).names;
  expect(all.size).toBeGreaterThan(30);
});

const kinds = Object.keys(people) as Kind[];
test.each(kinds)(
  "%s: the buttons of all operations that the role allows, and no other",
  async (kind) => {
    const { names, requests } = await reachedBy(kind);
    const allowed = [...all].filter(
      (name) => allows(name, people[kind]) && hasPage(name, people[kind]),
    );
    expect([...names].sort()).toEqual(allowed.sort());
    // A share that shows single visitors is offered to those who see them.
    const shares = requests.filter((one) => one.startsWith("POST /shares"));
    expect(shares.some((one) => one.includes('"pages"'))).toBe(kind === "admin");
    // Everybody may change a report that goes to them alone: others a viewer only reads.
    if (kind !== "viewer") return;
    const changed = requests.flatMap((one) => /\/reports\/(\w+)/.exec(one)?.[1] ?? []);
    expect(new Set(changed)).toEqual(new Set([viewersReport]));
  },
);
