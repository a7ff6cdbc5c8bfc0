import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomFrom, randomSeed } from "../support/random/random";
import { createProject, type Project, setUpAccount, userAgent } from "../support/server/account";
import {
  ask,
  removeFolder,
  runCommand,
  startServer,
  temporaryFolder,
} from "../support/server/server";

const rounds = 16;
const segmentsPerReplay = 6;
const random = randomFrom(randomSeed());
const dataDir = temporaryFolder();
const agent = { "User-Agent": userAgent };
let key = "";
let project: Project;

/** What the server has acknowledged of one replay. */
interface Known {
  readonly segments: Set<number>;
  isFinished: boolean;
  deletion: "none" | "sent" | "acknowledged";
}
const known = new Map<string, Known>();

beforeAll(async () => {
  process.stdout.write(`kill -9 rounds of recordings: SEED=${random.seed}\n`);
  const server = await startServer({ dataDir });
  key = await setUpAccount(server.url);
  project = await createProject(server.url, key, "recorded");
  const body = { project: project.name };
  expect(
    (await ask(server.url, "POST", "/replays/enable", { "X-API-Key": key }, body)).status,
  ).toBe(200);
  await server.stop();
});
afterAll(() => removeFolder(dataDir));

test("kill -9 amid commits, seals and erasures: what was acknowledged is there, what was deleted is not", async () => {
  let checked = 0;
  const deleted = (): Known[] => [...known.values()].filter(isErased);
  // A busy machine comes as far as a deletion more seldom.
  for (let round = 0; round < rounds || (deleted().length === 0 && round < 4 * rounds); round++) {
    const server = await startServer({ dataDir });
    const visitors = Array.from({ length: 8 }, (_, visitor) =>
      record(server.url, `round-${round}-${visitor}`).catch(ended),
    );
    await Bun.sleep(random.between(100, 1_200));
    await server.kill();
    await Promise.all(visitors);
    const again = await startServer({ dataDir });
    checked += await verify(again.url, known);
    await expectErased(again.url);
    expect(await again.stop()).toBe(0);
    expectFiles();
  }
  expect(checked).toBeGreaterThan(rounds);
  expect(deleted().length).toBeGreaterThan(0);
}, 600_000);

test("SIGTERM while sessions are recorded: what was acknowledged is there, and it stops in order", async () => {
  for (let round = 0; round < 4; round++) {
    const before = known.size;
    const server = await startServer({ dataDir });
    const visitors = Array.from({ length: 8 }, (_, visitor) =>
      record(server.url, `stopped-${round}-${visitor}`).catch(refused),
    );
    while (known.size === before) await Bun.sleep(5);
    await Bun.sleep(random.between(200, 1_200));
    expect(await server.stop()).toBe(0);
    await Promise.all(visitors);
    expect(server.output()).not.toMatch(/"level":"(?:warn|error)"/);
    // A regular stop has copied everything into the database, and the next start has no log to read.
    expect(readdirSync(dataDir)).not.toContain("replays.db-wal");
    const again = await startServer({ dataDir });
    await verify(again.url, known);
    await expectErased(again.url);
    expect(await again.stop()).toBe(0);
    expectFiles();
  }
});

test("a backup that is taken while sessions are recorded has all of it, and a start on it shows that", async () => {
  const before = new Map(known);
  const server = await startServer({ dataDir });
  let isOver = false;
  const visitors = Array.from({ length: 4 }, (_, visitor) =>
    record(server.url, `meanwhile-${visitor}`, () => isOver),
  );
  const folder = temporaryFolder();
  const copy = join(folder, "copy");
  const copied = await runCommand(["backup", copy], { dataDir });
  isOver = true;
  await Promise.all(visitors);
  await server.kill();
  expect([copied.exitCode, copied.output]).toEqual([0, copied.output]);
  const checked = await runCommand(["doctor"], { dataDir: copy });
  expect(checked.output).toMatch(/ok +recordings: [1-9]\d* closed recordings/);
  expect(checked.exitCode).toBe(0);
  const restored = await startServer({ dataDir: copy });
  expect(await verify(restored.url, before)).toBeGreaterThan(rounds);
  expect(await restored.stop()).toBe(0);
  removeFolder(folder);
});

test("doctor tells of a closed recording that is damaged, and of one that is gone", async () => {
  // A kill may leave a file of no closed recording; the next start removes it.
  expect(await (await startServer({ dataDir })).stop()).toBe(0);
  const folder = join(dataDir, "replays");
  const path = join(folder, readdirSync(folder)[0] ?? "");
  const whole = readFileSync(path);
  const doctor = async () => {
    const { exitCode, output } = await runCommand(["doctor"], { dataDir });
    return [exitCode, /(\w+) +recordings: (.*)/.exec(output)?.slice(1)];
  };
  const [code, said] = await doctor();
  expect([code, said]).toEqual([0, ["ok", expect.stringContaining("closed recordings")]]);
  const broken = Buffer.from(whole);
  broken[broken.length >> 1] ^= 1;
  for (const content of [whole.subarray(1), broken, null]) {
    if (content === null) rmSync(path);
    else writeFileSync(path, content);
    expect(await doctor()).toEqual([
      1,
      ["problem", expect.stringMatching(/^1 files .* are missing or damaged/)],
    ]);
  }
  writeFileSync(path, whole);
  expect((await doctor())[0]).toBe(0);
});

/** Short replays one after another: started, filled, finished, and every third deleted. */
async function record(url: string, visitor: string, isOver = () => false): Promise<void> {
  for (let count = 0; !isOver(); count++) {
    const session = { token: project.token, session_id: `${visitor}-${count}` };
    const started = await post(url, "/replays/ingest/start", session, 201);
    const id = String(started.replay_id);
    const entry: Known = { segments: new Set(), isFinished: false, deletion: "none" };
    known.set(id, entry);
    const upload_token = started.upload_token;
    for (let seq = 0; seq < segmentsPerReplay; seq++) {
      const body = { upload_token, seq, events: eventsOf(seq) };
      await post(url, `/replays/ingest/${id}/segments`, body, 202);
      entry.segments.add(seq);
    }
    await post(url, `/replays/ingest/${id}/finish`, { upload_token }, 202);
    entry.isFinished = true;
    if (count % 3 !== 0) continue;
    entry.deletion = "sent";
    const answer = await ask(url, "DELETE", `/replays/${id}`, owner());
    if (answer.status !== 202) throw new Error(`DELETE: ${answer.status} ${answer.body}`);
    entry.deletion = "acknowledged";
  }
}

async function post(url: string, path: string, body: unknown, status: number) {
  const answer = await ask(url, "POST", path, agent, body);
  if (answer.status !== status) throw new Error(`${path}: ${answer.status} ${answer.body}`);
  return JSON.parse(answer.body);
}

/** The connection ended; anything else is a fault. */
function ended(error: unknown): void {
  const text = error instanceof Error ? `${error.name} ${error.message}` : "";
  if (!/ECONNREFUSED|ConnectionLost|connection|Failed to connect/i.test(text)) throw error;
}

/** The connection ended, or the server said that it stops. */
function refused(error: unknown): void {
  if (!(error instanceof Error && error.message.includes(": 503 "))) ended(error);
}

const sizeOf = (seq: number): number => 2 + seq * 30;
const eventsOf = (seq: number) => {
  const timestamp = Date.now();
  const node = { type: 0, id: 1, childNodes: [] };
  const snapshot = { type: 2, timestamp, data: { node, initialOffset: { top: 0, left: 0 } } };
  const moved = { source: 3, id: 1, x: 0, y: seq };
  const scroll = { type: 3, timestamp, data: moved };
  return [snapshot, ...Array(sizeOf(seq) - 1).fill(scroll)];
};

/** Returns how many segments it found. None is half there, acknowledged or not. */
async function verify(url: string, expected: ReadonlyMap<string, Known>): Promise<number> {
  let found = 0;
  for (const [id, { segments, isFinished, deletion }] of expected) {
    const opened = await ask(url, "POST", `/replays/${id}/open`, owner());
    // A deletion whose answer was not received may have happened or not.
    if (deletion === "sent" && opened.status !== 200) continue;
    if (segments.size === 0 && opened.status !== 200) continue;
    expect([id, opened.status]).toEqual([id, deletion === "acknowledged" ? 409 : 200]);
    if (opened.status !== 200) continue;
    const { viewer_url, replay } = JSON.parse(opened.body);
    if (isFinished) expect([id, replay.status]).toEqual([id, "complete"]);
    const { pathname } = new URL(viewer_url);
    const data = JSON.parse((await ask(url, "GET", `${pathname}/data`)).body);
    const stored = new Map<number, number>();
    for (const { seq, events } of data.segments) stored.set(seq, events.length);
    for (const [seq, count] of stored) expect([id, seq, count]).toEqual([id, seq, sizeOf(seq)]);
    expect([id, ...segments].filter((seq) => seq !== id && !stored.has(Number(seq)))).toEqual([]);
    found += segments.size;
  }
  return found;
}

/** What was deleted leaves its summary, and no file stays that is of no closed replay. */
async function expectErased(url: string): Promise<void> {
  const deleted = [...known].filter(([, entry]) => isErased(entry)).map(([id]) => id);
  const states = (): Promise<unknown[]> => Promise.all(deleted.map((id) => statusOf(url, id)));
  const deadline = performance.now() + 50_000;
  while ((await states()).some((one) => one !== "deleted") && performance.now() < deadline) {
    await Bun.sleep(50);
  }
  expect((await states()).filter((one) => one !== "deleted")).toEqual([]);
}

const isErased = ({ deletion }: Known): boolean => deletion === "acknowledged";
const owner = () => ({ "X-API-Key": key });
const statusOf = async (url: string, id: string): Promise<unknown> =>
  JSON.parse((await ask(url, "GET", `/replays/${id}`, owner())).body).status;

/** Compared with the table: a file for each closed replay, nothing else. */
function expectFiles(): void {
  const db = new Database(join(dataDir, "replays.db"), { readonly: true });
  const rows = db.query("select number from replay where is_sealed = 1").values();
  const left = db.query(
    "select count(*) from segment join replay on number = replay where status = 'deleted'",
  );
  expect(left.values()).toEqual([[0]]);
  db.close();
  // The folder is made for the first of them.
  const folder = join(dataDir, "replays");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  expect(names.sort()).toEqual(rows.map(([number]) => String(number)).sort());
}
