import { openCollector, type RecordedEvent } from "../support/browser/replay-collector";
import { createProject, setUpAccount, userAgent } from "../support/server/account";
import { Connection, requestText } from "../support/server/connection";
import {
  ask,
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { cpuTimeOf } from "./cpu";
import { type Figures, oneDecimal, quantile } from "./figures";

const section = "1,000 sessions that are recorded at the same time";
const sessions = 1_000;
const segmentEveryMs = 5_000;
const rounds = 8;
const coresMax = 0.5;
/** The number of ten sessions that are on each of the test's sites. */
const mix = { "/shop": 6, "/docs": 2, "/app": 2 } as const;
const connections = 32;
const eventEveryMs = 10;

/** What one kind of time took: with recordings, or without. */
interface Span {
  cpuMs: number;
  tookMs: number;
  readonly eventsMs: number[];
}
const newSpan = (): Span => ({ cpuMs: 0, tookMs: 0, eventsMs: [] });

/**
 * What recordings of mixed pages cost the server, and the events that come in beside them. Rounds of five seconds with
 * and without recordings take turns, so that both see the same machine, whatever else it does.
 */
export async function measureReplays(figures: Figures): Promise<void> {
  const parts = await recordSites();
  const dataDir = temporaryFolder();
  const server = await startServer({ dataDir });
  const key = await setUpAccount(server.url);
  const { token } = await createProject(server.url, key, "recorded");
  await ask(server.url, "POST", "/replays/enable", { "X-API-Key": key }, { project: "recorded" });
  const usedMs = (): number => {
    const { mainMs, othersMs } = cpuTimeOf(server.process.pid);
    return mainMs + othersMs;
  };
  const idleMs = usedMs();
  const uploads = await begin(server, token);
  const startMs = (usedMs() - idleMs) / sessions;
  const sender = await openSender(server, uploads, parts);
  const [alone, beside] = [newSpan(), newSpan()];
  const measure = async (span: Span, act: () => Promise<unknown>): Promise<void> => {
    const [before, from] = [usedMs(), performance.now()];
    let isOver = false;
    const acting = act().finally(() => {
      isOver = true;
    });
    span.eventsMs.push(...(await sendEvents(server, token, () => isOver)));
    await acting;
    span.cpuMs += usedMs() - before;
    span.tookMs += performance.now() - from;
  };
  for (let round = 0; round < rounds; round += 1) {
    await measure(alone, () => Bun.sleep(segmentEveryMs));
    await measure(beside, () => sender.send(round));
  }
  sender.close();
  const cores = (span: Span): number => span.cpuMs / span.tookMs;
  const kept = oneDecimal((sender.waitsMs.length / beside.tookMs) * 1_000);
  figures.add(section, "segments/s kept", kept, `${(sessions / segmentEveryMs) * 1_000}`);
  const isWithin = cores(beside) <= coresMax;
  figures.add(section, "… cores", cores(beside).toFixed(2), `${coresMax}`, isWithin);
  figures.add(section, "… of which the events beside them, alone", cores(alone).toFixed(2));
  figures.add(section, "… p50 / p99 until acknowledged, ms", spread(sender.waitsMs));
  figures.add(section, "… the start of one, ms of processor", oneDecimal(startMs));
  figures.add(section, "an event's p50 / p99 without them, ms", spread(alone.eventsMs));
  figures.add(section, "… beside them, ms", spread(beside.eventsMs));
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

/** Sends a segment of each session in a round, each at its time, whether or not the ones before it were answered. */
async function openSender(
  server: Server,
  uploads: readonly Upload[],
  parts: readonly (readonly RecordedEvent[])[],
) {
  // Compressed before the measurement, which is about the server.
  const bodies = Array.from({ length: rounds }, (_, seq) =>
    parts.map((events) => Bun.gzipSync(Buffer.from(JSON.stringify({ seq, events })))),
  );
  const lanes = await Promise.all(
    Array.from({ length: connections }, () => Connection.open(server.url)),
  );
  const waitsMs: number[] = [];
  const send = async (round: number): Promise<void> => {
    const startedAt = performance.now();
    let next = 0;
    const take = async (connection: Connection): Promise<void> => {
      while (next < uploads.length) {
        const at = next;
        next += 1;
        const dueMs = startedAt + (at * segmentEveryMs) / uploads.length;
        const waitMs = dueMs - performance.now();
        if (waitMs > 0) await Bun.sleep(waitMs);
        const body = bodies[round][((round * uploads.length + at) * 13) % parts.length];
        const reply = await connection.send(segmentRequest(uploads[at], body));
        if (reply.status !== 202)
          throw new Error(`a segment answered ${reply.status}: ${reply.body}`);
        waitsMs.push(performance.now() - dueMs);
      }
    };
    await Promise.all(lanes.map(take));
  };
  const close = (): void => {
    for (const connection of lanes) connection.close();
  };
  return { send, close, waitsMs };
}

function segmentRequest({ replay, token }: Upload, body: Uint8Array): Uint8Array {
  const path = `/replays/ingest/${replay}/segments?enc=gzip&t=${token}`;
  const headers = { "User-Agent": userAgent, "Content-Length": String(body.length) };
  return Buffer.concat([Buffer.from(requestText("POST", path, headers)), body]);
}

/** Returns the time of each event that comes alone, a hundred a second. */
async function sendEvents(server: Server, token: string, isOver: () => boolean): Promise<number[]> {
  const connection = await Connection.open(server.url);
  const waitsMs: number[] = [];
  while (!isOver()) {
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
