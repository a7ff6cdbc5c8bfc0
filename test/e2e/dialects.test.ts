import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import type { SourceKind } from "../../src/domain/source";
import { launchChromium, visitorAgent } from "../support/browser/chromium";
import { read, setUpAccount } from "../support/server/account";
import {
  ask,
  freePort,
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { pathFromRoot } from "../support/suite/sources";

/** The released clients of browsers, and our scripts in place of three of them, on a page that has moved. */

interface Client {
  readonly kind: SourceKind;
  /** What the page has, where `{source}` stands for the address of the source. */
  readonly html: string;
}

const bundled = (kind: SourceKind, name: string): Client => ({
  kind,
  html: `<script src="/clients/${name}.js"></script>`,
});

const clients: Readonly<Record<string, Client>> = {
  "plausible-tracker": bundled("plausible", "plausible-tracker"),
  "@plausible-analytics/tracker": bundled("plausible", "plausible-analytics"),
  "our script for Plausible": {
    kind: "plausible",
    html:
      `<script data-domain="garten.example" src="{source}/js/script.js"></script>` +
      `<script>plausible("signup", { props: { plan: "pro" } })</script>`,
  },
  "our script for Umami": {
    kind: "umami",
    html:
      `<script data-website-id="94db1cb1-74f4-4a40-ad6c-962362670409" src="{source}/script.js"></script>` +
      `<button data-umami-event="signup" data-umami-event-plan="pro">Sign up</button>`,
  },
  "our script for GoatCounter": {
    kind: "goatcounter",
    html:
      `<script data-goatcounter="{source}/count" src="{source}/count.js"></script>` +
      `<button data-goatcounter-click="signup">Sign up</button>`,
  },
  "@segment/analytics-next": bundled("segment", "segment"),
  "posthog-js": bundled("posthog", "posthog"),
  "mixpanel-browser": bundled("mixpanel", "mixpanel"),
};

const statsHost = "stats.example.net";
/** Each project has a site of its own below it. */
const siteHost = "garten.example";
const hostOf = (project: string): string => `${project}.${siteHost}`;
let server: Server;
let site: Bun.Server<undefined>;
let browser: Browser;
let key: string;
let base: string;
const dataDir = temporaryFolder();
const pages = new Map<string, string>();

beforeAll(async () => {
  const port = freePort();
  base = `http://${statsHost}:${port}`;
  server = await startServer({ dataDir, env: { PORT: String(port) } });
  key = await setUpAccount(server.url);
  site = Bun.serve({ port: 0, fetch: answer });
  browser = await launchChromium([statsHost, `*.${siteHost}`]);
});
afterAll(async () => {
  await browser.close();
  await site.stop(true);
  await server.kill();
  removeFolder(dataDir);
});

async function answer({ url }: Request): Promise<Response> {
  const { pathname } = new URL(url);
  const html = pages.get(pathname);
  if (html !== undefined) return new Response(html, { headers: { "content-type": "text/html" } });
  const [, name] = /^\/clients\/([a-z-]+)\.js$/.exec(pathname) ?? [];
  if (name === undefined) return new Response(null, { status: 404 });
  const { outputs } = await Bun.build({
    entrypoints: [pathFromRoot(`test/pages/clients/${name}.js`)],
    target: "browser",
    format: "iife",
  });
  return new Response(outputs[0], { headers: { "content-type": "text/javascript" } });
}

interface StoredEvent {
  readonly event: string;
  readonly user_id: string | null;
  readonly session_id: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
}

async function openSource(project: string, kind: SourceKind): Promise<string> {
  const credential = { "X-API-Key": key };
  const allowed_origins = `http://${hostOf(project)}:${site.port}`;
  await ask(server.url, "POST", "/projects", credential, { name: project, allowed_origins });
  const made = await ask(server.url, "POST", `/projects/${project}/sources`, credential, { kind });
  return `${base}/in/${JSON.parse(made.body).id}`;
}

async function untilStored(project: string): Promise<readonly StoredEvent[]> {
  const path = `/events?project=${project}&since=1d&limit=100`;
  const deadline = performance.now() + 30_000;
  for (;;) {
    const { events } = await read<{ events: readonly StoredEvent[] }>(server.url, key, path);
    const names = events.map(({ event }) => event);
    const isWhole = names.includes("page_view") && names.includes("signup");
    if (isWhole || performance.now() > deadline) return events;
    await Bun.sleep(50);
  }
}

for (const [at, [name, { kind, html }]] of Object.entries(clients).entries()) {
  test(`${name} sends to a source`, async () => {
    const project = `site-${at}`;
    const source = await openSource(project, kind);
    const path = `/start-${at}`;
    const head = `<!doctype html><title>Start</title><link rel="icon" href="data:,"><body>`;
    const told = `<script>window.source = "${source}"</script>`;
    pages.set(path, head + told + html.replaceAll("{source}", source));
    const context = await browser.newContext({ userAgent: visitorAgent });
    // Scripts are silent where a program says that it drives the browser.
    await context.addInitScript(
      "Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false })",
    );
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    await page.goto(`http://${hostOf(project)}:${site.port}${path}?utm_source=news`);
    const button = await page.$("button");
    await button?.click();
    const events = await untilStored(project);
    await context.close();
    expect(problems).toEqual([]);
    const view = events.find(({ event }) => event === "page_view");
    const signup = events.find(({ event }) => event === "signup");
    expect(view?.properties).toMatchObject({
      ...{ path, hostname: hostOf(project), utm_source: "news", browser: "Chrome", os: "Linux" },
    });
    if (kind !== "goatcounter") expect(signup?.properties).toMatchObject({ plan: "pro" });
    expect(signup?.session_id).toBe(view?.session_id ?? "");
    expect([view?.user_id, view?.session_id]).not.toContain(null);
    const { sources } = await read<{ sources: { last24h: { refused: unknown } }[] }>(
      server.url,
      key,
      `/projects/${project}/sources`,
    );
    expect(sources[0]?.last24h.refused).toEqual({});
  });
}
