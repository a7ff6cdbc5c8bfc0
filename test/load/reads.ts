import { read } from "../support/account";
import { Connection, type Reply, requestText } from "../support/connection";
import type { Server } from "../support/server";
import { type Figures, median } from "./figures";
import { today } from "./ingest";
import { batches, stream } from "./send";
import { serve, type World } from "./world";

/** First, live and warm, in milliseconds of the store's own time. */
type Times = readonly [first: number, live: number, warm: number];

interface Question {
  readonly name: string;
  /** Of storage.md, for the windows of 7 and of 90 days. */
  readonly targets: { readonly 7: Times; readonly 90: Times };
  request(project: string, days: number): readonly [method: string, path: string, body?: unknown];
}

interface Sample {
  readonly userId: string;
  readonly sessionId: string;
}

const windows = [7, 30, 90] as const;
const eventsPerSecond = 1_000;

/** Every read on the big project, in windows of N whole dates, with the targets of storage.md beside the figures. */
export async function measureReads(world: World, figures: Figures): Promise<void> {
  const server = await serve(world.dataDir);
  const questions = questionsAbout(await sampleOf(server, world));
  const warm = await measure(server, world, questions, 3, 5);
  const requests = batches(world.big.token, today(4, 10_000_000), 20);
  const flood = stream(server.url, requests, eventsPerSecond);
  await Bun.sleep(2_000);
  const live = await measure(server, world, questions, 1, 5, 100);
  await flood.stop();
  await server.stop();
  const first = await measureFirst(world, questions);
  for (const question of questions) {
    for (const days of windows) {
      const name = `${question.name}, ${days} days`;
      const times = [first, live, warm].map((found) => found.get(name) ?? Number.NaN);
      const target = days === 30 ? null : question.targets[days];
      const isMet = target && times.every((time, index) => time <= target[index]);
      const shown = times.map(milliseconds).join(" / ");
      figures.add("Reads, ms: first / live / warm", name, shown, target?.join(" / ") ?? "", isMet);
    }
  }
}

const milliseconds = (time: number): string =>
  Number.isFinite(time) ? time.toFixed(time < 10 ? 1 : 0) : "failed";

async function sampleOf(server: Server, { key, big }: World): Promise<Sample> {
  const page = await read<{ events: { user_id: string; session_id: string }[] }>(
    server.url,
    key,
    `/events?project=${big.name}&limit=1`,
  );
  return { userId: page.events[0].user_id, sessionId: page.events[0].session_id };
}

/** The median of `times` calls after `call - 1` that are not counted. */
async function measure(
  server: Server,
  world: World,
  questions: readonly Question[],
  call: number,
  times: number,
  pauseMs = 0,
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const connection = await Connection.open(server.url);
  for (const question of questions) {
    for (const days of windows) {
      const took: number[] = [];
      for (let index = 1; index < call + times; index++) {
        await Bun.sleep(pauseMs);
        const ms = await storeMs(connection, world, question, days);
        if (index >= call) took.push(ms);
      }
      found.set(`${question.name}, ${days} days`, median(took));
    }
  }
  connection.close();
  return found;
}

/** Each time by a server that has just been started: no column is in its memory, the file is in the system's. */
async function measureFirst(world: World, questions: readonly Question[]) {
  const found = new Map<string, number>();
  for (const question of questions) {
    for (const days of windows) {
      const took: number[] = [];
      for (let index = 0; index < 3; index++) {
        const server = await serve(world.dataDir);
        const connection = await Connection.open(server.url);
        took.push(await storeMs(connection, world, question, days));
        connection.close();
        await server.stop();
      }
      found.set(`${question.name}, ${days} days`, median(took));
    }
  }
  return found;
}

async function storeMs(
  connection: Connection,
  { key, big }: World,
  question: Question,
  days: number,
): Promise<number> {
  const [method, path, body] = question.request(big.name, days);
  const text = body === undefined ? "" : JSON.stringify(body);
  const reply = await connection.send(requestText(method, path, { "X-API-Key": key }, text));
  // A read over its budget is a figure too: it shows as failed, and its target as missed.
  return reply.status === 200 ? storeTimeOf(reply) : Number.POSITIVE_INFINITY;
}

export function storeTimeOf(reply: Reply): number {
  const timing = reply.headers.get("server-timing") ?? "";
  const found = /store;dur=([\d.]+)/.exec(timing)?.[1];
  if (found === undefined) throw new Error(`No store time in Server-Timing: "${timing}"`);
  return Number(found);
}

// The targets of "stats (all parts)" hold for both groupings: the answer has the same parts.
const stats = { 7: [150, 40, 25], 90: [450, 250, 180] } as const;
const grouped = { 7: [50, 25, 25], 90: [450, 240, 220] } as const;
const bySessions = { 7: [150, 50, 30], 90: [550, 330, 250] } as const;
const byOne = { 7: [100, 50, 50], 90: [900, 500, 400] } as const;
const breakdown = { 7: [40, 25, 25], 90: [350, 210, 200] } as const;
const events = { 7: [40, 20, 20], 90: [200, 20, 20] } as const;
const properties = { 7: [120, 50, 15], 90: [300, 140, 100] } as const;

function questionsAbout({ userId, sessionId }: Sample): Question[] {
  const get = (name: string, targets: Question["targets"], path: string): Question => ({
    name,
    targets,
    request: (project, days) => ["GET", `${path}project=${project}&since=${days - 1}d`],
  });
  const query = (name: string, targets: Question["targets"], body: object): Question => ({
    name,
    targets,
    request: (project, days) => ["POST", "/query", { project, date_from: `${days - 1}d`, ...body }],
  });
  return [
    get("/stats by day", stats, "/stats?"),
    get("/stats by hour", stats, "/stats?groupBy=hour&"),
    query("/query event × date, one property value", grouped, {
      group_by: ["event", "date"],
      filters: [{ field: "properties.device", op: "eq", value: "mobile" }],
      count_mode: "raw",
    }),
    query("/query per event, session_then_user", grouped, { group_by: ["event"] }),
    query("/query per country", grouped, {
      group_by: ["country"],
      metrics: ["event_count", "unique_users"],
      count_mode: "raw",
    }),
    query("/query path contains", grouped, {
      filters: [{ field: "properties.path", op: "contains", value: "pricing" }],
      count_mode: "raw",
    }),
    query("/query bounce rate per event", bySessions, {
      group_by: ["event"],
      metrics: ["bounce_rate", "avg_duration"],
    }),
    query("/query per user", byOne, { group_by: ["user_id"], count_mode: "raw", limit: 20 }),
    query("/query per session", byOne, { group_by: ["session_id"], count_mode: "raw", limit: 20 }),
    get("/breakdown path", breakdown, "/breakdown?property=path&"),
    get("/breakdown plan of purchases", breakdown, "/breakdown?property=plan&event=purchase&"),
    get("/breakdown order_id", breakdown, "/breakdown?property=order_id&"),
    get("/events newest 1,000", events, "/events?limit=1000&"),
    get("/events newest 100", events, "/events?"),
    get("/events of a session", events, `/events?session_id=${sessionId}&`),
    get("/events of a user", events, `/events?user_id=${userId}&`),
    get("/properties", properties, "/properties?"),
    get("/properties/received", properties, "/properties/received?"),
  ];
}
