import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { ScanResult } from "../../src/features/website-scans/schema";
import { Semaphore } from "../../src/lib/semaphore";
import { type Marking, markingOf } from "../scans/marking";
import { isWhole, planFor, savedSites, sites } from "../scans/sites";
import { launchChromium, visitorAgent } from "../support/browser/chromium";
import { until } from "../support/browser/replay-collector";
import { looked } from "../support/browser/tracked-site";
import { untilInPage } from "../support/browser/until-in-page";
import { read, setUpAccount, userAgent } from "../support/server/account";
import {
  ask,
  freePort,
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { eventually } from "../support/suite/eventually";

/** The hints of the plans for the saved sites are followed to the letter: the event they promise must be stored. */
const statsHost = "stats.example.net";
const siteHost = "shop.example.com";
const dataDir = temporaryFolder();
const [port, sitePort] = [freePort(), freePort()];
const origin = `http://${siteHost}:${sitePort}`;
let server: Server;
let browser: Browser;
let pages: Bun.Server<undefined>;
let key: string;
let token: string;

beforeAll(async () => {
  server = await startServer({ dataDir, env: { PORT: String(port) } });
  key = await setUpAccount(server.url);
  const body = { name: "hints", allowed_origins: origin };
  const made = await ask(server.url, "POST", "/projects", { "X-API-Key": key }, body);
  token = JSON.parse(made.body).project_token;
  browser = await launchChromium([statsHost, siteHost]);
  pages = Bun.serve({ port: sitePort, fetch: serveSaved });
});
afterAll(async () => {
  await browser.close();
  await pages.stop(true);
  await server.kill();
  removeFolder(dataDir);
});

/** They end late: what a page sends as it is left can be on its way for a while. */
const visits: BrowserContext[] = [];
const visitsMax = 20;
/** Sites whose pages are visited at the same time. */
const visiting = new Semaphore(4, sites.length);

const paragraph = "<p>A paragraph</p>";
const network = savedSites({
  "https://chosen.example.com/": `<!doctype html><main>${paragraph.repeat(20)}</main>`,
  "https://later.example.com/": "<!doctype html><h1>Later</h1>",
});
/** What a hint adds to the script tag. */
let options = "";
const snippet = () =>
  `<script defer src="http://${statsHost}:${port}/tracker.js" data-project="hints"` +
  ` data-token="${token}" ${options}></script>`;

/** Each saved site under a folder of its name, with the snippet before everything else. */
async function serveSaved({ url }: Request): Promise<Response> {
  const [, site = "", path = "/"] = /^\/([\w-]+)(\/.*)$/.exec(new URL(url).pathname) ?? [];
  const saved = new URL(path, `https://${site}.example.com/`);
  const answer = await network.request(saved, "", new AbortController().signal);
  if (!answer.ok) return answer;
  const type = { "content-type": "text/html; charset=utf-8" };
  const html = (await answer.text()).replace(/^(<!doctype html>)?/i, `$1${snippet()}`);
  return new Response(html, { headers: type });
}

/** Puts the attributes in as soon as the elements are there, and keeps clicks from leaving the page. */
const markingScript = (markings: readonly Marking[]): string => `
  document.addEventListener("click", (event) => event.preventDefault());
  document.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("DOMContentLoaded", () => {
    for (const { attribute, event, selector, number } of ${JSON.stringify(markings)}) {
      const element = document.querySelectorAll(selector)[number - 1];
      element.setAttribute(attribute, event);
      element.dataset.marked = event;
    }
  });`;

async function visit(
  site: string,
  path: string,
  act: (page: Page) => Promise<unknown>,
  script = "",
): Promise<void> {
  const context = await browser.newContext({ userAgent: visitorAgent });
  visits.push(context);
  const former = visits.length > visitsMax ? visits.shift() : undefined;
  await former?.close();
  const page = await context.newPage();
  await page.addInitScript(script);
  await page.goto(`${origin}/${site}${path}`);
  await untilInPage(page, "window.aa");
  await act(page);
  await page.goto("about:blank");
}

async function follow(site: string, path: string, markings: readonly Marking[]): Promise<void> {
  const act = async (page: Page): Promise<void> => {
    for (const { attribute, event } of markings) {
      const element = page.locator(`[data-marked="${event}"]`);
      if (attribute === "data-aa-event") await element.click({ force: true });
      else await element.scrollIntoViewIfNeeded();
    }
    await page.evaluate(looked);
  };
  await visit(site, path, act, markingScript(markings));
}

interface Stored {
  readonly event: string;
  readonly user_id: string;
  readonly properties: {
    readonly path?: string;
    readonly name?: string;
    readonly customer?: string;
  } | null;
}
/** Names of what is stored of the pages of a site; an impression goes by its name. */
async function storedOf(site: string): Promise<Set<string>> {
  const path = "/events?project=hints&limit=1000&since=1d";
  const { events } = await read<{ events: readonly Stored[] }>(server.url, key, path);
  const own = events.filter(({ properties }) => properties?.path?.startsWith(`/${site}/`));
  return new Set(
    own.map(({ event, properties }) =>
      event === "$impression" ? (properties?.name ?? "") : event,
    ),
  );
}

async function expectStored(site: string, events: readonly string[]): Promise<void> {
  let stored = new Set<string>();
  await until(async () => {
    stored = await storedOf(site);
    return events.every((event) => stored.has(event));
  });
  expect([site, events.filter((event) => !stored.has(event))]).toEqual([site, []]);
}

const plans = new Map<string, Promise<ScanResult>>();
function planOf(site: string): Promise<ScanResult> {
  const plan = plans.get(site) ?? planFor(site, isWhole(site) ? "full" : "preview");
  plans.set(site, plan);
  return plan;
}
const hintsOf = async (site: string): Promise<readonly string[]> =>
  (await planOf(site)).minimum_viable_instrumentation.map(
    ({ implementation_hint }) => implementation_hint,
  );

test.concurrent.each(sites)(
  "each attribute that the plan for %s names records its event",
  async (site) => {
    const markings = (await hintsOf(site)).map(markingOf).filter((one) => one !== null);
    await visiting.pass(site, async () => {
      for (const path of new Set(markings.map((marking) => marking.path))) {
        await follow(
          site,
          path,
          markings.filter((marking) => marking.path === path),
        );
      }
    });
    await expectStored(
      site,
      markings.map(({ event }) => event),
    );
  },
);

/** Nothing was seen that it could name, or it is on a page that was not read: its reader chooses the element. */
const openHint =
  /^Add (data-aa-\w+)="(\w+)" to the element that (?:visitors .*, on the start page|holds the prices, on \/\S*)\./;
const playedHint = /^On (\S+): (document\.querySelector\('.+?'\).*)\.$/;
const playerHint = /^When the player on (\S+) starts playing, call (.*)\.$/;
const serverHint =
  /^On the server, .* POST \/track with (\{.*?\})\. .* call (aa\.identify\(.*?\)) to link/;

test("every hint is of a kind that is followed here", async () => {
  const hints = (await Promise.all(sites.map(hintsOf))).flat();
  const markings = hints.map(markingOf).filter((one) => one !== null);
  const kinds = new Set(markings.map(({ attribute }) => attribute));
  expect([...kinds].sort()).toEqual(["data-aa-event", "data-aa-impression"]);
  expect(markings.length).toBeGreaterThan(60);
  const others = [openHint, playedHint, playerHint, serverHint];
  for (const form of others) expect(hints.some((hint) => form.test(hint))).toBe(true);
  const isFollowed = (hint: string): boolean =>
    markingOf(hint) !== null || others.some((form) => form.test(hint));
  expect(hints.filter((hint) => !isFollowed(hint))).toEqual([]);
});

test("a hint that leaves the element to its reader works on any", async () => {
  const hints = [...(await hintsOf("app-shell")), ...(await hintsOf("saas-start"))];
  const markings = hints.flatMap((hint, at) => {
    const [, attribute = "", event = ""] = openHint.exec(hint) ?? [];
    return event === "" ? [] : [{ attribute, event, selector: "p", number: at + 1, path: "/" }];
  });
  await follow("chosen", "/", markings);
  expect(markings.length).toBe(4);
  await expectStored(
    "chosen",
    markings.map(({ event }) => event),
  );
});

test.each(["site-full", "saas-start"])(
  "the call that a hint names records the start of a video of %s",
  async (site) => {
    const hint = (await hintsOf(site)).find((text) => playedHint.test(text)) ?? "";
    const [, path = "", code = ""] = playedHint.exec(hint) ?? [];
    const video = /^document\.querySelector\('.+?'\)/.exec(code)?.[0] ?? "";
    await visit(site, path, async (page) => {
      await page.evaluate(code);
      await page.evaluate(`${video}.dispatchEvent(new Event("play"))`);
    });
    await expectStored(site, ["demo_video_started"]);
  },
);

test("and so does the one for a player", async () => {
  const site = "course";
  const hint = (await hintsOf(site)).find((text) => playerHint.test(text)) ?? "";
  const [, path = "", code = ""] = playerHint.exec(hint) ?? [];
  await visit(site, path, (page) => page.evaluate(code));
  await expectStored(site, ["demo_video_started"]);
});

const eventsNamed = async (event: string): Promise<readonly Stored[]> => {
  const path = `/events?project=hints&event=${encodeURIComponent(event)}&since=1d`;
  return (await read<{ events: readonly Stored[] }>(server.url, key, path)).events;
};

test("the request that a hint names records a lasting outcome, of the person whom the page names", async () => {
  const hint = (await hintsOf("site-full")).find((text) => serverHint.test(text)) ?? "";
  const filled = hint.replaceAll("<project token>", token).replaceAll("<id of the user>", "u1");
  const [, body = "", code = ""] = serverHint.exec(filled) ?? [];
  await visit("site-full", "/signup", (page) => page.evaluate(code));
  const answer = await ask(
    server.url,
    "POST",
    "/track",
    { "User-Agent": userAgent },
    JSON.parse(body),
  );
  expect(answer.status).toBe(202);
  await eventually(async () =>
    expect((await eventsNamed("signup")).map(({ user_id }) => user_id)).toEqual(["u1"]),
  );
  // The visit before belongs to the same person.
  await eventually(async () => {
    const before = (await eventsNamed("page_view")).filter(
      ({ properties }) => properties?.path === "/site-full/signup",
    );
    expect(before.at(0)?.user_id).toBe("u1");
  });
});

test("what is proposed for later works as it is told", async () => {
  const plans = await Promise.all(sites.map(planOf));
  const later = new Set(
    plans.flatMap(({ advanced_tracking_later: list }) =>
      list.map(({ implementation_hint }) => implementation_hint),
    ),
  );
  const attributes: string[] = [];
  const calls: string[] = [];
  for (const hint of later) {
    const [, attribute] = /^Add (data-track-\w+="\w+") to the script tag\.$/.exec(hint) ?? [];
    const [, code] = /^Call (aa\.\w+\(.*?\))[ .]/.exec(hint) ?? [];
    if (attribute !== undefined) attributes.push(attribute);
    if (code !== undefined) calls.push(code);
  }
  expect([attributes.length + calls.length, later.size]).toEqual([3, 3]);
  options = attributes.join(" ");
  await visit("later", "/", async (page) => {
    for (const code of calls) await page.evaluate(code.replace("<id of the user>", "u2"));
    await page.evaluate(`aa.track("afterwards")`);
  });
  options = "";
  await expectStored("later", ["$web_vitals", "afterwards"]);
  await eventually(async () => {
    const [event] = await eventsNamed("afterwards");
    expect(event).toMatchObject({ user_id: "u2", properties: { customer: "returning" } });
  });
});
