import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { dayMs, minuteMs } from "../../src/lib/clock";
import {
  createProject,
  type Project,
  read,
  setUpAccount,
  userAgent,
} from "../support/server/account";
import {
  acceptClock,
  ask,
  launch,
  removeFolder,
  runCommand,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";

/** The folder is used 400 days ago, so that the machine's own clock is 400 days ahead of it. */
const then = { CLOCK_OFFSET_MS: String(-400 * dayMs) };
const days = 20;
const eventsADay = 20;
const folder = temporaryFolder();
const used = join(folder, "used");
let key = "";
let project: Project;

beforeAll(async () => {
  const server = await startServer({ dataDir: used, env: then });
  key = await setUpAccount(server.url);
  project = await createProject(server.url, key, "shop");
  for (let day = 0; day < days; day++) {
    const timestamp = Date.now() - 400 * dayMs - day * dayMs;
    const events = Array.from({ length: eventsADay }, (_, i) => ({
      ...{ token: project.token, event: "visit", timestamp, user_id: `u${i}` },
    }));
    const reply = await ask(server.url, "POST", "/track/batch", sender, { events });
    expect(reply.status).toBe(202);
  }
  expect(await server.stop()).toBe(0);
});
afterAll(() => removeFolder(folder));

const sender = { "User-Agent": userAgent };
const copy = (name: string): string => {
  const dataDir = join(folder, name);
  cpSync(used, dataDir, { recursive: true });
  return dataDir;
};
const track = (server: Server) =>
  ask(server.url, "POST", "/track", sender, { token: project.token, event: "new" });
const eventsSeen = async (server: Server): Promise<number> => {
  const path = "/stats?project=shop&since=3000d";
  const { totals } = await read<{ totals: { total_events: number } }>(server.url, key, path);
  return totals.total_events;
};
const readiness = async (server: Server) => {
  const { status, body } = await ask(server.url, "GET", "/health/ready");
  return [status, JSON.parse(body).checks.clock];
};
/** A server that may never become ready. */
async function startDoubted(dataDir: string, env = {}): Promise<Server> {
  const server = launch({ dataDir, env });
  await until(async () => (await ask(server.url, "GET", "/health").catch(() => null)) !== null);
  return server;
}
async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + minuteMs;
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error("It did not come to be in a minute.");
    await Bun.sleep(20);
  }
}

test("one start with a clock that is 400 days ahead loses nothing", async () => {
  const dataDir = copy("ahead");
  const wrong = await startDoubted(dataDir);
  expect(await readiness(wrong)).toEqual([503, "failed"]);
  const refused = await track(wrong);
  expect([refused.status, JSON.parse(refused.body).reason]).toEqual([503, "clock"]);
  const doctor = await runCommand(["doctor"], { dataDir });
  expect(doctor.output).toContain("problem  clock: The clock says");
  expect(doctor.output).toContain("Problems found: clock.");
  expect(doctor.exitCode).toBe(1);
  // Time for every job, and for what is retired to be swept.
  await Bun.sleep(3_000);
  expect(await wrong.stop()).toBe(0);
  expect(wrong.output().split("the server does not trust the clock").length - 1).toBe(1);

  const right = await startServer({ dataDir, env: then });
  expect(await eventsSeen(right)).toBe(days * eventsADay);
  expect((await track(right)).status).toBe(202);
  expect(await eventsSeen(right)).toBe(days * eventsADay + 1);
  expect(await right.stop()).toBe(0);
  const well = await runCommand(["doctor"], { dataDir, env: then });
  expect([well.exitCode, well.output.includes("ok       clock")]).toEqual([0, true]);
});

test("a server that was off for 400 days goes on once its clock is confirmed, beside it too", async () => {
  const dataDir = copy("off");
  expect((await runCommand(["clock"], { dataDir })).exitCode).toBe(1);
  const server = await startDoubted(dataDir);
  expect(await readiness(server)).toEqual([503, "failed"]);
  // An event whose sender agrees is taken, and makes nobody trust the clock.
  const event = { token: project.token, event: "new", timestamp: Date.now() };
  expect((await ask(server.url, "POST", "/track", sender, event)).status).toBe(202);
  for (const command of ["clock", "doctor"]) {
    const { exitCode } = await runCommand([command], { dataDir });
    expect([command, exitCode]).toEqual([command, 1]);
  }
  expect(await readiness(server)).toEqual([503, "failed"]);
  await acceptClock({ dataDir });
  await until(async () => (await readiness(server))[0] === 200);
  expect((await track(server)).status).toBe(202);
  // Jobs look once a minute: it is the next start that forgets what is due, in this test.
  expect(await server.stop()).toBe(0);
  const again = await startServer({ dataDir });
  await until(async () => (await eventsSeen(again)) === 2);
  expect(await again.stop()).toBe(0);
  expect((await runCommand(["clock"], { dataDir })).exitCode).toBe(0);
});

test("a folder that an earlier version damaged is named, refuses events, and has a way back", async () => {
  const dataDir = copy("damaged");
  const now = Date.now() - 400 * dayMs;
  const db = new Database(join(dataDir, "events.db"));
  db.run("update project set retained_from_ms = ?", [now + 35 * dayMs]);
  db.run("update segment set retired_at = ? where retired_at is null", [now + 400 * dayMs]);
  db.close();
  const doctor = await runCommand(["doctor"], { dataDir, env: then });
  expect([doctor.exitCode, doctor.output.includes("hidden all events before")]).toEqual([1, true]);
  const hiding = await startDoubted(dataDir, then);
  expect([await eventsSeen(hiding), (await track(hiding)).status]).toEqual([0, 503]);
  expect(await hiding.stop()).toBe(0);

  await acceptClock({ dataDir, env: then });
  const mended = await startServer({ dataDir, env: then });
  expect((await track(mended)).status).toBe(202);
  expect(await eventsSeen(mended)).toBe(days * eventsADay + 1);
  expect(await mended.stop()).toBe(0);
  expect((await runCommand(["doctor"], { dataDir, env: then })).exitCode).toBe(0);
});

test("the command refuses what it does not know", async () => {
  const dataDir = copy("wrong-usage");
  const { exitCode: usage } = await runCommand(["clock", "--accept", "now"], { dataDir });
  expect(usage).toBe(2);
  const empty = join(folder, "empty");
  const { exitCode, output } = await runCommand(["clock", "--accept"], { dataDir: empty });
  expect([exitCode, output.includes("contains no Sightline data")]).toEqual([1, true]);
});
