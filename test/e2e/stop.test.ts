import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomFrom, randomSeed } from "../support/random/random";
import { createProject, setUpAccount, userAgent } from "../support/server/account";
import { Connection, ConnectionLost, requestText } from "../support/server/connection";
import { removeFolder, startServer, temporaryFolder } from "../support/server/server";
import { lookInto } from "./events-file";
import { faultsIn, storedEvents } from "./verify";
import { type Sent, startWorkload } from "./workload";

/** Requests that never end would be waited for this long: everybody here reads what is answered. */
const waitForNobodyMs = 20_000;

const dataDir = temporaryFolder();
let key = "";

beforeAll(async () => {
  const server = await startServer({ dataDir });
  key = await setUpAccount(server.url);
  await server.stop();
});
afterAll(() => removeFolder(dataDir));

test("SIGTERM under load: what was read is committed and answered, then exit 0", async () => {
  const random = randomFrom(randomSeed());
  for (const name of ["first", "second", "third"]) {
    const server = await startServer({ dataDir });
    const project = await createProject(server.url, key, name);
    const workload = await startWorkload(server.url, project, random.seed);
    while (!workload.sent.some(({ answeredAtMs }) => answeredAtMs !== null)) await Bun.sleep(5);
    await Bun.sleep(random.between(100, 600));
    const signalledAtMs = performance.now();
    expect(await server.stop()).toBe(0);
    expect(performance.now() - signalledAtMs).toBeLessThan(waitForNobodyMs);
    await workload.stop();

    const counted = lookInto(dataDir, (file) => file.automatedOf(project.id));
    expect(counted.requests).toBe(acknowledgedAutomated(workload.sent).length);

    const again = await startServer({ dataDir });
    expect(faultsIn(workload.sent, await storedEvents(again.url, key, project))).toEqual([]);
    // What was sent before a request that had its answer at the signal was read with it, and so it has an answer too.
    const readUntilMs = workload.sent
      .filter(({ answeredAtMs }) => answeredAtMs !== null && answeredAtMs < signalledAtMs)
      .reduce((latest, { sentAtMs }) => Math.max(latest, sentAtMs ?? 0), 0);
    expect(readUntilMs).toBeGreaterThan(0);
    const unanswered = workload.sent.filter(
      ({ outcome, sentAtMs }) => outcome === "unknown" && (sentAtMs ?? 0) < readUntilMs,
    );
    expect(unanswered).toEqual([]);
    await again.stop();
  }
});

test("after SIGTERM a new request is answered 503 or finds no server, and is not stored", async () => {
  const server = await startServer({ dataDir });
  const project = await createProject(server.url, key, "late");
  const connection = await Connection.open(server.url);
  const track = (number: number): string =>
    requestText(
      "POST",
      "/track",
      { "User-Agent": userAgent },
      JSON.stringify({ token: project.token, event: "late", properties: { number } }),
    );
  expect((await connection.send(track(0))).status).toBe(202);

  server.process.kill("SIGTERM");
  const statuses: number[] = [];
  for (let number = 1; ; number++) {
    try {
      const line = connection.isClosed ? await Connection.open(server.url) : connection;
      statuses.push((await line.send(track(number))).status);
    } catch (error) {
      if (!(error instanceof ConnectionLost) && !isRefused(error)) throw error;
      break;
    }
  }
  expect(await server.process.exited).toBe(0);

  const again = await startServer({ dataDir });
  const rows = await storedEvents(again.url, key, project);
  const acknowledged = statuses.filter((status) => status === 202).length;
  expect(rows.length).toBe(1 + acknowledged);
  expect(statuses.filter((status) => status !== 202 && status !== 503)).toEqual([]);
  await again.stop();
});

/** Requests of the last moment count as well: stopping writes what was gathered in memory. */
const acknowledgedAutomated = (sent: readonly Sent[]): Sent[] =>
  sent.filter(({ kind, outcome }) => kind === "automated" && outcome === "acknowledged");

const isRefused = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
