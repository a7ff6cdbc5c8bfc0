import type { ServerWebSocket } from "bun";
import { Broadcasts } from "../../src/features/live/broadcast";
import { Feed } from "../../src/store/live/feed";
import { storedEvents } from "../../src/store/shared/append/stored-events";
import { packRequest } from "../../src/store/shared/append/wire";
import { createProject, type Project, setUpAccount } from "../support/server/account";
import { Connection, requestText } from "../support/server/connection";
import {
  ask,
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { type Figures, median, oneDecimal, quantile, thousands } from "./figures";

const section = "Live";
const eventsPerSecond = 1_000;
const seconds = 15;
const listenersEach = 10;
const latencyMsMax = 100;

interface Account {
  readonly key: string;
  readonly project: Project;
}

/**
 * Measures how soon listeners hear of an event after its sender was answered, at 10,000 deliveries/s; then what Bun can
 * do.
 */
export async function measureLive(figures: Figures): Promise<void> {
  const dataDir = temporaryFolder();
  // Log-ins are limited by address: every account comes from one of its own.
  const env = { TRUSTED_PROXIES: "127.0.0.1", REGISTRATION: "open" };
  const server = await startServer({ dataDir, env });
  await setUpAccount(server.url);
  const accounts: Account[] = [];
  for (let number = 0; number < 50; number++) accounts.push(await signUp(server.url, number));
  const [one] = accounts;
  await measureFanOut(server, accounts, "50 accounts, a project and 10 listeners each", figures);
  await measureFanOut(server, [one], "one project with 10 listeners", figures);
  await measureSnapshot(server, one, figures);
  await server.stop();
  removeFolder(dataDir);
  await measureTopic(figures);
}

async function signUp(url: string, number: number): Promise<Account> {
  const from = { "X-Forwarded-For": `10.1.0.${number + 1}`, Origin: "http://localhost" };
  const body = { email: `live${number}@example.com`, password: "correct horse battery" };
  const made = await ask(url, "POST", "/auth/signup", from, body);
  const cookie = made.headers.get("set-cookie")?.split(";")[0] ?? "";
  const reply = await ask(url, "POST", "/account/api-key", { ...from, Cookie: cookie });
  if (reply.status !== 201) throw new Error(`an API key answered ${reply.status}: ${reply.body}`);
  const key = JSON.parse(reply.body).api_key;
  return { key, project: await createProject(url, key, `live-${number}`) };
}

/** Half of the listeners are streams, half are sockets. Events are single requests, sent at their time. */
async function measureFanOut(
  server: Server,
  accounts: readonly Account[],
  what: string,
  figures: Figures,
): Promise<void> {
  const heard = new Heard();
  const listeners = await Promise.all(
    accounts.flatMap((account) =>
      Array.from({ length: listenersEach }, (_, index) =>
        index % 2 === 0 ? stream(server.url, account, heard) : socket(server.url, account, heard),
      ),
    ),
  );
  const total = eventsPerSecond * seconds;
  const projects = accounts.map(({ project }) => project);
  const answeredAt = await send(server.url, projects, total);
  const wanted = total * listenersEach;
  for (let waits = 0; heard.count < wanted && waits < 100; waits++) await Bun.sleep(50);
  for (const close of listeners) close();
  const latencies = heard.latencies(answeredAt);
  const p99 = quantile(latencies, 0.99);
  figures.add(
    section,
    `${what}, ${thousands(eventsPerSecond)} events/s: events received by listeners, of ${thousands(wanted)}`,
    thousands(heard.count),
    thousands(wanted),
    heard.count === wanted,
  );
  figures.add(
    section,
    "… p50 / p99 / max from the acknowledgement to the receipt, ms",
    `${oneDecimal(median(latencies))} / ${oneDecimal(p99)} / ${oneDecimal(quantile(latencies, 1))}`,
    `p99 ${latencyMsMax}`,
    p99 < latencyMsMax,
  );
}

/** The 15,000 events before have filled the project's buffer. */
async function measureSnapshot(server: Server, { key }: Account, figures: Figures): Promise<void> {
  const took: number[] = [];
  for (let index = 0; index < 15; index++) {
    const startedMs = performance.now();
    await ask(server.url, "GET", "/live?window=300", { "X-API-Key": key });
    took.push(performance.now() - startedMs);
  }
  figures.add(section, "/live over a full buffer of 10,000 events, ms", oneDecimal(median(took)));
}

/** When which event was heard. A listener may be quicker than the answer to the sender: that counts as 0. */
class Heard {
  readonly #numbers: number[] = [];
  readonly #atMs: number[] = [];

  get count(): number {
    return this.#numbers.length;
  }
  note(text: string): void {
    const atMs = performance.now();
    for (const [, number] of text.matchAll(/"number":(\d+)/g)) {
      this.#numbers.push(Number(number));
      this.#atMs.push(atMs);
    }
  }
  latencies(answeredAt: Float64Array): number[] {
    return this.#numbers.map((number, at) => Math.max(0, this.#atMs[at] - answeredAt[number]));
  }
}

/** Both return what closes them. A chunk may end in the midst of an event: what follows its last frame is kept. */
async function stream(url: string, { key }: Account, heard: Heard): Promise<() => void> {
  let rest = "";
  const { hostname, port } = new URL(url);
  const opened = Promise.withResolvers<void>();
  const line = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_, bytes) => {
        rest += bytes.toString("latin1");
        if (rest.includes("event: connected")) opened.resolve();
        const end = rest.lastIndexOf("\n\n");
        if (end < 0) return;
        heard.note(rest.slice(0, end));
        rest = rest.slice(end);
      },
    },
  });
  line.write(requestText("GET", "/stream", { "X-API-Key": key }, ""));
  await opened.promise;
  return () => line.end();
}
async function socket(url: string, { key }: Account, heard: Heard): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const opened = new WebSocket(`${url.replace("http", "ws")}/live/ws?key=${key}`);
  opened.onmessage = ({ data }) => {
    const text = String(data);
    if (text.includes('"connected"')) resolve();
    heard.note(text);
  };
  await promise;
  return () => opened.close();
}

/** Returns when each event was acknowledged. */
async function send(url: string, projects: readonly Project[], total: number) {
  const answeredAt = new Float64Array(total);
  const lines = await Promise.all(Array.from({ length: 64 }, () => Connection.open(url)));
  // Taken in turn: one that rests for 12 s is closed by the server.
  const free = [...lines];
  const startedMs = performance.now();
  let answered = 0;
  for (let number = 0; number < total; ) {
    const due = Math.min(total, ((performance.now() - startedMs) / 1_000) * eventsPerSecond);
    for (let line = free.shift(); line !== undefined && number < due; line = free.shift()) {
      const used = line;
      const own = number++;
      void used.send(trackText(projects[own % projects.length], own)).then(({ status }) => {
        if (status !== 202) throw new Error(`/track answered ${status}`);
        answeredAt[own] = performance.now();
        answered++;
        free.push(used);
      });
      if (number >= due) break;
    }
    await Bun.sleep(1);
  }
  while (answered < total) await Bun.sleep(10);
  for (const line of lines) line.close();
  return answeredAt;
}

function trackText({ token }: Project, number: number): string {
  const body =
    `{"token":"${token}","event":"page_view","user_id":"anon_${number % 500}","session_id":"s_${number % 900}",` +
    `"properties":{"number":${number},"path":"/pricing","title":"Pricing | Example","browser":"Chrome"}}`;
  return requestText("POST", "/track", { "User-Agent": "sightline-load/1.0" }, body);
}

/** Our own feed and broadcast in this process, with 500 sockets on one topic whose clients are in it as well. */
async function measureTopic(figures: Figures): Promise<void> {
  const sockets = 500;
  const events = 2_000;
  const feed = new Feed(64 * 1024 * 1024, () => true);
  const server = Bun.serve<{ wire: null }>({
    port: 0,
    fetch: (request, own) =>
      own.upgrade(request, { data: { wire: null } }) ? undefined : new Response(null),
    websocket: { open: join, message: () => undefined, backpressureLimit: 64 * 1024 * 1024 },
  });
  const publish = (topic: string, text: string) => void server.publish(topic, text);
  const broadcasts = new Broadcasts({ feed, server: { publish }, control: undecided });
  function join(wire: ServerWebSocket<{ wire: null }>): void {
    broadcasts.join(
      { id: "proj_a", name: "a" },
      { events: [], filter: {} },
      {
        kind: "socket",
        subscribe: (topic) => wire.subscribe(topic),
        unsubscribe: (topic) => wire.unsubscribe(topic),
        endIfBehind: () => undefined,
      },
    );
  }
  let received = 0;
  const clients = await Promise.all(
    Array.from({ length: sockets }, async () => {
      const client = new WebSocket(`ws://localhost:${server.port}`);
      client.onmessage = () => {
        received++;
      };
      await new Promise((resolve) => {
        client.onopen = resolve;
      });
      return client;
    }),
  );
  const startedMs = performance.now();
  for (let number = 0; number < events; number++) {
    feed.add(storedOf(number));
    if (number % 10 === 9) await Bun.sleep(0);
  }
  while (received < sockets * events) await Bun.sleep(1);
  const perSecond = received / ((performance.now() - startedMs) / 1_000);
  for (const client of clients) client.close();
  await server.stop(true);
  figures.add(
    section,
    `in one process with its clients: ${sockets} sockets on one topic, deliveries/s`,
    thousands(perSecond),
  );
}

function storedOf(number: number) {
  const nowMs = Date.now();
  const packed = packRequest([
    {
      ...{ kind: "events", projectId: "proj_a", receivedAtMs: nowMs },
      events: [
        {
          ...{ name: "page_view", timeMs: nowMs, userId: "ann", sessionId: "s", country: "DE" },
          ...{ properties: { path: "/pricing", number }, eventId: null },
        },
      ],
    },
  ]);
  const bytes = packed.head.length + packed.lines.length;
  const places = new Float64Array([1, 1e12 + number]);
  const committed = { stored: new Uint32Array([1]), places, repeats: null, linked: null };
  const [stored] = storedEvents([{ ...packed, bytes }], committed);
  return stored;
}

/** No owner decided anything about flagged texts. */
const undecided = {
  dataVersions: {
    ofProject: () => ({ projectIds: [], changes: 0, policies: {}, hasDailyVisitors: false }),
  },
};
