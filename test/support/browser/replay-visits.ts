import type { Browser } from "playwright-core";
import { recordedPage } from "../../pages/recorded-site";
import { click, ids, newText, opening } from "../app/recording";
import { read, setUpAccount } from "../server/account";
import type { Reply } from "../server/connection";
import { ask, freePort, removeFolder, startServer, temporaryFolder } from "../server/server";
import { launchChromium, visitorAgent } from "./chromium";

/** The executable with a project that is recorded, sites that embed its scripts, and a browser. */
export interface RecordedWorld {
  readonly browser: Browser;
  /** The address of the server, by the name that browsers use. */
  readonly base: string;
  readonly site: string;
  read<T>(path: string): Promise<T>;
  change(method: string, path: string, body?: object): Promise<Reply>;
  /** What the viewer at this address would play. */
  recorded(viewer: string): Promise<RecordedEvent[]>;
  close(): Promise<void>;
}

export interface RecordedEvent {
  readonly type: number;
  readonly timestamp: number;
  readonly data: { readonly source?: number; readonly type?: number };
}

const statsHost = "stats.example.net";
const siteHost = "shop.example.com";

export async function openRecordedWorld(project: string): Promise<RecordedWorld> {
  const dataDir = temporaryFolder();
  const port = freePort();
  const base = `http://${statsHost}:${port}`;
  const server = await startServer({ dataDir, env: { PORT: String(port) } });
  const key = await setUpAccount(server.url);
  const change = (method: string, path: string, body?: object) =>
    ask(server.url, method, path, { "X-API-Key": key }, body);
  let token = "";
  const site = Bun.serve({
    port: 0,
    fetch: (request) => recordedPage(new URL(request.url).pathname, base, token),
  });
  const origin = `http://${siteHost}:${site.port}`;
  const made = await change("POST", "/projects", { name: project, allowed_origins: origin });
  token = JSON.parse(made.body).project_token;
  await change("POST", "/replays/enable", { project });
  await change("PUT", "/replays/settings", {
    project,
    start_mode: "immediate",
    mask_selectors: [".balance"],
    block_selectors: [".ad"],
  });
  const browser = await launchChromium([statsHost, siteHost]);
  return {
    browser,
    base,
    site: origin,
    read: <T>(path: string): Promise<T> => read<T>(server.url, key, path),
    change,
    async recorded(viewer) {
      const { body } = await change("GET", `${new URL(viewer).pathname}/data`);
      const { segments } = JSON.parse(body) as { segments: { events: RecordedEvent[] }[] };
      return segments.flatMap(({ events }) => events);
    },
    async close() {
      await browser.close();
      await site.stop(true);
      await server.kill();
      removeFolder(dataDir);
    },
  };
}

/** A page of a new visitor, as people's browsers name themselves. */
export const newVisitor = async (browser: Browser) =>
  (await browser.newContext({ userAgent: visitorAgent })).newPage();

/** The moments of its clicks, in seconds since the recording began. */
export function clicksIn(events: readonly RecordedEvent[]): number[] {
  const startMs = Math.min(...events.map(({ timestamp }) => timestamp));
  return events
    .filter(({ type, data }) => type === 3 && data.source === 2 && data.type === 2)
    .map(({ timestamp }) => (timestamp - startMs) / 1_000)
    .sort((a, b) => a - b);
}

/** A recording of a page that is clicked between two pauses, and ticks at the end. Returns its id. */
export async function forgeRecording(
  world: RecordedWorld,
  project: string,
  pauseMs: number,
): Promise<string> {
  const path = `/replays/settings?project=${project}`;
  const { snippet } = await world.read<{ snippet: string }>(path);
  const token = /aat_\w+/.exec(snippet)?.[0];
  const nowMs = Date.now();
  const end = newText(nowMs + 2 * pauseMs, ids.clock);
  const events = [...opening(nowMs), click(nowMs + pauseMs), end];
  const page = await newVisitor(world.browser);
  await page.goto(`${world.site}/away`);
  const id: string = await page.evaluate(`(async () => {
    const post = async (call, body) => (await fetch("${world.base}/replays/ingest/" + call, {
      method: "POST", body: JSON.stringify(body),
    })).json();
    const started = await post("start", { token: "${token}", session_id: "forged" });
    const { replay_id: id, upload_token } = started;
    await post(id + "/segments", { upload_token, seq: 0, events: ${JSON.stringify(events)} });
    return id;
  })()`);
  await page.context().close();
  return id;
}
