import { createProject, setUpAccount, userAgent } from "../support/server/account";
import { Connection, requestText } from "../support/server/connection";
import { removeFolder, type Server, temporaryFolder } from "../support/server/server";
import { pathFromRoot } from "../support/suite/sources";
import { type Figures, median, oneDecimal } from "./figures";
import { memoryOf } from "./memory";
import { serve } from "./world";

const section = "/mcp beside the read that it asks";
const starts = 9;
const startMsMax = 10;
const idleSeconds = 20;
const idleMbMax = 2;
const rounds = 500;
const readMsMax = 1;
const events = 1_000;

/** What agents cost who ask by tools: at the start, at rest, and with each read. */
export async function measureMcp(figures: Figures): Promise<void> {
  await measureImports(figures);
  const dataDir = temporaryFolder();
  const server = await serve(dataDir);
  const key = await setUpAccount(server.url);
  await measureIdle(server, key, figures);
  await measureReads(server, key, figures);
  await server.stop();
  removeFolder(dataDir);
}

const add = (figures: Figures, what: string, measured: number, most: number): void =>
  figures.add(section, what, measured.toFixed(2), `${most}`, measured <= most);

async function measureImports(figures: Figures): Promise<void> {
  const outdir = temporaryFolder();
  const entrypoints = [pathFromRoot("test/load/mcp-start.ts")];
  await Bun.build({ entrypoints, target: "bun", outdir });
  const took = Array.from({ length: starts }, () => {
    const { stdout } = Bun.spawnSync([process.execPath, `${outdir}/mcp-start.js`]);
    return Number(stdout.toString());
  });
  removeFolder(outdir);
  add(figures, "its modules at the start, median of 9, ms", median(took), startMsMax);
}

/** Before anybody asks for tools nothing of them is made, so what a first list leaves behind is all there is. */
async function measureIdle(server: Server, key: string, figures: Figures): Promise<void> {
  const connection = await Connection.open(server.url);
  // The first request of any kind compiles and allocates what all of them share.
  await get(connection, key, "/projects");
  await Bun.sleep(idleSeconds * 1_000);
  const before = memoryOf(server.process.pid).nowMb;
  const started = performance.now();
  await tool(connection, key, { method: "tools/list" });
  const firstMs = performance.now() - started;
  await Bun.sleep(idleSeconds * 1_000);
  const { nowMb } = memoryOf(server.process.pid);
  connection.close();
  add(figures, "memory that the first list of tools leaves, MB", nowMb - before, idleMbMax);
  figures.add(section, "… and its time, ms", oneDecimal(firstMs));
}

/** Asks in turn, so that whatever else the machine does affects both. */
async function measureReads(server: Server, key: string, figures: Figures): Promise<void> {
  const { name, token } = await createProject(server.url, key, "small");
  const connection = await Connection.open(server.url);
  const sent = Array.from({ length: 100 }, (_, at) => ({
    ...{ event: "page_view", user_id: `u${at}`, session_id: `s${at}`, properties: { path: "/" } },
  }));
  for (let count = 0; count < events; count += sent.length) {
    await post(connection, key, "/track/batch", { token, events: sent });
  }
  const params = { name: "overview", arguments: { project: name, since: "6d" } };
  const ways = {
    http: () => get(connection, key, `/stats?project=${name}&since=6d`),
    mcp: () => tool(connection, key, { method: "tools/call", params }),
  };
  const took = { http: [] as number[], mcp: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    for (const way of ["http", "mcp"] as const) {
      const started = performance.now();
      await ways[way]();
      // The first rounds compile.
      if (round >= rounds / 10) took[way].push(performance.now() - started);
    }
  }
  connection.close();
  const [http, mcp] = [median(took.http), median(took.mcp)];
  figures.add(section, "a small /stats, p50, ms", http.toFixed(2));
  figures.add(section, "the same by the tool overview, p50, ms", mcp.toFixed(2));
  add(figures, "… which adds, ms", mcp - http, readMsMax);
}

const headersOf = (key: string) => ({ "User-Agent": userAgent, "X-API-Key": key });

const get = (connection: Connection, key: string, path: string) =>
  asked(connection, requestText("GET", path, headersOf(key)));

const post = (connection: Connection, key: string, path: string, body: object) =>
  asked(connection, requestText("POST", path, headersOf(key), JSON.stringify(body)));

const tool = (connection: Connection, key: string, message: object) =>
  post(connection, key, "/mcp", { jsonrpc: "2.0", id: 1, ...message });

async function asked(connection: Connection, request: string): Promise<void> {
  const { status, body } = await connection.send(request);
  if (status >= 300 || body.includes('"isError":true')) throw new Error(`${status} ${body}`);
}
