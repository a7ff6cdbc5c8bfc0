import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { EventReader, type Frame } from "../support/app/event-stream";
import { handshake, SocketReader } from "../support/app/live-socket";
import { randomFrom, randomSeed } from "../support/random/random";
import { createProject, type Project, setUpAccount, userAgent } from "../support/server/account";
import { Connection, requestText } from "../support/server/connection";
import {
  ask,
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { storedEvents } from "./verify";
import { startWorkload } from "./workload";

const dataDir = temporaryFolder();
let server: Server;
let key = "";
const waitMsMax = 50_000;

beforeAll(async () => {
  server = await startServer({ dataDir });
  key = await setUpAccount(server.url);
});
afterAll(async () => {
  await server.kill();
  removeFolder(dataDir);
});

/** A stream is a read, which may be asked for twice: `fetch` will do. */
async function openStream({ id }: Project, more = ""): Promise<EventReader> {
  const headers = { "X-API-Key": key };
  return new EventReader(await fetch(`${server.url}/stream?project=${id}${more}`, { headers }));
}
const openSocket = ({ id }: Project, more = ""): Promise<SocketReader> =>
  SocketReader.open(server.url, `/live/ws?project=${id}${more}`, { "x-api-key": key });

const idOf = ({ data }: Frame): string => String((data as { id: string }).id);

async function liveConnections(): Promise<number> {
  const { body } = await ask(server.url, "GET", "/metrics");
  return Number(/^sightline_live_connections (\d+)$/m.exec(body)?.[1]);
}
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const startedMs = performance.now();
  while (!(await isSo())) {
    if (performance.now() - startedMs > waitMsMax)
      throw new Error("What was waited for did not come.");
    await Bun.sleep(50);
  }
}

test("under load every listener is told every stored event once, in the order of commits", async () => {
  const random = randomFrom(randomSeed());
  const project = await createProject(server.url, key, "busy");
  const streams = await Promise.all(Array.from({ length: 4 }, () => openStream(project)));
  const sockets = await Promise.all(Array.from({ length: 4 }, () => openSocket(project)));
  const someStream = await openStream(project, "&filter=end:yes");
  const someSocket = await openSocket(project, "&events=end");
  const toldByStreams = streams.map(async (stream) => {
    const ids: string[] = [];
    for (let frame = await stream.next(); frame !== null; frame = await stream.next()) {
      if (frame.event === "track") ids.push(idOf(frame));
      if ((frame.data as { event?: string } | undefined)?.event === "end") break;
    }
    return ids;
  });
  const toldBySockets = sockets.map(async (socket) => {
    const ids: string[] = [];
    for (;;) {
      const message = await socket.next();
      if (message.type === "track") ids.push(String(message.id));
      if (message.event === "end") return ids;
    }
  });

  const workload = await startWorkload(server.url, project, random.seed, 8, 4);
  await Bun.sleep(3_000);
  const acknowledged = (): number =>
    workload.sent
      .filter(({ kind, outcome }) => kind === "events" && outcome === "acknowledged")
      .reduce((sum, { numbers }) => sum + numbers.length, 0);
  await until(async () => acknowledged() > 1_000);
  await workload.stop();
  const end = { token: project.token, event: "end", properties: { end: "yes" } };
  await ask(server.url, "POST", "/track", { "User-Agent": userAgent }, end);

  const told = await Promise.all([...toldByStreams, ...toldBySockets]);
  const stored = (await storedEvents(server.url, key, project)).map(({ id }) => id).sort();
  expect(stored.length).toBeGreaterThan(1_000);
  for (const ids of told) expect([random.seed, ids]).toEqual([random.seed, stored]);
  const [connected, only] = await someStream.take(2);
  expect([connected.event, idOf(only)]).toEqual(["connected", stored.at(-1) ?? ""]);
  expect(await someSocket.take(2)).toMatchObject([{ type: "connected" }, { event: "end" }]);
  await Promise.all([...streams, someStream].map((stream) => stream.cancel()));
  for (const socket of [...sockets, someSocket]) socket.close();
  await until(async () => (await liveConnections()) === 0);
});

/** The events are large, so that a connection's buffers are soon full. */
const eventOf = (token: string) => ({
  ...{ token, event: "large", user_id: "u" },
  properties: { text: "x".repeat(7_000) },
});

async function flood({ token }: Project, requests: number): Promise<void> {
  const line = await Connection.open(server.url);
  const events = Array.from({ length: 100 }, () => eventOf(token));
  const text = requestText(
    ...(["POST", "/track/batch", { "User-Agent": userAgent }] as const),
    JSON.stringify({ token, events }),
  );
  for (let count = 0; count < requests; count++) {
    expect((await line.send(text)).status).toBe(202);
  }
  line.close();
}

/** A client that sends its request and then reads nothing. */
async function openDeaf(path: string, headers: Readonly<Record<string, string>>): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.write(requestText("GET", path, { "X-API-Key": key, ...headers }, ""));
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  return socket;
}

test("who does not read is closed and cut, and holds up nobody", async () => {
  const project = await createProject(server.url, key, "deaf");
  const path = (base: string) => `${base}?project=${project.id}`;
  const deaf = [
    await openDeaf(path("/stream"), {}),
    await openDeaf(path("/live/ws"), { ...handshake }),
  ];
  const reader = await openStream(project);
  const frames = reader.take(1 + 4_000);
  const { rssMb } = memory();
  await flood(project, 40);
  expect((await frames).length).toBe(4_001);
  await until(async () => (await liveConnections()) === 1);
  // Their connections are gone as well, not only our count of them.
  await until(async () => established() <= 2);
  expect(memory().rssMb - rssMb).toBeLessThan(300);
  await reader.cancel();
  for (const socket of deaf) socket.destroy();
});

test("a socket that reads too late still learns why it was closed", async () => {
  const project = await createProject(server.url, key, "late");
  const socket = await openDeaf(`/live/ws?project=${project.id}`, { ...handshake });
  await flood(project, 40);
  await until(async () => (await liveConnections()) === 0);
  let last = Buffer.alloc(0);
  socket.on("data", (bytes: Buffer) => {
    last = Buffer.concat([last, bytes]).subarray(-8);
  });
  socket.resume();
  await new Promise((resolve) => socket.once("close", resolve));
  // A close frame: its head, 4429, and the reason.
  expect(last).toEqual(Buffer.from([0x88, 6, 4429 >> 8, 4429 & 255, ...Buffer.from("slow")]));
});

test("silence outlasts the idle time-out of other requests; heartbeats come", async () => {
  const project = await createProject(server.url, key, "silent");
  const startedMs = performance.now();
  const [stream, socket] = [await openStream(project), await openSocket(project)];
  await stream.next();
  await socket.next();
  expect(await stream.next()).toEqual({ comment: "heartbeat" });
  expect(performance.now() - startedMs).toBeGreaterThan(28_000);
  expect(await socket.next()).toEqual({ type: "heartbeat" });
  await ask(server.url, "POST", "/track", { "User-Agent": userAgent }, eventOf(project.token));
  expect((await stream.next())?.event).toBe("track");
  expect((await socket.next()).type).toBe("track");
  await stream.cancel();
  socket.close();
});

test("SIGTERM says good-bye to all of them, and the server ends", async () => {
  const project = await createProject(server.url, key, "ending");
  const [stream, socket] = [await openStream(project), await openSocket(project)];
  const idle = await openDeaf(`/stream?project=${project.id}`, {});
  await stream.next();
  await socket.next();
  const startedMs = performance.now();
  const ended = server.stop();
  expect((await stream.rest()).at(-1)).toEqual({
    ...{ event: "disconnect", data: { reason: "shutdown" } },
  });
  expect(await socket.closed()).toEqual({ code: 1001, reason: "shutdown" });
  expect(await ended).toBe(0);
  // It did not wait for them as for other answers, which may take 20 s.
  expect(performance.now() - startedMs).toBeLessThan(20_000);
  idle.destroy();
  server = await startServer({ dataDir });
});

function memory(): { readonly rssMb: number } {
  const text = readFileSync(`/proc/${server.process.pid}/status`, "utf8");
  return { rssMb: Number(/VmRSS:\s+(\d+)/.exec(text)?.[1]) / 1024 };
}

/** Connections that the server's side has not given up, as the kernel counts them. */
function established(): number {
  const port = Number(new URL(server.url).port).toString(16).toUpperCase().padStart(4, "0");
  const lines: string[] = readFileSync("/proc/net/tcp", "utf8").split("\n");
  return lines.filter((line) => {
    const [, local = "", , state] = line.trim().split(/\s+/);
    return local.endsWith(`:${port}`) && state === "01";
  }).length;
}
