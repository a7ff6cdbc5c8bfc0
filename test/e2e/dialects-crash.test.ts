import { afterAll, beforeAll, expect, test } from "bun:test";
import type { EventRow } from "../../src/domain/fields";
import type { SourceKind } from "../../src/domain/source";
import { visitorAgent } from "../support/browser/chromium";
import { randomFrom, randomSeed } from "../support/random/random";
import { createProject, type Project, setUpAccount } from "../support/server/account";
import { ask, atNoon, removeFolder, startServer, temporaryFolder } from "../support/server/server";
import { storedEvents } from "./verify";

/** A request as a client of the product sends it, to a path below the source's address. */
interface Sending {
  readonly path: string;
  readonly body: object;
}

interface Client {
  readonly itemsMax: number;
  /** Repeats of an item are recognized by the id that its client gave it. */
  readonly hasIds: boolean;
  /** Each request also links the user of its items to a person. */
  readonly links: boolean;
  send(names: readonly string[]): Sending;
}

const page = "https://garten.example/start";
const [device, person] = ["device of ", "person of "];
const uuidOf = (name: string): string => {
  const hex = Bun.SHA256.hash(name, "hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};
/** Requests are named after their first item. */
const idsOf = ([first = ""]: readonly string[]) => ({
  anonymous: device + first,
  user: person + first,
});

const withoutIds = { hasIds: false, links: false };
const withIds = { hasIds: true, links: true, itemsMax: 5 };
const clients: Readonly<Record<SourceKind, Client>> = {
  plausible: {
    ...{ ...withoutIds, itemsMax: 1 },
    send: ([n]) => ({ path: "/api/event", body: { n, u: page, d: "garten.example" } }),
  },
  goatcounter: {
    ...{ ...withoutIds, itemsMax: 1 },
    send: ([p = ""]) => ({ path: `/count?e=true&p=${encodeURIComponent(p)}`, body: {} }),
  },
  umami: {
    ...{ ...withoutIds, itemsMax: 5 },
    send: (names) => ({
      path: "/api/batch",
      body: names.map((name) => ({
        type: "event",
        payload: { website: uuidOf("garten"), hostname: "garten.example", url: "/start", name },
      })),
    }),
  },
  matomo: {
    ...{ ...withoutIds, itemsMax: 5 },
    send: (names) => ({
      path: "/matomo.php",
      body: {
        requests: names.map(
          (name) => `?idsite=1&rec=1&url=${encodeURIComponent(page)}&e_c=c&e_a=${name}`,
        ),
      },
    }),
  },
  segment: {
    ...withIds,
    send: (names) => {
      const { anonymous: anonymousId, user: userId } = idsOf(names);
      const events = names.map((event) => ({
        ...{ type: "track", event, anonymousId, messageId: uuidOf(event) },
      }));
      return {
        path: "/v1/batch",
        body: { batch: [...events, { type: "identify", anonymousId, userId }] },
      };
    },
  },
  posthog: {
    ...withIds,
    send: (names) => {
      const { anonymous, user } = idsOf(names);
      const events = names.map((event) => ({
        ...{ event, distinct_id: anonymous, uuid: uuidOf(event) },
      }));
      const properties = { $anon_distinct_id: anonymous };
      const link = { event: "$identify", distinct_id: user, properties };
      return { path: "/batch/", body: { api_key: "phc_1234", batch: [...events, link] } };
    },
  },
  mixpanel: {
    ...withIds,
    send: (names) => {
      const { anonymous, user } = idsOf(names);
      const events = names.map((event) => ({
        event,
        properties: { distinct_id: anonymous, $insert_id: uuidOf(event) },
      }));
      const properties = { $anon_distinct_id: anonymous, $user_id: user };
      return { path: "/import", body: [...events, { event: "$identify", properties }] };
    },
  },
};

interface Sent {
  readonly names: readonly string[];
  outcome: "acknowledged" | "unknown";
}

/** A source, and everything that was sent to it. */
interface Source {
  readonly kind: SourceKind;
  readonly project: Project;
  readonly id: string;
  readonly sent: Sent[];
}

const rounds = 2;
const acknowledgedLeast = 20;
const random = randomFrom(randomSeed());
const dataDir = temporaryFolder();
/** The names of visitors who are known by their sender alone change with the date. */
const env = atNoon();
const sources: Source[] = [];
let key = "";

beforeAll(async () => {
  process.stdout.write(`kill -9 of dialects: SEED=${random.seed}\n`);
  const server = await startServer({ dataDir, env });
  key = await setUpAccount(server.url);
  for (const kind of Object.keys(clients) as SourceKind[]) {
    const project = await createProject(server.url, key, `site-${kind}`);
    const path = `/projects/${project.id}/sources`;
    const made = await ask(server.url, "POST", path, { "X-API-Key": key }, { kind });
    sources.push({ kind, project, id: JSON.parse(made.body).id, sent: [] });
  }
  await server.stop();
});
afterAll(() => removeFolder(dataDir));

async function post(url: string, { kind, id }: Source, names: readonly string[]): Promise<void> {
  const { path, body } = clients[kind].send(names);
  const headers = { "User-Agent": visitorAgent };
  const reply = await ask(url, "POST", `/in/${id}${path}`, headers, body);
  if (![200, 202].includes(reply.status)) {
    throw new Error(`${kind} ${path}: ${reply.status} ${reply.body}`);
  }
}

/** Sends one request after the other until the server is gone; the last one may be stored or not. */
async function sendUntilKilled(
  url: string,
  source: Source,
  isKilled: () => boolean,
): Promise<void> {
  const { itemsMax } = clients[source.kind];
  while (!isKilled()) {
    const count = 1 + random.below(itemsMax);
    const names = Array.from({ length: count }, (_, at) => `item-${source.sent.length}-${at}`);
    const sent: Sent = { names, outcome: "unknown" };
    source.sent.push(sent);
    try {
      await post(url, source, names);
      sent.outcome = "acknowledged";
    } catch (error) {
      if (!isKilled()) throw error;
    }
  }
}

const acknowledgedOf = ({ sent }: Source): number =>
  sent.filter(({ outcome }) => outcome === "acknowledged").length;

/** Says what is lost, stored twice or stored in part, of a request that is not acknowledged as well. */
function faultsIn({ sent }: Source, rows: readonly EventRow[]): string[] {
  const counts = Map.groupBy(rows, ({ event }) => event);
  return sent.flatMap(({ names, outcome }) => {
    const stored = names.map((name) => counts.get(name)?.length ?? 0);
    const isWhole = stored.every((count) => count === 1);
    const isAbsent = outcome === "unknown" && stored.every((count) => count === 0);
    return isWhole || isAbsent ? [] : [`${outcome} ${names}: stored ${stored} times`];
  });
}

/** Names the requests whose items are not of the person to whom an acknowledged link gave them. */
function unlinkedIn({ kind, sent }: Source, rows: readonly EventRow[]): string[] {
  if (!clients[kind].links) return [];
  const users = new Map(rows.map(({ event, user_id }) => [event, user_id]));
  return sent
    .filter(({ outcome }) => outcome === "acknowledged")
    .flatMap(({ names }) => names.filter((name) => users.get(name) !== idsOf(names).user));
}

/** Sends to all sources at the same time, and kills the server in the middle of it. */
async function loadAndKill(): Promise<void> {
  let isKilled = false;
  const server = await startServer({ dataDir, env });
  const least = sources.map((source) => acknowledgedOf(source) + acknowledgedLeast);
  const sending = sources.map((source) => sendUntilKilled(server.url, source, () => isKilled));
  const ended = Promise.all(sending);
  while (sources.some((source, at) => acknowledgedOf(source) < (least[at] ?? 0))) {
    await Promise.race([ended, Bun.sleep(random.between(1, 30))]);
  }
  isKilled = true;
  await server.kill();
  await ended;
}

/** Sends again, as clients do with what they know no answer of: each item is there once. */
async function repeat(url: string, source: Source, before: number): Promise<void> {
  for (const sent of source.sent.slice(before)) {
    await post(url, source, sent.names);
    sent.outcome = "acknowledged";
  }
  const rows = await expectWhole(url, source);
  expect(rows.length).toBe(source.sent.flatMap(({ names }) => names).length);
}

async function expectWhole(url: string, source: Source): Promise<readonly EventRow[]> {
  const { kind, project } = source;
  const rows = await storedEvents(url, key, project);
  expect([kind, faultsIn(source, rows)]).toEqual([kind, []]);
  expect([kind, unlinkedIn(source, rows)]).toEqual([kind, []]);
  return rows;
}

test("kill -9 in the middle of requests of every dialect: each acknowledged item is there once", async () => {
  let unknown = 0;
  for (let round = 1; round <= rounds; round++) {
    const before = sources.map(({ sent }) => sent.length);
    await loadAndKill();
    const server = await startServer({ dataDir, env });
    for (const [at, source] of sources.entries()) {
      unknown += source.sent.length - acknowledgedOf(source);
      const rows = await expectWhole(server.url, source);
      if (clients[source.kind].hasIds) await repeat(server.url, source, before[at] ?? 0);
      // A visitor who is named by what is known of the sender goes on with the session of before.
      else
        expect([source.kind, new Set(rows.map((row) => row.session_id)).size]).toEqual([
          source.kind,
          1,
        ]);
    }
    expect(await server.stop()).toBe(0);
  }
  process.stdout.write(`${unknown} requests were cut off\n`);
  expect(unknown).toBeGreaterThan(0);
}, 120_000);
