import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hourMs } from "../../src/lib/clock";
import { randomFrom, randomSeed } from "../support/random/random";
import { createProject, type Project, setUpAccount, userAgent } from "../support/server/account";
import {
  ask,
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";

const rounds = 6;
const batches = 10;
const eventsPerBatch = 100;
/** Longer than an erasure of so few events takes on an idle machine. */
const killedAfterMsMax = 60;

const random = randomFrom(randomSeed());
const dataDir = temporaryFolder();
/** A start an hour later needs nothing of what was replaced before. */
const earlier = { CLOCK_OFFSET_MS: String(-2 * hourMs) };
let key = "";

beforeAll(async () => {
  process.stdout.write(`kill -9 rounds of erasures: SEED=${random.seed}\n`);
  const server = await startServer({ dataDir, env: earlier });
  key = await setUpAccount(server.url);
  await server.stop();
});
afterAll(() => removeFolder(dataDir));

interface Erasure {
  readonly state: string;
  readonly hidden_at: string | null;
}
const send = async <Answer>(
  server: Server,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: Answer }> => {
  const headers = { "X-API-Key": key, "User-Agent": userAgent };
  const answer = await ask(server.url, method, path, headers, body);
  return { status: answer.status, body: JSON.parse(answer.body) };
};

test("kill -9 while people are erased: what began goes on at the start, and takes nobody else", async () => {
  const people: string[] = [];
  for (let round = 1; round <= rounds; round++) {
    const person = `person-of-round-${round}-`;
    const project = await eraseAndKill(person, round);
    const server = await startServer({ dataDir, env: earlier });
    const isBegun = await untilAllHidden(server);
    const lookup = { project: project.name, user_id: person };
    const left = await send<{ count: number }>(server, "POST", "/events/lookup", lookup);
    const others = { project: project.name, user_id: "somebody" };
    const all = await send<{ count: number }>(server, "POST", "/events/lookup", {
      ...{ ...others, limit: 1_000 },
    });
    expect([round, all.body.count]).toEqual([round, (batches * eventsPerBatch) / 2]);
    if (isBegun >= people.length + 1) {
      people.push(person);
      expect([round, left.body.count]).toEqual([round, 0]);
    } else expect(left.body.count).toBeGreaterThan(0);
    await server.kill();
  }
  expect(people.length).toBeGreaterThan(0);
  const server = await startServer({ dataDir });
  await until(async () => (await erasures(server)).every(({ state }) => state === "done"));
  expect(await server.stop()).toBe(0);
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true });
  for (const file of files.filter((one) => one.isFile())) {
    const bytes = readFileSync(join(file.parentPath, file.name)).toString("latin1");
    expect([file.name, people.filter((person) => bytes.includes(person))]).toEqual([file.name, []]);
  }
}, 300_000);

const erasures = async (server: Server): Promise<readonly Erasure[]> =>
  (await send<{ erasures: readonly Erasure[] }>(server, "GET", "/people/erasures")).body.erasures;

/** Returns how many erasures have begun. */
async function untilAllHidden(server: Server): Promise<number> {
  await until(async () => (await erasures(server)).every(({ hidden_at: at }) => at !== null));
  return (await erasures(server)).length;
}
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 30_000; tries++) {
    if (await isSo()) return;
    await Bun.sleep(5);
  }
  throw new Error("It did not become so in time.");
}

async function eraseAndKill(person: string, round: number): Promise<Project> {
  const server = await startServer({ dataDir, env: earlier });
  const project = await createProject(server.url, key, `round-${round}`);
  for (let batch = 0; batch < batches; batch++) {
    const events = Array.from({ length: eventsPerBatch }, (_, at) => ({
      ...{ event: "visit", token: project.token, session_id: `s${at % 7}` },
      user_id: at % 2 === 0 ? person : "somebody",
      properties: { note: at % 2 === 0 ? `${person}note ${at}` : "nothing" },
    }));
    expect((await send(server, "POST", "/track/batch", { events })).status).toBe(202);
  }
  const before = (await erasures(server)).length;
  const body = { project: project.name, user_id: person };
  const preview = await send<{ confirm: string }>(server, "POST", "/people/erase", body);
  const { confirm } = preview.body;
  const erasing = send(server, "POST", "/people/erase", { ...body, dry_run: false, confirm });
  const answered = erasing.then(
    () => undefined,
    () => undefined,
  );
  // Every other time the kill comes after the erasure was noted.
  if (round % 2 === 0) await until(async () => (await erasures(server)).length > before);
  await Bun.sleep(random.below(killedAfterMsMax));
  await server.kill();
  await answered;
  return project;
}
