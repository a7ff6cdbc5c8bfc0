import { read } from "../support/server/account";
import { Connection, type Reply, requestText } from "../support/server/connection";
import type { Server } from "../support/server/server";
import { type Rest, untilAtRest } from "./cpu";
import { keyOf, type OurAnswers } from "./duckdb/measure";
import { experimentsSince } from "./experiments";
import { type Figures, median } from "./figures";
import { fromNowOn } from "./ingest";
import {
  type Asked,
  type Question,
  questions,
  type Times,
  type Window,
  windows,
} from "./questions";
import { batches, stream } from "./send";
import { serve, type World } from "./world";

const eventsPerSecond = 1_000;
/** Readers compile their functions for some seconds of two cores after the first read of all. */
const warmedUp: Rest = { share: 0.1, forMs: 600 };
/** Runs below this are for trying things out: they start the server once for each first touch. */
const smallRunEvents = 5_000_000;
/** Runs above this ask about the longest window alone: a read takes a second, and a start some. */
const largeRunEvents = 50_000_000;
export const isLargeRun = (events: number): boolean => events > largeRunEvents;
const windowsOf = ({ events }: World): readonly Window[] => (isLargeRun(events) ? [90] : windows);
/** How often each first touch is measured, in windows of 7, 30 and 90 days. */
function timesOfFirst({ events }: World): Record<Window, number> {
  if (isLargeRun(events) || events < smallRunEvents) return { 7: 1, 30: 1, 90: 1 };
  return { 7: 3, 30: 1, 90: 3 };
}
const section = "Reads, ms: first / live / warm";
const smallSection = "Any read of a small project beside the big one, ms: the slowest";
/** Any read of a 1,000-event project, 7 and 90 days. */
const smallTargets = { 7: [5, 2, 1], 90: [6, 3, 2] } as const;
const kinds = ["first", "live", "warm"] as const;

type Found = ReadonlyMap<string, number>;

/** What DuckDB is compared with, alone: nothing comes in meanwhile, and small projects are left out. */
export async function measureForDuckDb(world: World): Promise<OurAnswers> {
  const server = await serve(world.dataDir);
  const asked = await askedAbout(server, world, world.big);
  const answers = await answersOf(server, world, asked);
  say("every read when all was asked once");
  const warm = await measure(server, world, asked, 3, 3);
  await server.stop();
  say("every read by a server that has just been started");
  const first = await measureFirst(world, asked, { 7: 1, 30: 1, 90: 1 });
  return { asked, answers, times: timesOf([first, new Map(), warm]) };
}

/** Said at once, as the figures of a step are only known when it has ended. */
const say = (step: string): void => void process.stdout.write(`asking: ${step}\n`);

/** Every read on the big project, in windows of N whole dates, with the targets beside the figures. */
export async function measureReads(world: World, figures: Figures): Promise<OurAnswers> {
  const server = await serve(world.dataDir);
  const asked = await askedAbout(server, world, world.big);
  const small = await askedAbout(server, world, world.small[0]);
  const answers = await answersOf(server, world, asked);
  say("every read when all was asked once, of the big project and of a small one");
  const warm = await measure(server, world, asked, 3, 5);
  await measure(server, world, small, 1, 1);
  const smallWarm = await measure(server, world, small, 3, 5);
  await server.stop();
  say("every read by a server that has just been started");
  // Before anything comes in: DuckDB is asked about the same events.
  const first = await measureFirst(world, asked, timesOfFirst(world));
  say("the same of the small project");
  const often = isLargeRun(world.events) ? 1 : 3;
  const smallFirst = await measureFirst(world, small, { 7: often, 30: 0, 90: often });
  say("every read while events come in");
  const [live, smallLive] = await measureLive(world, asked, small);
  addFigures(world, [first, live, warm], figures);
  addSmall(world, [smallFirst, smallLive, smallWarm], figures);
  return { asked, answers, times: timesOf([first, live, warm]) };
}

async function measureLive(world: World, asked: Asked, small: Asked): Promise<[Found, Found]> {
  const server = await startedAndCompiled(world);
  // All has been asked for before anything comes in: what is measured is what new events cost.
  await measure(server, world, asked, 1, 3);
  await measure(server, world, small, 1, 3);
  const requests = batches(world.big.token, fromNowOn(4, eventsPerSecond), 20);
  const flood = stream(server.url, requests, eventsPerSecond);
  await Bun.sleep(2_000);
  const live = await measure(server, world, asked, 2, 5, 100);
  const smallLive = await measure(server, world, small, 2, 5);
  await flood.stop();
  await server.stop();
  return [live, smallLive];
}

function timesOf(found: readonly Found[]): Map<string, Times> {
  const times = new Map<string, Times>();
  for (const { name } of questions) {
    for (const days of windows) {
      const key = keyOf(name, days);
      const [first, live, warm] = found.map((one) => one.get(key) ?? Number.NaN);
      times.set(key, [first, live, warm]);
    }
  }
  return times;
}

function addFigures(world: World, found: readonly Found[], figures: Figures): void {
  const times = timesOf(found);
  for (const { name, targets } of questions) {
    for (const days of windowsOf(world)) {
      const key = keyOf(name, days);
      const took = times.get(key) ?? [];
      const target = targetOf(world, targets, days);
      const isMet = target && took.every((time, index) => time <= target[index]);
      const aims = target?.map((aim) => (Number.isFinite(aim) ? aim : "–")).join(" / ");
      figures.add(section, key, took.map(milliseconds).join(" / "), aims, isMet);
    }
  }
}

/** Those of the usual data set; of ten times as many events, a first touch takes 3 s and a repeated one 0.7 s. */
function targetOf({ events }: World, targets: Question["targets"], days: Window) {
  if (isLargeRun(events)) return [3_000, Number.POSITIVE_INFINITY, 700];
  return days === 30 || targets === null ? null : targets[days];
}

function addSmall(world: World, found: readonly Found[], figures: Figures): void {
  const asked = questions.filter(({ name }) => !name.startsWith("/account/")); // these are of all projects
  for (const days of [7, 90] as const) {
    if (!windowsOf(world).includes(days)) continue;
    for (const [index, kind] of kinds.entries()) {
      const took = asked.map(({ name }) => found[index].get(keyOf(name, days)) ?? Number.NaN);
      const most = Math.max(...took);
      const { name } = asked[took.indexOf(most)];
      const target = smallTargets[days][index];
      const what = `${days} days, ${kind}: ${name}; median of all`;
      const shown = [most, median(took)].map(milliseconds).join("; ");
      figures.add(smallSection, what, shown, String(target), most <= target);
    }
  }
}

export const milliseconds = (time: number): string =>
  Number.isFinite(time) ? time.toFixed(time < 10 ? 1 : 0) : "failed";

/** Somebody of the project: who sent its newest event. */
export async function askedAbout(
  server: Server,
  world: World,
  project: World["big"],
): Promise<Asked> {
  const page = await read<{ events: { user_id: string; session_id: string }[] }>(
    server.url,
    world.key,
    `/events?project=${project.name}&limit=1`,
  );
  const [{ user_id: userId, session_id: sessionId }] = page.events;
  const experiments = await experimentsSince(server, world, project);
  return { project, userId, sessionId, experiments };
}

async function answersOf(server: Server, world: World, asked: Asked): Promise<Map<string, string>> {
  const connection = await Connection.open(server.url);
  const answers = new Map<string, string>();
  for (const question of questions) {
    for (const days of windowsOf(world)) {
      const { body } = await ask(connection, world, question, asked, days);
      answers.set(keyOf(question.name, days), body);
    }
  }
  connection.close();
  return answers;
}

/** The median of `times` calls after `call - 1` that are not counted. */
async function measure(
  server: Server,
  world: World,
  asked: Asked,
  call: number,
  times: number,
  pauseMs = 0,
): Promise<Found> {
  const found = new Map<string, number>();
  const connection = await Connection.open(server.url);
  for (const question of questions) {
    for (const days of windowsOf(world)) {
      const took: number[] = [];
      for (let index = 1; index < call + times; index++) {
        await Bun.sleep(pauseMs);
        const ms = await storeMs(connection, world, question, asked, days);
        if (index >= call) took.push(ms);
      }
      found.set(keyOf(question.name, days), median(took));
    }
  }
  connection.close();
  return found;
}

/**
 * A server that was just started and whose readers have compiled their functions (store/events/read/warm-up.ts), as it
 * was asked about a project that nothing else is asked about: of the others it has no columns then.
 */
export async function startedAndCompiled({ dataDir, key, small }: World): Promise<Server> {
  const server = await serve(dataDir);
  await read(server.url, key, `/stats?project=${small[small.length - 1].name}`);
  await untilAtRest(server.process.pid, warmedUp);
  return server;
}

/**
 * Each time by a server that has just been started: no column is in its memory, the file is in the system's.
 * `times` says how often, for each window.
 */
async function measureFirst(
  world: World,
  asked: Asked,
  times: Readonly<Record<Window, number>>,
): Promise<Found> {
  const found = new Map<string, number>();
  for (const question of questions) {
    for (const days of windowsOf(world)) {
      const took: number[] = [];
      for (let index = 0; index < times[days]; index++) {
        const server = await startedAndCompiled(world);
        const connection = await Connection.open(server.url);
        took.push(await storeMs(connection, world, question, asked, days));
        connection.close();
        await server.stop();
      }
      found.set(keyOf(question.name, days), median(took));
    }
  }
  return found;
}

export function ask(
  connection: Connection,
  { key }: World,
  question: Question,
  asked: Asked,
  days: Window,
): Promise<Reply> {
  const [method, path, body] = question.request(asked, days);
  const text = body === undefined ? "" : JSON.stringify(body);
  return connection.send(requestText(method, path, { "X-API-Key": key }, text));
}

export async function storeMs(
  connection: Connection,
  world: World,
  question: Question,
  asked: Asked,
  days: Window,
): Promise<number> {
  const startedAt = performance.now();
  const reply = await ask(connection, world, question, asked, days);
  const tookMs = performance.now() - startedAt;
  // A read over its budget is a figure too: it shows as failed, and its target as missed.
  return reply.status === 200 ? (storeTimeOf(reply) ?? tookMs) : Number.POSITIVE_INFINITY;
}

/**
 * Returns the store's time; null when the answer was put together from several stores: then the whole request is timed.
 */
export function storeTimeOf(reply: Reply): number | null {
  const timing = reply.headers.get("server-timing") ?? "";
  const found = /store;dur=([\d.]+)/.exec(timing)?.[1];
  return found === undefined ? null : Number(found);
}
