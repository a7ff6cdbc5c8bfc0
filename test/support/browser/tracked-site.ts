import type { Browser, BrowserContext, Page } from "playwright-core";
import { openSite, type Site } from "../../pages/site";
import { read, setUpAccount } from "../server/account";
import {
  ask,
  freePort,
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../server/server";
import { launchChromium, visitorAgent } from "./chromium";
import { painted } from "./page-structure";
import { untilInPage } from "./until-in-page";

export interface StoredEvent {
  readonly event: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly user_id: string | null;
  readonly session_id: string | null;
  readonly timestamp: number;
}

/** A running server, a site under a name of its own that is tracked by it, and a browser. Names are no localhost. */
export interface TrackedSite {
  readonly server: Server;
  readonly site: Site;
  readonly browser: Browser;
  /** The names that lead to this machine in it. */
  readonly hosts: readonly string[];
  readonly base: string;
  readonly origin: string;
  readonly key: string;
  readonly project: string;
  /** A new visitor, whose page errors and messages are in `problems`. */
  visitor(): Promise<Visitor>;
  /** The stored events, oldest first, as soon as there is the given number. */
  events(count: number): Promise<StoredEvent[]>;
  /** The stored events, oldest first, as soon as some have come and then no more do. */
  settled(): Promise<StoredEvent[]>;
  /** What reads the stored events of visitors of whom there are none yet: those before may still send some. */
  newcomers(): Promise<() => Promise<StoredEvent[]>>;
  read<T>(path: string): Promise<T>;
  close(): Promise<void>;
}

interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly problems: string[];
}

const waitMsMax = 50_000;
/** No more events come when none has come for this long, or on a busy machine for the time of several answers. */
const quietMsMin = 300;
const quietAnswers = 15;
const statsHost = "stats.example.net";
const siteHost = "shop.example.com";
const others = ["other.example.org", "partner.example.org"];

export async function openTrackedSite(project: string): Promise<TrackedSite> {
  const dataDir = temporaryFolder();
  const port = freePort();
  const sitePort = freePort();
  const base = `http://${statsHost}:${port}`;
  const origin = `http://${siteHost}:${sitePort}`;
  const server = await startServer({ dataDir, env: { PORT: String(port) } });
  const key = await setUpAccount(server.url);
  const body = { name: project, allowed_origins: origin };
  const made = await ask(server.url, "POST", "/projects", { "X-API-Key": key }, body);
  const token = JSON.parse(made.body).project_token;
  const site = openSite({ baseUrl: base, project, token, port: sitePort });
  const hosts = [statsHost, siteHost, ...others];
  const browser = await launchChromium(hosts);
  const get = <T>(path: string): Promise<T> => read<T>(server.url, key, path);
  const all = async (): Promise<StoredEvent[]> => {
    const { events } = await get<{ events: StoredEvent[] }>(
      `/events?project=${project}&limit=1000&since=1d`,
    );
    return events.reverse();
  };

  const settled = async (): Promise<StoredEvent[]> => {
    for (;;) {
      const askedAt = performance.now();
      const before = await all();
      const tookMs = performance.now() - askedAt;
      await Bun.sleep(Math.max(quietMsMin, quietAnswers * tookMs));
      const after = await all();
      if (after.length === before.length) return after;
    }
  };

  return {
    server,
    site,
    browser,
    hosts,
    base,
    origin,
    key,
    project,
    visitor: () => newVisitor(browser),
    read: get,
    async events(count) {
      const deadline = performance.now() + waitMsMax;
      for (;;) {
        const events = await all();
        if (events.length >= count || performance.now() > deadline) return events;
        await Bun.sleep(50);
      }
    },
    settled,
    async newcomers() {
      const known = new Set((await settled()).map(({ user_id }) => user_id));
      return async () => (await all()).filter(({ user_id }) => !known.has(user_id));
    },
    async close() {
      await browser.close();
      await site.stop();
      await server.kill();
      removeFolder(dataDir);
    },
  };
}

async function newVisitor(browser: Browser): Promise<Visitor> {
  const context = await browser.newContext({ userAgent: visitorAgent });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  return { context, page, problems };
}

/**
 * Waits by the page's own clock: for the tracker to look at the page, which it does a third of a second after the page
 * has changed, and for the browser to tell it what of that is in sight.
 */
export const looked = `new Promise((done) => setTimeout(done, 400)).then(() => ${painted})`;

/**
 * Lets somebody visit a page and leave it. Returns what reads the events that are stored of that visit; what is sent
 * while a page is left may come late.
 */
export async function sentBy(
  world: TrackedSite,
  path: string,
  act: (page: Page) => Promise<unknown>,
  allowed: RegExp = /^$/,
): Promise<() => Promise<StoredEvent[]>> {
  const { page, context, problems } = await world.visitor();
  await page.goto(world.origin + path);
  const frame = page.frames().at(-1) ?? page.mainFrame();
  await untilInPage(frame, "window.aa");
  const visitor = await frame.evaluate("window.aa.getIdentity().anonymousId");
  await act(page);
  await page.goto("about:blank");
  const stored = () => eventsOf(world, visitor);
  await stored();
  await context.close();
  const unexpected = problems.filter((problem) => !allowed.test(problem));
  if (unexpected.length > 0) throw new Error(`The page saw errors:\n${unexpected.join("\n")}`);
  return stored;
}

/** Returns the events of a visitor who has left, as soon as some have come and then no more do. */
async function eventsOf(world: TrackedSite, visitor: unknown): Promise<StoredEvent[]> {
  const deadline = performance.now() + waitMsMax;
  for (;;) {
    const events = (await world.settled()).filter(({ user_id }) => user_id === visitor);
    if (events.length > 0 || performance.now() > deadline) return events;
  }
}

export const named = (events: readonly StoredEvent[], name: string): StoredEvent[] =>
  events.filter(({ event }) => event === name);
