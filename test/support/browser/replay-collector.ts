import type { Browser, BrowserContext, Page } from "playwright-core";
import { buildRecorder } from "../../../src/replay/recorder/build";
import { buildTracker } from "../../../tracker/build";
import { recordedPage } from "../../pages/recorded-site";
import { launchChromium, visitorAgent } from "./chromium";

interface SentSegment {
  readonly replay: string;
  readonly seq: number;
  readonly events: readonly RecordedEvent[];
  readonly text: string;
}
export interface RecordedEvent {
  readonly type: number;
  readonly timestamp: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The sites, and a host that takes down what the recorder sends, as it was sent. */
export interface ReplayCollector {
  readonly browser: Browser;
  readonly origin: string;
  /** The origin under a name that browsers treat as secure although it has no certificate. */
  readonly safeOrigin: string;
  readonly segments: SentSegment[];
  readonly finished: string[];
  /** What the project's settings say; changed between visits. */
  config: Readonly<Record<string, unknown>>;
  /** Answers instead of the collector, where it returns something. */
  answer: (path: string) => Response | null;
  /** A page of a new visitor. Errors that it reports fail the test that looks at `problems`. */
  visit(path: string, options?: VisitOptions): Promise<Visit>;
  /** Nothing has been sent. What closed pages still send of recordings that had begun by then is not taken down. */
  forget(): void;
  close(): Promise<void>;
}
interface VisitOptions {
  readonly isSafe?: boolean;
  readonly before?: (context: BrowserContext) => Promise<unknown>;
}
interface Visit {
  readonly page: Page;
  readonly problems: string[];
  status(): Promise<string>;
  consent(state: string): Promise<void>;
}

export const collectorToken = `aat_${"7".repeat(48)}`;
const siteHost = "shop.example.com";
const statsHost = "stats.example.net";

const waitMsMax = 50_000;

/** Waits until it holds, long enough for a busy machine; the test's own expectation says what is missing. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + waitMsMax;
  while (!(await holds()) && performance.now() < deadline) await Bun.sleep(50);
}

export async function openCollector(): Promise<ReplayCollector> {
  const scripts = {
    "/replay.js": await buildRecorder(),
    "/tracker.js": (await buildTracker()).script,
  };
  const world = {
    segments: [] as SentSegment[],
    finished: [] as string[],
    config: {} as Readonly<Record<string, unknown>>,
    answer: (_path: string): Response | null => null,
    begun: new Set<string>(),
    forgotten: new Set<string>(),
  };
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, searchParams, host } = new URL(request.url);
      const stats = host.replace(/^(shop\.localhost|[^:]+)/, (name) =>
        name === "shop.localhost" ? "stats.localhost" : statsHost,
      );
      if (!host.startsWith("stats."))
        return recordedPage(pathname, `http://${stats}`, collectorToken);
      const body = new Uint8Array(await request.arrayBuffer());
      const plain = searchParams.get("enc") === "gzip" ? Bun.gunzipSync(body) : body;
      const text = new TextDecoder().decode(plain);
      const answer =
        world.answer(pathname) ?? script(scripts, pathname) ?? collect(world, pathname, text);
      answer.headers.set("access-control-allow-origin", "*");
      return answer;
    },
  });
  const browser = await launchChromium([siteHost, statsHost]);
  const origin = `http://${siteHost}:${server.port}`;
  const safeOrigin = `http://shop.localhost:${server.port}`;
  return Object.assign(world, {
    browser,
    origin,
    safeOrigin,
    visit: (path: string, { isSafe = false, before }: VisitOptions = {}) =>
      visit(browser, (isSafe ? safeOrigin : origin) + path, before),
    forget() {
      for (const replay of world.begun) world.forgotten.add(replay);
      world.segments.length = 0;
      world.finished.length = 0;
      world.config = {};
      world.answer = () => null;
    },
    async close() {
      await browser.close();
      await server.stop(true);
    },
  });
}

const script = (scripts: Readonly<Record<string, string>>, path: string): Response | null =>
  scripts[path] === undefined
    ? null
    : new Response(scripts[path], { headers: { "content-type": "application/javascript" } });

interface World extends Pick<ReplayCollector, "segments" | "finished" | "config"> {
  /** Recordings by their ids, which are those of their sessions. */
  readonly begun: Set<string>;
  readonly forgotten: Set<string>;
}

function collect(world: World, path: string, text: string): Response {
  const { segments, finished, config, begun, forgotten } = world;
  if (path === "/replays/config") {
    return Response.json({
      enabled: true,
      start_mode: "immediate",
      sample_rate: 1,
      mask_selectors: [".balance"],
      block_selectors: [".ad"],
      ...config,
    });
  }
  if (path === "/replays/ingest/start") {
    const { session_id } = JSON.parse(text);
    begun.add(session_id);
    return Response.json({
      ok: true,
      recording: true,
      replay_id: session_id,
      upload_token: "aau_x",
      next_seq: nextSeq(segments, session_id),
    });
  }
  const replay = path.split("/")[3] ?? "";
  if (forgotten.has(replay)) return Response.json({ ok: true, next_seq: 0, stop: false });
  if (path.endsWith("/segments")) {
    const { seq, events } = JSON.parse(text);
    const known = segments.find((one) => one.replay === replay && one.seq === seq);
    const isStored = known === undefined || known.text === text;
    if (known === undefined) segments.push({ replay, seq, events, text });
    const next_seq = nextSeq(segments, replay);
    return Response.json({ ok: true, seq, next_seq, stop: false, stored: isStored });
  }
  if (path.endsWith("/finish")) finished.push(JSON.parse(text).stop_reason);
  return Response.json({ ok: true });
}

const nextSeq = (segments: readonly SentSegment[], replay: string): number =>
  segments.reduce((next, one) => (one.replay === replay ? Math.max(next, one.seq + 1) : next), 0);

async function visit(
  browser: Browser,
  url: string,
  before: VisitOptions["before"],
): Promise<Visit> {
  const context = await browser.newContext({ userAgent: visitorAgent });
  await before?.(context);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("404")) {
      problems.push(message.text());
    }
  });
  await page.goto(url);
  return {
    page,
    problems,
    status: () => page.evaluate("window.aaReplay.status()"),
    consent: (state) =>
      page.evaluate(
        `document.dispatchEvent(new CustomEvent("aa:consent", { detail: { state: "${state}" } }))`,
      ),
  };
}

export const eventsOf = ({ segments }: ReplayCollector): RecordedEvent[] =>
  segments.flatMap(({ events }) => events).sort((a, b) => a.timestamp - b.timestamp);

export const hasSnapshot = (collector: ReplayCollector): boolean =>
  eventsOf(collector).some(({ type }) => type === 2);

/**
 * Waits by the page's own clock, so that its scripts have done by then what they were to do, however busy the machine
 * is.
 */
export const passed = (page: Page, ms: number): Promise<unknown> =>
  page.evaluate(`new Promise((done) => setTimeout(done, ${ms}))`);
