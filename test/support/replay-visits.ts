import type { Browser } from "playwright-core";
import { recordedPage } from "../pages/recorded-site";
import { read, setUpAccount } from "./account";
import { launchChromium, visitorAgent } from "./chromium";
import type { Reply } from "./connection";
import { ask, freePort, removeFolder, startServer, temporaryFolder } from "./server";

/** The executable with a project that is recorded, sites that embed its scripts, and a browser. */
export interface RecordedWorld {
  readonly browser: Browser;
  /** Of the server, by the name that browsers use. */
  readonly base: string;
  readonly site: string;
  read<T>(path: string): Promise<T>;
  change(method: string, path: string, body?: object): Promise<Reply>;
  close(): Promise<void>;
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
