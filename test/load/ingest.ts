import { dayMs, hourMs } from "../../src/lib/clock";
import { createProject } from "../support/server/account";
import type { Server } from "../support/server/server";
import { costEach, cpuTimeOf } from "./cpu";
import { usualSessions, type WireEvent, wireEvents } from "./dataset";
import { type Figures, thousands } from "./figures";
import { type BatchRequest, batches, sendAll } from "./send";
import { storedIn, type World } from "./world";

const section = "Ingestion";

/** Rates into the big project: a burst into a server at rest, then as long as the compactor must keep up. */
export async function measureIngest(server: Server, world: World, figures: Figures): Promise<void> {
  const { big, key } = world;
  const before = await storedIn(server, key, big);
  const burst = await sendAll(server.url, made(batches(big.token, today(1, 300_000))));
  figures.add(
    section,
    "burst of 300,000 events, events/s",
    thousands(burst.perSecond),
    "120,000",
    burst.perSecond >= 120_000,
  );
  const beforeSustained = cpuTimeOf(server.process.pid);
  const sustained = await sendAll(server.url, batches(big.token, today(2, 2_000_000)));
  figures.add(
    section,
    "2,000,000 events without a pause, events/s",
    thousands(sustained.perSecond),
    "75,000",
    sustained.perSecond >= 75_000,
  );
  figures.add(section, "… requests that were answered 503 meanwhile", thousands(sustained.repeats));
  const cost = costEach(beforeSustained, cpuTimeOf(server.process.pid), sustained.events);
  figures.add(section, "… µs of processor time per event: main thread + all others", cost);
  const stored = (await storedIn(server, key, big)) - before;
  figures.add(
    section,
    "… events stored of those acknowledged",
    `${thousands(stored)} of ${thousands(burst.events + sustained.events)}`,
    "all",
    stored === burst.events + sustained.events,
  );
}

/** Evenly over many projects: every commit then holds a few events of each of them. */
export async function measureManyProjects(
  server: Server,
  world: World,
  figures: Figures,
): Promise<void> {
  const count = 1_000;
  const tokens: string[] = [];
  for (let index = 0; index < count; index++) {
    tokens.push((await createProject(server.url, world.key, `many-${index}`)).token);
  }
  const single = await sendAll(server.url, made(batches(world.big.token, today(3, 300_000))));
  const spread = await sendAll(server.url, made(spreadOver(tokens, 300_000)));
  const share = spread.perSecond / single.perSecond;
  figures.add(
    section,
    `300,000 events spread evenly over ${thousands(count)} projects, events/s`,
    thousands(spread.perSecond),
  );
  figures.add(
    section,
    "… as a share of the same into one project",
    share.toFixed(2),
    "0.33",
    share >= 1 / 3,
  );
}

function* spreadOver(tokens: readonly string[], events: number): Generator<BatchRequest> {
  const sources = tokens.map((token, index) =>
    batches(token, today(10_000 + index, Math.ceil(events / tokens.length)), 10),
  );
  for (let isDone = false; !isDone; ) {
    isDone = true;
    for (const source of sources) {
      const next = source.next();
      if (next.done === true) continue;
      isDone = false;
      yield next.value;
    }
  }
}

/** Events of the last 24 hours, unlike any of the data set. */
export const today = (seed: number, events: number) =>
  wireEvents({
    seed,
    events,
    users: Math.ceil(events * 0.03),
    fromMs: Date.now() - dayMs,
    toMs: Date.now(),
    sessionsAtOnce: usualSessions,
  });

/** Yields events as they happen: visitors of the next hour, each of whom acts about every 50 seconds. */
export function fromNowOn(seed: number, perSecond: number): Generator<WireEvent> {
  const fromMs = Date.now();
  const events = perSecond * (hourMs / 1_000);
  return wireEvents({
    seed,
    events,
    users: Math.ceil(events * 0.03),
    fromMs,
    toMs: fromMs + hourMs,
    sessionsAtOnce: perSecond * 50,
  });
}

/** Makes the requests before the measurement begins, so that only sending is measured. */
const made = (requests: Iterable<BatchRequest>): BatchRequest[] => [...requests];
