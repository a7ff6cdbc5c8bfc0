import { statSync } from "node:fs";
import { join } from "node:path";
import { dayMs } from "../../src/lib/clock";
import { checkedAtStartBytesMax } from "../../src/store/migrate";
import { createProject, type Project, setUpAccount } from "../support/server/account";
import { Connection, type Reply, requestText } from "../support/server/connection";
import { removeFolder, type Server, temporaryFolder } from "../support/server/server";
import { type Ask, distinctAsks } from "./cardinality-asks";
import { cpuTimeOf } from "./cpu";
import { type Figures, oneDecimal, quantile, thousands } from "./figures";
import { today } from "./ingest";
import { forgetMostMemory, memoryOf } from "./memory";
import { questions } from "./questions";
import { type BatchRequest, batches, batchRequest, sendAll } from "./send";
import { serve, untilCompacted } from "./world";

const keysPerEvent = 420;
const wideEvents = 3_000;
/** Events may be at most 30 days old when they come in. */
const spreadMs = 29 * dayMs;
const windows = [7, 90] as const;

/** A read has 10 s, in which its refusal is out too. */
const answerMsMax = 10_000;
const compileMs = 2_000;
const aloneMs = 5_000;
const calmMsMax = 20;
/** An account has 1,000 requests a minute, of which the reads of the flood need some. */
const calmRestMs = 80;
const cacheMb = 256;
/** What src/docs/operate/sizing.md promises. */
const memoryMbMax = 150 + 2 * cacheMb + 1_350;

type Asks = readonly [name: string, asks: readonly Ask[]];
interface Flood {
  readonly name: string;
  readonly project: Project;
}

/**
 * The token is public: somebody may send ever new keys, names, pages and users. Every read is asked of a project that
 * was flooded with them, while somebody else's dashboard asks for /stats.
 */
export async function measureCardinality(visitors: number, figures: Figures): Promise<void> {
  const dataDir = temporaryFolder();
  const loaded = await loadFloods(dataDir, visitors);
  await measureFloods(dataDir, loaded, figures);
  removeFolder(dataDir);
}

interface Loaded {
  readonly key: string;
  readonly calm: Project;
  readonly floods: readonly Flood[];
}

async function loadFloods(dataDir: string, visitors: number): Promise<Loaded> {
  const server = await serve(dataDir);
  const key = await setUpAccount(server.url);
  const calm = await createProject(server.url, key, "calm");
  const wide = await createProject(server.url, key, "wide");
  const distinct = await createProject(server.url, key, "distinct");
  await sendAll(server.url, batches(calm.token, today(6, 1_000)));
  await sendAll(server.url, wideBatches(wide.token));
  const sent = await sendAll(server.url, distinctBatches(distinct.token, visitors));
  await untilCompacted(dataDir);
  await server.stop();
  const floods = [
    { name: `${thousands(wideEvents)} events with ${keysPerEvent} new keys each`, project: wide },
    {
      name: `${thousands(visitors)} names, paths, sessions and users, ${thousands(sent.events)} events`,
      project: distinct,
    },
  ];
  return { key, calm, floods };
}

/** Each by a server that has just started. */
async function measureFloods(
  dataDir: string,
  { key, calm, floods }: Loaded,
  figures: Figures,
): Promise<void> {
  // Others are read before the first answer.
  const isLarge = statSync(join(dataDir, "events.db")).size > checkedAtStartBytesMax;
  for (const flood of floods) {
    const server = await serve(dataDir, { CACHE_MB: String(cacheMb) });
    await measureFlood(server, key, flood, calm, { isLarge, figures });
    await server.stop();
  }
}

async function measureFlood(
  server: Server,
  key: string,
  { name, project }: Flood,
  calm: Project,
  { isLarge, figures }: { readonly isLarge: boolean; readonly figures: Figures },
): Promise<void> {
  const section = `Cardinality: ${name}`;
  if (isLarge) {
    const beside = keepAsking(server, key, calm);
    const seconds = await untilChecked(server);
    figures.add(section, "until the files were read whole, s", thousands(seconds));
    figures.add(
      section,
      "another project's /stats beside that: median / p95 / max, ms",
      spreadOf(await beside.stop()),
    );
  }
  await askFor(compileMs, server, key, calm);
  const alone = await askFor(aloneMs, server, key, calm);
  const dashboard = keepAsking(server, key, calm);
  let longest = 0;
  const { pid } = server.process;
  let { mostMb } = memoryOf(pid);
  for (const [what, asks] of await asksOf(server, key, project)) {
    const shown: string[] = [];
    let isInTime = true;
    for (const ask of asks) {
      const connection = await Connection.open(server.url);
      const started = performance.now();
      const cpuBefore = cpuMsOf(server);
      forgetMostMemory(pid);
      const reply = await connection.send(requestOf(key, ask));
      const ms = performance.now() - started;
      const cpuMs = cpuMsOf(server) - cpuBefore;
      const readMb = memoryOf(pid).mostMb;
      mostMb = Math.max(mostMb, readMb);
      connection.close();
      longest = Math.max(longest, reply.body.length);
      isInTime &&= ms <= answerMsMax;
      const took = `${thousands(ms)} (${thousands(cpuMs)}) ms, ${thousands(readMb)} MB`;
      shown.push(`${took}, ${oneDecimal(reply.body.length / 1024)} KB${failure(reply)}`);
    }
    figures.add(section, what, shown.join("; "), "10 s", isInTime);
  }
  const meanwhile = await dashboard.stop();
  figures.add(section, "another project's /stats alone: median / p95 / max, ms", spreadOf(alone));
  const p95 = quantile(meanwhile, 0.95);
  figures.add(
    section,
    "another project's /stats meanwhile: median / p95 / max, ms",
    spreadOf(meanwhile),
    `p95 ${calmMsMax}`,
    p95 <= calmMsMax,
  );
  mostMb = Math.max(mostMb, memoryOf(pid).mostMb);
  figures.add(
    section,
    "most memory of the server, MB",
    thousands(mostMb),
    thousands(memoryMbMax),
    mostMb <= memoryMbMax,
  );
  figures.add(section, "longest answer, KB", thousands(longest / 1024));
}

/** After its start the server reads large files whole, which is not to be measured as a calm one's work. */
async function untilChecked(server: Server): Promise<number> {
  const started = performance.now();
  while (!server.output().includes("checked a database: no value is damaged")) {
    if (server.process.exitCode !== null) throw new Error(server.output());
    await Bun.sleep(100);
  }
  return (performance.now() - started) / 1000;
}

async function askFor(ms: number, ...whom: Parameters<typeof keepAsking>): Promise<number[]> {
  const asking = keepAsking(...whom);
  await Bun.sleep(ms);
  return asking.stop();
}

const spreadOf = (took: number[]): string =>
  [0.5, 0.95, 1].map((share) => oneDecimal(quantile(took, share))).join(" / ");
const failure = ({ status, body }: Reply): string =>
  status === 200 ? "" : ` (${status} ${/"error":"(\w+)"/.exec(body)?.[1] ?? ""})`;

/** What the server has used of its processors: other programs on the machine do not change it much. */
function cpuMsOf({ process }: Server): number {
  const { mainMs, othersMs } = cpuTimeOf(process.pid);
  return mainMs + othersMs;
}

/** Every read, and the forms of it that distinct values cost most. */
async function asksOf(server: Server, key: string, project: Project): Promise<Asks[]> {
  const newest = await newestOf(server, key, project);
  const sessionId = newest.session_id ?? "none";
  const experiments = { 7: "", 30: "", 90: "" };
  const asked = { project, userId: newest.user_id, sessionId, experiments };
  const known = questions
    .filter(({ name }) => !name.startsWith("/experiments"))
    .map(({ name, request }): Asks => [name, windows.map((days) => request(asked, days))]);
  return [
    ...known,
    ...distinctAsks.map(
      ([name, ask]): Asks => [name, windows.map((days) => ask(project.name, days))],
    ),
  ];
}

async function newestOf(
  server: Server,
  key: string,
  { name }: Project,
): Promise<{ readonly user_id: string; readonly session_id: string | null }> {
  const connection = await Connection.open(server.url);
  const reply = await connection.send(requestOf(key, ["GET", `/events?project=${name}&limit=1`]));
  connection.close();
  return JSON.parse(reply.body).events[0];
}

function requestOf(key: string, [method, path, body]: Ask): string {
  const headers = { "X-API-Key": key, "Content-Type": "application/json" };
  return requestText(method, path, headers, body === undefined ? "" : JSON.stringify(body));
}

/** Opens another project's dashboard; resolves with the time of each of its requests. */
function keepAsking(server: Server, key: string, { name }: Project) {
  let isStopped = false;
  const run = async (): Promise<number[]> => {
    const connection = await Connection.open(server.url);
    const took: number[] = [];
    while (!isStopped) {
      const started = performance.now();
      const reply = await connection.send(
        requestOf(key, ["GET", `/stats?project=${name}&since=29d`]),
      );
      if (reply.status !== 200) throw new Error(`/stats answered ${reply.status}: ${reply.body}`);
      took.push(performance.now() - started);
      await Bun.sleep(calmRestMs);
    }
    connection.close();
    return took;
  };
  const done = run();
  return {
    stop: (): Promise<number[]> => {
      isStopped = true;
      return done;
    },
  };
}

function* wideBatches(token: string): Generator<BatchRequest> {
  const endMs = Date.now();
  for (let sent = 0; sent < wideEvents; sent += 100) {
    const batch = Array.from({ length: 100 }, (_, index) => {
      const number = sent + index;
      const properties = Array.from(
        { length: keysPerEvent },
        (_, place) => `"k${(number * keysPerEvent + place).toString(36)}":${place}`,
      );
      const timestamp = endMs - Math.floor(((wideEvents - number) / wideEvents) * spreadMs);
      return `{"event":"odd","user_id":"u${number}","timestamp":${timestamp},"properties":{${properties}}}`;
    });
    yield batchRequest(token, batch, "US");
  }
}

/** Visitors with a session each: a view of a page that nobody else has seen, and an event that has no other's name. */
function* distinctBatches(token: string, visitors: number): Generator<BatchRequest> {
  const endMs = Date.now();
  for (let sent = 0; sent < visitors; sent += 50) {
    const batch: string[] = [];
    for (let number = sent; number < Math.min(visitors, sent + 50); number++) {
      const word = ((number * 2_654_435_761) % 2 ** 32).toString(36);
      const who = `"user_id":"user-${word}","session_id":"session-${word}"`;
      const timestamp = endMs - Math.floor(((visitors - number) / visitors) * spreadMs);
      const path = `"properties":{"path":"/page/${word}"}`;
      batch.push(
        `{"event":"page_view",${who},"timestamp":${timestamp},${path}}`,
        `{"event":"name-${word}",${who},"timestamp":${timestamp},${path}}`,
      );
    }
    yield batchRequest(token, batch, "US");
  }
}
