import type { Socket } from "bun";
import { createProject, type Project, setUpAccount, userAgent } from "../support/server/account";
import { Connection, requestText } from "../support/server/connection";
import { ask, removeFolder, type Server, temporaryFolder } from "../support/server/server";
import { type Figures, quantile, thousands } from "./figures";
import { today } from "./ingest";
import { memoryOf } from "./memory";
import { batches, sendAll } from "./send";
import { serve } from "./world";

const section = "Abuse: what others notice of it";
const seconds = 10;
/** Senders without a token may send this often: once every 25 ms. */
const bodiesPerSecond = 40;
const trackMsMax = 1_000;
const slowClients = 300;
/** The memory of answers that are kept, of the readers that make them, and of garbage that is not collected yet. */
const unsentMbMax = 800;
const eventsPerAnswer = 1_000;
const floodEvents = 1_000_000;

/** What anybody can do to a server, and what those feel of it who do nothing wrong. */
export async function measureAbuse(figures: Figures): Promise<void> {
  const dataDir = temporaryFolder();
  const server = await serve(dataDir, { RATE_LIMIT_RPM: "0" });
  const key = await setUpAccount(server.url);
  const small = await createProject(server.url, key, "small");
  await measureBodies(server, small, figures);
  await measureSlowClients(server, key, small, figures);
  await measureFlood(server, await createProject(server.url, key, "flood"), figures);
  await server.stop();
  removeFolder(dataDir);
}

async function measureBodies(server: Server, small: Project, figures: Figures): Promise<void> {
  const name = `/track beside ${bodiesPerSecond} bodies of 1 MB/s with a wrong token`;
  const quiet = await trackTimes(server, small, seconds / 2);
  const stop = new AbortController();
  const flood = sendBodies(server.url, stop.signal);
  const beside = await trackTimes(server, small, seconds);
  stop.abort();
  const sent = await flood;
  const [p50, p99] = [quantile(beside, 0.5), quantile(beside, 0.99)];
  figures.add(section, "/track alone, p99, ms", thousands(quantile(quiet, 0.99)));
  figures.add(
    section,
    `${name}, p50 / p99, ms`,
    `${thousands(p50)} / ${thousands(p99)}`,
    thousands(trackMsMax),
    p99 <= trackMsMax,
  );
  figures.add(section, "… such bodies answered a second", thousands(sent / seconds));
}

async function trackTimes(server: Server, { token }: Project, forSeconds: number) {
  const body = JSON.stringify({ token, event: "e", properties: { path: "/" } });
  const request = requestText("POST", "/track", { "User-Agent": userAgent }, body);
  const line = await Connection.open(server.url);
  const times: number[] = [];
  const endMs = performance.now() + forSeconds * 1_000;
  while (performance.now() < endMs) {
    const started = performance.now();
    const { status } = await line.send(request);
    if (status !== 202) throw new Error(`/track answered ${status}`);
    times.push(performance.now() - started);
    await Bun.sleep(10);
  }
  line.close();
  return times;
}

/** Sends bodies with ever new keys, and a space that makes them unusual. Resolves with how many were answered 401. */
async function sendBodies(url: string, signal: AbortSignal): Promise<number> {
  const keys = Array.from({ length: 50_000 }, (_, n) => `"k${n.toString(36)}-hostile" :1`);
  const wrong = `aat_${"0".repeat(48)}`;
  const body = `{"token":"${wrong}","event":"e","properties":{${keys.join(",")}}}`;
  const request = Buffer.from(requestText("POST", "/track", { "User-Agent": userAgent }, body));
  let answered = 0;
  let next = performance.now();
  const lane = async (): Promise<void> => {
    const line = await Connection.open(url);
    while (!signal.aborted) {
      next += 1_000 / bodiesPerSecond;
      await Bun.sleep(Math.max(0, next - performance.now()));
      if ((await line.send(request)).status === 401) answered += 1;
    }
    line.close();
  };
  await Promise.all(Array.from({ length: bodiesPerSecond }, lane));
  return answered;
}

async function measureSlowClients(
  server: Server,
  key: string,
  { token, name }: Project,
  figures: Figures,
) {
  const text = "x".repeat(5_000);
  const events = Array.from({ length: 100 }, () => ({ event: "long", properties: { text } }));
  for (let sent = 0; sent < eventsPerAnswer; sent += 100) {
    const headers = { "User-Agent": userAgent };
    await ask(server.url, "POST", "/track/batch", headers, { token, events });
  }
  const before = memoryOf(server.process.pid).nowMb;
  const path = `/events?project=${name}&since=1d&limit=${eventsPerAnswer}`;
  const sockets: Socket[] = [];
  let most = 0;
  for (let n = 0; n < slowClients; n++) {
    sockets.push(await askAndIgnore(server.url, requestText("GET", path, { "X-API-Key": key })));
    await Bun.sleep(20);
    most = Math.max(most, memoryOf(server.process.pid).nowMb);
  }
  for (const socket of sockets) socket.terminate();
  figures.add(
    section,
    `memory for ${slowClients} clients that do not read answers of 5 MB, MB`,
    thousands(most - before),
    thousands(unsentMbMax),
    most - before <= unsentMbMax,
  );
}

async function askAndIgnore(url: string, request: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (socket) => {
        socket.write(request);
        socket.pause();
      },
      data: () => undefined,
      error: () => undefined,
    },
  });
}

async function measureFlood(server: Server, { token }: Project, figures: Figures): Promise<void> {
  let asked = 0;
  let unready = 0;
  let isOver = false;
  const flood = sendAll(server.url, batches(token, today(8, floodEvents))).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const { status } = await ask(server.url, "GET", "/health/ready", {});
    asked += 1;
    if (status !== 200) unready += 1;
    await Bun.sleep(50);
  }
  const { repeats } = await flood;
  figures.add(
    section,
    "/health/ready not 200 while one project floods, of this number of requests",
    `${unready} of ${asked}`,
    "0",
    unready === 0,
  );
  figures.add(section, "… requests of the flood that were held back", thousands(repeats));
}
