import { afterAll, expect, test } from "bun:test";
import {
  createProject,
  type Project,
  read,
  setUpAccount,
  userAgent,
} from "../../support/server/account";
import { Connection, requestText } from "../../support/server/connection";
import { ask, removeFolder, startServer, temporaryFolder } from "../../support/server/server";

const dataDir = temporaryFolder();
afterAll(() => removeFolder(dataDir));

/** These connections together have more events on their way than the whole queue holds. */
const connections = 1_200;
const batchEvents = 100;
const floodMs = 8_000;
/** A slow machine floods for longer, until the other project has sent this number of events. */
const trackedMin = 4;
const pauseMs = 50;

const post = (path: string, body: unknown): string =>
  requestText("POST", path, { "User-Agent": userAgent }, JSON.stringify(body));

/** Sends batches on all connections until `end`, as fast as they are answered. Returns how many had each answer. */
async function flood(url: string, { token }: Project, end: AbortSignal) {
  const events = Array.from({ length: batchEvents }, (_, n) => ({ event: "e", user_id: `u${n}` }));
  const batch = Buffer.from(post("/track/batch", { token, events }));
  const answers = new Map<number, number>();
  const lines: Connection[] = [];
  while (lines.length < connections) lines.push(await Connection.open(url));
  const work = lines.map(async (line) => {
    while (!end.aborted) {
      const { status } = await line.send(batch);
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
    line.close();
  });
  return { answers, ended: Promise.all(work) };
}

test("1,200 connections that flood one project: every event of another is taken, and the server is ready", async () => {
  const server = await startServer({ dataDir, env: { INGEST_RPM: "0" } });
  const key = await setUpAccount(server.url);
  const flooded = await createProject(server.url, key, "flooded");
  const quiet = await createProject(server.url, key, "quiet");
  const end = new AbortController();
  const { answers, ended } = await flood(server.url, flooded, end.signal);

  const line = await Connection.open(server.url);
  const track = post("/track", { token: quiet.token, event: "e" });
  const looks: number[] = [];
  const tracked: number[] = [];
  const untilMs = performance.now() + floodMs;
  while (performance.now() < untilMs || tracked.length < trackedMin) {
    tracked.push((await line.send(track)).status);
    looks.push((await ask(server.url, "GET", "/health/ready")).status);
    await Bun.sleep(pauseMs);
  }
  end.abort();
  await ended;
  line.close();

  // Some of the flood is refused: it would hold more than half of the queue.
  expect([answers.get(202), answers.get(503)]).toEqual([expect.any(Number), expect.any(Number)]);
  // A request that waits for 15 seconds gets 503, so that each 202 also came in time.
  expect([new Set(tracked), new Set(looks)]).toEqual([new Set([202]), new Set([200])]);

  const stored = async ({ name }: Project) =>
    (await read<{ totals: { total_events: number } }>(server.url, key, `/stats?project=${name}`))
      .totals.total_events;
  expect(await stored(quiet)).toBe(tracked.length);
  expect(await stored(flooded)).toBe((answers.get(202) ?? 0) * batchEvents);
  expect(await server.stop()).toBe(0);
}, 120_000);
