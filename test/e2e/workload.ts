import { type Random, randomFrom } from "../support/random/random";
import { automatedAgent, type Project, userAgent } from "../support/server/account";
import { Connection, ConnectionLost, requestText } from "../support/server/connection";

/** One request of the workload and what became of it. */
export interface Sent {
  readonly kind: "events" | "identity" | "automated";
  /** The unique numbers of events and automated requests. */
  readonly numbers: readonly number[];
  /** The number in the anonymous id of an identity link, and of the events before it. */
  readonly person: number | null;
  /** The first time, if it is sent twice. */
  sentAtMs: number | null;
  /** When its reply was here; null without one. */
  answeredAtMs: number | null;
  /** `unknown`: the connection ended before the reply. */
  outcome: "acknowledged" | "refused" | "unknown";
}

export interface Workload {
  readonly sent: readonly Sent[];
  /** Resolves when no connection has anything left to wait for. */
  stop(): Promise<void>;
  /** Resolves when every connection has been lost. */
  readonly lost: Promise<void>;
}

/**
 * Loads a server as hard as it takes: every connection always has a request under way, of any kind that ingestion
 * knows. Every event has a unique number as property and as event_id; some requests are sent twice.
 */
export async function startWorkload(
  url: string,
  project: Project,
  seed: number,
  connections = 24,
  pauseMs = 0,
): Promise<Workload> {
  const sent: Sent[] = [];
  let isStopping = false;
  let lastNumber = 0;
  const numbers = (count: number): number[] => Array.from({ length: count }, () => ++lastNumber);

  const run = async (connection: Connection, random: Random): Promise<void> => {
    while (!isStopping && !connection.isClosed) {
      for (const { path, body, agent, entry } of nextRequests(project, random, numbers)) {
        await post(connection, path, body, agent, entry, sent);
      }
      if (pauseMs > 0) await Bun.sleep(pauseMs);
    }
  };
  const lines = await Promise.all(
    Array.from({ length: connections }, async () => Connection.open(url)),
  );
  const runs = lines.map((connection, index) => run(connection, randomFrom(seed + index)));
  const done = Promise.all(runs);
  return {
    sent,
    lost: Promise.all(lines.map(({ closed }) => closed)).then(() => undefined),
    stop: async () => {
      isStopping = true;
      await done;
      for (const connection of lines) connection.close();
    },
  };
}

async function post(
  connection: Connection,
  path: string,
  body: unknown,
  agent: string,
  entry: Sent,
  sent: Sent[],
): Promise<void> {
  if (connection.isClosed) return;
  entry.sentAtMs ??= performance.now();
  sent.push(entry);
  try {
    const headers = { "User-Agent": agent };
    const reply = await connection.send(requestText("POST", path, headers, JSON.stringify(body)));
    if (reply.status !== 202 && reply.status !== 503) {
      throw new Error(`${path} answered ${reply.status}: ${reply.body}`);
    }
    // A request that is sent twice may be refused once, while the disk is full, and taken then.
    const isTaken = reply.status === 202;
    if (entry.outcome === "unknown" || (entry.outcome === "refused" && isTaken)) {
      entry.outcome = isTaken ? "acknowledged" : "refused";
      entry.answeredAtMs = performance.now();
    }
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
  }
}

interface NextRequest {
  readonly path: string;
  readonly body: unknown;
  readonly agent: string;
  readonly entry: Sent;
}

/** What a connection sends next: one request, or a few that belong together and follow each other. */
function nextRequests(
  { token }: Project,
  random: Random,
  numbers: (count: number) => number[],
): NextRequest[] {
  const kind = random.below(100);
  const agent = userAgent;
  if (kind < 4) {
    const entry = entryOf("automated", numbers(random.between(1, 20)), null);
    const body = { token, events: entry.numbers.map((number) => eventOf(number, null)) };
    return [{ path: "/track/batch", body, agent: automatedAgent, entry }];
  }
  if (kind < 12) {
    const [person = 0, ...events] = numbers(random.between(2, 4));
    const before = entryOf("events", events, person);
    const batch = { token, events: events.map((number) => eventOf(number, `p${person}`)) };
    const link = { token, previous_id: `p${person}`, user_id: `u${person}` };
    return [
      { path: "/track/batch", body: batch, agent, entry: before },
      { path: "/identify", body: link, agent, entry: entryOf("identity", [], person) },
    ];
  }
  const entry = entryOf("events", numbers(kind < 60 ? 1 : random.between(2, 100)), null);
  const events = entry.numbers.map((number) => eventOf(number, `p${number % 500}x`));
  const path = events.length === 1 ? "/track" : "/track/batch";
  const body = events.length === 1 ? { token, ...events[0] } : { token, events };
  const once = { path, body, agent, entry };
  return random.chance(0.05) ? [once, once] : [once];
}

const entryOf = (kind: Sent["kind"], numbers: readonly number[], person: number | null): Sent => ({
  kind,
  numbers,
  person,
  sentAtMs: null,
  answeredAtMs: null,
  outcome: "unknown",
});

function eventOf(number: number, userId: string | null) {
  return {
    event: `event ${number % 7}`,
    event_id: `n${number}`,
    user_id: userId,
    session_id: `s${number % 900}`,
    properties: { number, path: `/page/${number % 40}`, text: "x".repeat(number % 300) },
  };
}
