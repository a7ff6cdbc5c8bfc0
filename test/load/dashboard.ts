import type { Page, Request } from "playwright-core";
import { launchChromium, visitorAgent } from "../support/browser/chromium";
import { untilQuiet } from "../support/browser/page-structure";
import { logInOn } from "../support/browser/person-pages";
import { login } from "../support/server/account";
import { freePort, type Server } from "../support/server/server";
import { type Figures, median, oneDecimal } from "./figures";
import { serve, type World } from "./world";

/** The time from the key that chooses a period to the frame that shows its numbers, in ms. */
interface Switch {
  /** The totals. */
  readonly first: number;
  readonly all: number;
}

const host = "stats.example.net";
const rounds = 5;
/** All numbers of a usual project; of a large one the first number alone. */
const usualEventsMax = 1_000_000;
const targets = { prefetched: 150, fresh: 450, first: 300 };
const letters = ["w", "y", "d", "q", "m"];

/**
 * Measures how long a person waits who switches periods on the overview of the big project, in Chromium on the same
 * machine.
 */
export async function measureDashboard(world: World, figures: Figures): Promise<void> {
  const port = freePort();
  const base = `http://${host}:${port}`;
  const server = await serve(world.dataDir, { PORT: String(port), PUBLIC_URL: base });
  const browser = await launchChromium([host]);
  try {
    const context = await browser.newContext({ userAgent: visitorAgent });
    const page = await context.newPage();
    const underWay = requestsOf(page);
    await logIn(page, base);
    const overview = `${base}/app/p/${world.big.name}/overview?period=7d`;
    // Once for the store, which reads its columns and compiles its functions.
    await fresh(page, overview);
    const asked: Switch[] = [];
    const ready: Switch[] = [];
    for (let round = 0; round < rounds; round++) {
      asked.push(...(await fresh(page, overview)));
      ready.push(...(await prefetched(page, overview, underWay)));
    }
    addFigures(world, figures, { asked, ready });
  } finally {
    await browser.close();
    await stop(server);
  }
}

const stop = (server: Server): Promise<unknown> => server.stop();

async function logIn(page: Page, base: string): Promise<void> {
  await page.goto(`${base}/login?next=/app/p`);
  await logInOn(page, login);
  await page.waitForURL(({ pathname }) => pathname.startsWith("/app/p"));
}

/** One week after the other, each asked for before anything was fetched in advance. */
async function fresh(page: Page, overview: string): Promise<Switch[]> {
  await page.goto(overview);
  await untilQuiet(page);
  const found: Switch[] = [];
  for (let week = 0; week < 6; week++) found.push(await pressed(page, "ArrowLeft"));
  return found;
}

/** Each named period, after the page has fetched them all. */
async function prefetched(
  page: Page,
  overview: string,
  underWay: ReadonlySet<Request>,
): Promise<Switch[]> {
  await page.goto(overview);
  await untilQuiet(page);
  await untilFetched(underWay);
  const found: Switch[] = [];
  for (const letter of letters.slice(1)) found.push(await pressed(page, letter));
  return found;
}

/** Nothing was under way for two seconds: longer than the pauses before and between what is fetched in advance. */
async function untilFetched(underWay: ReadonlySet<Request>): Promise<void> {
  for (let quiet = 0; quiet < 8; await Bun.sleep(250)) quiet = underWay.size === 0 ? quiet + 1 : 0;
}

/** What was asked for and is not answered. */
function requestsOf(page: Page): ReadonlySet<Request> {
  const underWay = new Set<Request>();
  page.on("request", (request) => underWay.add(request));
  page.on("requestfinished", (request) => underWay.delete(request));
  page.on("requestfailed", (request) => underWay.delete(request));
  return underWay;
}

async function pressed(page: Page, key: string): Promise<Switch> {
  await page.evaluate(watch);
  await page.keyboard.press(key);
  return page.evaluate("window.switched");
}

/** The toolbar names the period in the same rendering that marks as busy what is still of the one before. */
const watch = `window.switched = new Promise((done) => {
  const name = () => document.querySelector("#period-menu").textContent;
  const before = name();
  addEventListener("keydown", () => {
    const started = performance.now();
    let first = 0;
    const look = () => {
      const took = performance.now() - started;
      if (name() !== before) {
        if (first === 0 && document.querySelector(".tiles[aria-busy=true]") === null) first = took;
        if (document.querySelector("[aria-busy=true], .waiting") === null) {
          done({ first, all: took });
          return;
        }
      }
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, { once: true, capture: true });
}), 0`;

interface Found {
  readonly asked: readonly Switch[];
  readonly ready: readonly Switch[];
}

function addFigures({ events }: World, figures: Figures, { asked, ready }: Found): void {
  const section = `Dashboard, ${events.toLocaleString("en-US")} events: another period, median / most`;
  const add = (what: string, found: readonly number[], target?: number): void => {
    const measured = `${oneDecimal(median(found))} / ${oneDecimal(Math.max(...found))}`;
    if (target === undefined) figures.add(section, what, measured);
    else figures.add(section, what, measured, String(target), median(found) <= target);
  };
  const firstOf = ({ first }: Switch): number => first;
  const allOf = ({ all }: Switch): number => all;
  const isUsual = events <= usualEventsMax;
  const { prefetched, first } = targets;
  add("first number, prefetched, ms", ready.map(firstOf), isUsual ? prefetched : first);
  add("all numbers, prefetched, ms", ready.map(allOf), isUsual ? prefetched : undefined);
  add("first number, not prefetched, ms", asked.map(firstOf), first);
  add("all numbers, not prefetched, ms", asked.map(allOf), isUsual ? targets.fresh : undefined);
}
