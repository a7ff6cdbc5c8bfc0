import { afterAll, beforeAll, expect, test } from "bun:test";
import { memoryOf } from "../../load/memory";
import { createProject, type Project, setUpAccount, userAgent } from "../../support/server/account";
import {
  ask,
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../../support/server/server";

/** As many events as one result may have rows, each with as many names of its own as its bytes hold. */
const events = 500;
const keysOfEach = 650;
const batchSize = 20;
/** All columns of all rows together took ten seconds and 2.5 GB. */
const waitMsMax = 4_000;
const memoryMbMax = 900;

const dataDir = temporaryFolder();
let server: Server;
let key: string;
let shop: Project;
beforeAll(async () => {
  server = await startServer({
    dataDir,
    wrapper: ["prlimit", `--data=${memoryMbMax * 1024 * 1024}`],
  });
  key = await setUpAccount(server.url);
  shop = await createProject(server.url, key, "shop");
  for (let batch = 0; batch < events / batchSize; batch++) {
    const sent = Array.from({ length: batchSize }, (_, at) => wideEvent(batch * batchSize + at));
    const body = { token: shop.token, events: sent };
    const { status } = await ask(server.url, "POST", "/track/batch", headers, body);
    expect(status).toBe(202);
  }
});
afterAll(async () => {
  await server.kill();
  removeFolder(dataDir);
});

const headers = { "User-Agent": userAgent };

const wideEvent = (number: number) => ({
  ...{ event: "odd", user_id: "u", session_id: "s" },
  properties: Object.fromEntries(
    Array.from({ length: keysOfEach }, (_, at) => [`${number.toString(36)}_${at.toString(36)}`, 1]),
  ),
});

/** Asks something small again and again while the work goes on, and returns the longest wait for an answer. */
async function longestWaitMs(work: Promise<unknown>): Promise<number> {
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  let longest = 0;
  while (!isOver) {
    const started = performance.now();
    const { status } = await ask(server.url, "GET", "/health/ready");
    expect(status).toBe(200);
    longest = Math.max(longest, performance.now() - started);
    await Bun.sleep(5);
  }
  return longest;
}

const tool = (name: string, args: object) =>
  ask(
    server.url,
    "POST",
    "/mcp",
    { ...headers, "X-API-Key": key },
    {
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name, arguments: { project: "shop", max_rows: 500, ...args } },
    },
  );
/** `project` is one of the operation's arguments. */
const lookUp = {
  ...{ project: undefined, operation: "lookUpEvents" },
  arguments: { project: "shop", user_id: "u", limit: 1_000 },
};
const get = (path: string) => ask(server.url, "GET", path, { ...headers, "X-API-Key": key });

test.each([
  ["the tool events", () => tool("events", { limit: 1_000 })],
  ["the tool journey", () => tool("journey", { user_id: "u", limit: 1_000 })],
  ["the tool live", () => tool("live", { window: 300 })],
  ["more_reads", () => tool("more_reads", lookUp)],
  ["the CSV of events", () => get("/events?project=shop&limit=1000&format=csv")],
] as const)("events with names of their own hold nobody up: %s", async (what, work) => {
  const started = performance.now();
  const answer = work();
  const longest = await longestWaitMs(answer);
  const took = performance.now() - started;
  const { status, body } = await answer;
  expect([status, body.includes('"isError":true')]).toEqual([200, false]);
  const { mostMb } = memoryOf(server.process.pid);
  const figures = [took, longest, mostMb].map(Math.round).join(" / ");
  process.stderr.write(`${what}: ms, longest wait of others in ms, most MB: ${figures}\n`);
  expect(longest).toBeLessThan(waitMsMax);
  expect(mostMb).toBeLessThan(memoryMbMax);
});
