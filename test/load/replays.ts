import { createProject, setUpAccount, userAgent } from "../support/account";
import { Connection, requestText } from "../support/connection";
import { openCollector, type RecordedEvent } from "../support/replay-collector";
import { ask, removeFolder, type Server, startServer, temporaryFolder } from "../support/server";
import { cpuTimeOf } from "./cpu";
import { type Figures, oneDecimal, quantile } from "./figures";

const section = "1,000 sessions that are recorded at the same time";
const sessions = 1_000;
const segmentEveryMs = 5_000;
const seconds = 20;
const coresMax = 0.5;
/** How many of ten sessions are on which of the test's sites. */
const mix = { "/shop": 6, "/docs": 2, "/app": 2 } as const;
const connections = 32;
const eventEveryMs = 10;

/** What recordings of mixed pages cost the server, and the events that come in beside them. */
export async function measureReplays(figures: Figures): Promise<void> {
  const parts = await recordSites();
  const dataDir = temporaryFolder();
  const server = await startServer({ dataDir });
  const key = await setUpAccount(server.url);
  const { token } = await createProject(server.url, key, "recorded");
  await ask(server.url, "POST", "/replays/enable", { "X-API-Key": key }, { project: "recorded" });
  const before = await sendEvents(server, token);
  const idle = cpuTimeOf(server.process.pid);
  const tokens = await begin(server, token);
  const started = cpuTimeOf(server.process.pid);
  const [sent, events] = await Promise.all([
    sendSegments(server, tokens, parts),
    sendEvents(server, token),
  ]);
  const ended = cpuTimeOf(server.process.pid);
  const used = (from: typeof ended, to: typeof ended): number =>
    to.mainMs + to.othersMs - from.mainMs - from.othersMs;
  const cores = used(started, ended) / sent.tookMs;
  figures.add(section, "segments/s kept", oneDecimal((sent.kept / sent.tookMs) * 1_000), "200");
  figures.add(section, "… cores", cores.toFixed(2), `${coresMax}`, cores <= coresMax);
  figures.add(section, "… p50 / p99 until acknowledged, ms", spread(sent.waitsMs));
  figures.add(
    section,
    "… the start of one, ms of processor",
    oneDecimal(used(idle, started) / sessions),
  );
  figures.add(section, "an event's p50 / p99 without them, ms", spread(before));
  figures.add(section, "… beside them, ms", spread(events));
  await server.stop();
  removeFolder(dataDir);
}

const spread = (values: readonly number[]): string =>
  `${oneDecimal(quantile(values, 0.5))} / ${oneDecimal(quantile(values, 0.99))}`;

/** The segments of each site as a browser sends them, while somebody uses it. */
async function recordSites(): Promise<(readonly RecordedEvent[])[]> {
  const collector = await openCollector();
  const parts: (readonly RecordedEvent[])[] = [];
  for (const [path, share] of Object.entries(mix)) {
    collector.forget();
    const { page } = await collector.visit(path);
    for (let step = 0; step < 24; step += 1) {
      await page.mouse.move(100 + ((step * 137) % 900), 100 + ((step * 71) % 500), { steps: 12 });
      await page.mouse.wheel(0, step % 5 === 0 ? -600 : 300);
      if (path === "/docs")
        await page
          .locator("nav a")
          .nth(step % 2)
          .click();
      if (path === "/shop") await page.locator(".add").first().click();
      await page.waitForTimeout(400);
    }
    await page.goto(`${collector.origin}/away`);
    await Bun.sleep(500);
    for (let time = 0; time < share; time += 1) {
      parts.push(...collector.segments.map(({ events }) => events));
    }
  }
  await collector.close();
  return parts;
}

interface Upload {
  readonly replay: string;
  readonly token: string;
}

async function begin(server: Server, token: string): Promise<Upload[]> {
  const uploads: Upload[] = [];
  for (let number = 0; number < sessions; number += 1) {
    const body = { token, session_id: `sess_${number}` };
    const headers = { "User-Agent": userAgent };
    const reply = await ask(server.url, "POST", "/replays/ingest/start", headers, body);
    if (reply.status !== 201) throw new Error(`a start answered ${reply.status}: ${reply.body}`);
    const { replay_id, upload_token } = JSON.parse(reply.body);
    uploads.push({ replay: replay_id, token: upload_token });
  }
  return uploads;
}

/** Each at its time, whether or not the ones before it were answered. */
async function sendSegments(
  server: Server,
  uploads: readonly Upload[],
  parts: readonly (readonly RecordedEvent[])[],
) {
  const rounds = (seconds * 1_000) / segmentEveryMs;
  // Compressed before the measurement, which is about the server.
  const bodies = Array.from({ length: rounds }, (_, seq) =>
    parts.map((events) => Bun.gzipSync(Buffer.from(JSON.stringify({ seq, events })))),
  );
  const total = rounds * uploads.length;
  const waitsMs: number[] = [];
  let next = 0;
  const startedAt = performance.now();
  const lane = async (): Promise<void> => {
    const connection = await Connection.open(server.url);
    while (next < total) {
      const at = next;
      next += 1;
      const dueMs = startedAt + (at * segmentEveryMs) / uploads.length;
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await Bun.sleep(waitMs);
      const upload = uploads[at % uploads.length];
      const body = bodies[Math.floor(at / uploads.length)][(at * 13) % parts.length];
      const reply = await connection.send(segmentRequest(upload, body));
      if (reply.status !== 202)
        throw new Error(`a segment answered ${reply.status}: ${reply.body}`);
      waitsMs.push(performance.now() - dueMs);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, lane));
  return { kept: waitsMs.length, tookMs: performance.now() - startedAt, waitsMs };
}

function segmentRequest({ replay, token }: Upload, body: Uint8Array): Uint8Array {
  const path = `/replays/ingest/${replay}/segments?enc=gzip&t=${token}`;
  const headers = { "User-Agent": userAgent, "Content-Length": String(body.length) };
  return Buffer.concat([Buffer.from(requestText("POST", path, headers)), body]);
}

/** How long each of the events takes that come one by one, a hundred a second. */
async function sendEvents(server: Server, token: string): Promise<number[]> {
  const connection = await Connection.open(server.url);
  const waitsMs: number[] = [];
  const until = performance.now() + seconds * 1_000;
  while (performance.now() < until) {
    const body = JSON.stringify({ token, project: "recorded", event: "page_view", user_id: "u" });
    const startedAt = performance.now();
    const request = requestText("POST", "/track", { "User-Agent": userAgent }, body);
    const reply = await connection.send(request);
    if (reply.status !== 202) throw new Error(`an event answered ${reply.status}: ${reply.body}`);
    waitsMs.push(performance.now() - startedAt);
    await Bun.sleep(eventEveryMs);
  }
  connection.close();
  return waitsMs;
}
