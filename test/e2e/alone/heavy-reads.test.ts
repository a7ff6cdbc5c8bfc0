import { afterAll, beforeAll, expect, test } from "bun:test";
import { usualSessions, wireEvents } from "../../load/dataset";
import { memoryOf } from "../../load/memory";
import { batches, countryFromHeader, sendAll, stream } from "../../load/send";
import { createProject, type Project, setUpAccount } from "../../support/server/account";
import { Connection, type Reply, requestText } from "../../support/server/connection";
import {
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../../support/server/server";

/** More than the thread for small reads takes, so that all of these wait for one thread. */
const eventsStored = 300_000;
/** Many more than wait, so that enough are refused even where some are answered before the last has come. */
const burst = 200;
const cacheMb = 64;
/** The README's bound: 90 MB, twice the cache, and 400 MB for each of the two reader threads. */
const memoryMbMax = 90 + 2 * cacheMb + 2 * 400;
const dayMs = 86_400_000;

const dataDir = temporaryFolder();
let server: Server;
let key: string;
let big: Project;
let small: Project;

beforeAll(async () => {
  server = await startServer({ dataDir, env: { ...countryFromHeader, CACHE_MB: String(cacheMb) } });
  key = await setUpAccount(server.url);
  big = await createProject(server.url, key, "big");
  small = await createProject(server.url, key, "small");
  await sendAll(server.url, batches(big.token, eventsOf(1, eventsStored)), 8);
  await sendAll(server.url, batches(small.token, eventsOf(2, 300)), 1);
});
afterAll(async () => {
  await server.kill();
  removeFolder(dataDir);
});

const eventsOf = (seed: number, events: number) => {
  const toMs = Date.now();
  return wireEvents({
    seed,
    events,
    users: events / 20,
    fromMs: toMs - 7 * dayMs,
    toMs,
    sessionsAtOnce: usualSessions,
  });
};

/** Each makes groups of its own, of many users and sessions. */
const heavy = (index: number): string =>
  requestText(
    "POST",
    "/query",
    { "X-API-Key": key },
    JSON.stringify({
      project: "big",
      metrics: ["event_count", "unique_users", "session_count", "bounce_rate", "avg_duration"],
      group_by: index % 2 === 0 ? ["user_id", "event"] : ["session_id", "date"],
      filters: [{ field: "properties.path", op: "neq", value: `/${index}` }],
    }),
  );
const smallStats = () => requestText("GET", "/stats?project=small", { "X-API-Key": key });

async function send(text: string): Promise<Reply> {
  const connection = await Connection.open(server.url);
  const reply = await connection.send(text);
  connection.close();
  return reply;
}

test("a burst of heavy reads starves nobody and is answered or refused clearly", async () => {
  const flood = stream(server.url, batches(big.token, eventsOf(3, 1_000_000)), 1_000);
  let isOver = false;
  const smallOnes = (async () => {
    const statuses: number[] = [];
    while (!isOver) {
      statuses.push((await send(smallStats())).status);
      await Bun.sleep(50);
    }
    return statuses;
  })();

  const replies = await Promise.all(
    Array.from({ length: burst }, (_, index) => send(heavy(index))),
  );
  isOver = true;
  const acknowledged = await flood.stop();
  const statuses = await smallOnes;

  const outcomes = replies.map(({ status, body, headers }) =>
    status === 200 ? "200" : `${JSON.parse(body).error} ${headers.get("retry-after") ?? "-"}`,
  );
  expect(outcomes).toContain("200");
  // One runs and 64 wait; the rest is refused at once.
  expect(outcomes.filter((one) => one === "UNAVAILABLE 1").length).toBeGreaterThanOrEqual(30);
  const known = new Set(["200", "UNAVAILABLE 1", "QUERY_FAILED -"]);
  expect(outcomes.filter((one) => !known.has(one))).toEqual([]);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(acknowledged).toBeGreaterThan(0);
  expect(memoryOf(server.process.pid).mostMb).toBeLessThan(memoryMbMax);
  expect((await send(heavy(0))).status).toBe(200);
});

test("reads whose clients hang up make room at once", async () => {
  const connections = await Promise.all(
    Array.from({ length: 60 }, () => Connection.open(server.url)),
  );
  const lost = connections.map((connection, index) =>
    connection.send(heavy(index)).catch(() => null),
  );
  await Bun.sleep(100);
  for (const connection of connections) connection.close();
  await Promise.all(lost);
  // Behind 60 reads of some 100 ms it would not have begun within its 5 s.
  expect((await send(heavy(0))).status).toBe(200);
});
