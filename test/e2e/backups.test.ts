import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { randomSeed } from "../support/random/random";
import {
  createProject,
  login,
  ownOrigin,
  type Project,
  setUpAccount,
} from "../support/server/account";
import {
  ask,
  executable,
  removeFolder,
  runCommand,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { eventually } from "../support/suite/eventually";
import { faultsIn, storedEvents } from "./verify";
import { type Sent, startWorkload } from "./workload";

const everyMs = 5_000;
const root = temporaryFolder();
const [dataDir, target] = [join(root, "data"), join(root, "target")];
const env = {
  BACKUP_URL: `file://${target}`,
  BACKUP_EVERY_S: String(everyMs / 1_000),
  BACKUP_KEY: "k".repeat(32),
};
let key = "";
let project: Project;
let restores = 0;

beforeAll(async () => {
  const server = await startServer({ dataDir, env });
  key = await setUpAccount(server.url);
  project = await createProject(server.url, key, "backed-up");
  await server.stop();
});
afterAll(() => removeFolder(root));

test("kill -9 under load: what was acknowledged twice the interval ago is in the backup, once and whole", async () => {
  const server = await startServer({ dataDir, env });
  const workload = await startWorkload(server.url, project, randomSeed());
  await Bun.sleep(2.6 * everyMs);
  const killedAtMs = performance.now();
  await server.kill();
  await workload.stop();
  const safe = (one: Sent): boolean => (one.answeredAtMs ?? killedAtMs) < killedAtMs - 2 * everyMs;
  // The rest may be there or not, but each request whole.
  const promised = workload.sent.map((one) =>
    one.outcome === "acknowledged" && !safe(one) ? { ...one, outcome: "unknown" as const } : one,
  );
  expect(promised.filter(({ outcome }) => outcome === "acknowledged").length).toBeGreaterThan(100);
  await onRestored(async ({ url }) => {
    expect(faultsIn(promised, await storedEvents(url, key, project))).toEqual([]);
  });
}, 120_000);

test("a stop sends the rest: the restored server has all that the stopped one has", async () => {
  const server = await startServer({ dataDir, env });
  const other = await createProject(server.url, key, "stopped");
  const workload = await startWorkload(server.url, other, randomSeed(), 4);
  await Bun.sleep(1_500);
  await workload.stop();
  const rows = await storedEvents(server.url, key, other);
  expect(await server.stop()).toBe(0);
  // Nothing is left in the logs, although a follower held them until the end.
  const logs = readdirSync(dataDir).filter((name) => name.endsWith("-wal"));
  expect(logs.filter((name) => statSync(join(dataDir, name)).size > 0)).toEqual([]);
  await onRestored(async ({ url }) => {
    expect(await storedEvents(url, key, other)).toEqual(rows);
  });
}, 120_000);

test("an administrator sees the backup, makes a point, and has the restore tried", async () => {
  const server = await startServer({ dataDir, env });
  try {
    const admin = await administrator(server.url);
    const [status, made] = await admin("POST", "/admin/backups/run");
    expect([status, made]).toEqual([200, { at: expect.any(String), bytes: expect.any(Number) }]);
    // Once the server is at rest, nothing has changed since the point before.
    await eventually(async () => {
      const again = await admin("POST", "/admin/backups/run");
      expect(again).toEqual([200, { at: expect.any(String), bytes: 0 }]);
    });
    const [, state] = await admin("GET", "/admin/backups");
    expect(state).toMatchObject({ configured: true, target: env.BACKUP_URL, encrypted: true });
    expect(state).toMatchObject({ every_s: everyMs / 1_000, last_error: null });
    // Both at once: a drill of so little data may be over before another request.
    const drills = [1, 2].map(() => admin("POST", "/admin/backups/drill"));
    const statuses = (await Promise.all(drills)).map(([code]) => code);
    expect(statuses.sort()).toEqual([202, 409]);
    const ended = await eventually(async () => {
      const [, { drill }] = await admin("GET", "/admin/backups");
      expect((drill as { state: string }).state).not.toBe("running");
      return drill;
    });
    expect(ended).toMatchObject({ state: "ok", error: null });
    const { body: metrics } = await ask(server.url, "GET", "/metrics");
    expect(metrics).toMatch(/^sightline_backup_lag_seconds [\d.]+$/m);
    expect(metrics).toContain("\nsightline_backup_failures_total 0\n");
    expect(metrics).toMatch(/^sightline_backup_drill_last_success_timestamp_seconds \d/m);
    const drilled = await sightline("drill");
    expect(drilled.output).toMatch(/\d+ reads gave the same answers/);
  } finally {
    await server.stop();
  }
}, 120_000);

test("a moment that is listed can be restored; one before the first cannot", async () => {
  const listed = await sightline("restore", target, "--list", "--json");
  const { points } = JSON.parse(listed.output) as { points: { at: string }[] };
  expect(points.length).toBeGreaterThan(3);
  const folder = newFolder();
  const { exitCode, output } = await sightline(
    "restore",
    target,
    folder,
    "--at",
    points[1].at,
    "--json",
  );
  expect([exitCode, JSON.parse(output).at]).toEqual([0, points[1].at]);
  const early = await sightline("restore", target, newFolder(), "--at", "2020-01-01T00:00:00Z");
  expect([early.exitCode, early.output]).toEqual([1, expect.stringContaining(points[0].at)]);
}, 60_000);

test("a restore that is killed leaves no folder on which a server starts, and can be made again", async () => {
  const folder = newFolder();
  const child = Bun.spawn([executable, "restore", target, folder], {
    env: { ...process.env, ...env },
  });
  while (!existsSync(join(`${folder}.part`, "events.db")) && child.exitCode === null)
    await Bun.sleep(1);
  child.kill("SIGKILL");
  await child.exited;
  if (existsSync(folder)) return;
  const started = await runCommand(["serve"], { dataDir: `${folder}.part`, env: { PORT: "0" } });
  expect([started.exitCode, started.output]).toEqual([1, expect.stringContaining("backup")]);
  expect((await sightline("restore", target, folder)).exitCode).toBe(0);
}, 60_000);

test("a drill that is ended leaves no copy of the data, and one that is killed only until the next", async () => {
  const drillDir = join(root, "drills");
  const drilling = { ...env, BACKUP_DRILL_DIR: drillDir };
  const drills = (): string[] => (existsSync(drillDir) ? readdirSync(drillDir) : []);
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const child = Bun.spawn([executable, "drill"], {
      env: { ...process.env, ...drilling, DATA_DIR: dataDir },
      ...{ stdout: "ignore", stderr: "ignore" },
    });
    while (drills().length === 0 && child.exitCode === null) await Bun.sleep(1);
    child.kill(signal);
    await child.exited;
    if (signal === "SIGTERM") expect(drills()).toEqual([]);
  }
  const { exitCode } = await runCommand(["drill"], { dataDir, env: drilling });
  expect([exitCode, drills()]).toEqual([0, []]);
}, 60_000);

test("without the key, with a damaged object or into a folder in use it refuses, and says what to do", async () => {
  const without = await runCommand(["restore", target, newFolder()], { dataDir });
  expect([without.exitCode, without.output]).toEqual([
    1,
    expect.stringContaining("Set BACKUP_KEY"),
  ]);
  const taken = await sightline("restore", target, dataDir);
  expect([taken.exitCode, taken.output]).toEqual([1, expect.stringContaining("is not empty")]);
  const whole = await sightline("restore", target, "--check");
  expect([whole.exitCode, whole.output]).toEqual([0, expect.stringContaining("are whole")]);
  truncateSync(newestObject(), 10);
  const checked = await sightline("restore", target, "--check");
  expect([checked.exitCode, checked.output]).toEqual([
    2,
    expect.stringContaining("is not what was stored"),
  ]);
  const folder = newFolder();
  const damaged = await sightline("restore", target, folder);
  expect([damaged.exitCode, damaged.output]).toEqual([2, expect.stringContaining("pass --at")]);
  expect([existsSync(folder), existsSync(`${folder}.part`)]).toEqual([false, false]);
}, 60_000);

const sightline = (...parameters: string[]) => runCommand(parameters, { dataDir, env });

type Json = Readonly<Record<string, unknown>>;

/** Returns what asks as the administrator's browser. */
async function administrator(url: string) {
  const { headers } = await ask(url, "POST", "/auth/login", { Origin: ownOrigin }, login);
  const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
  return async (method: string, path: string): Promise<[number, Json]> => {
    const reply = await ask(url, method, path, { Cookie: cookie, Origin: ownOrigin });
    return [reply.status, JSON.parse(reply.body)];
  };
}

const newFolder = (): string => {
  restores += 1;
  return join(root, `restored-${restores}`);
};

/** Restores the newest point, and starts a server on it. */
async function onRestored(work: (server: Server) => Promise<void>): Promise<void> {
  const folder = newFolder();
  const { exitCode, output } = await sightline("restore", target, folder);
  expect([exitCode, output]).toEqual([0, expect.stringContaining("Restored")]);
  const server = await startServer({ dataDir: folder });
  try {
    await work(server);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The object that was written last. */
function newestObject(): string {
  const objects = readdirSync(target, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && one.parentPath.endsWith("data"))
    .map((one) => join(one.parentPath, one.name));
  return objects.sort((left, right) => statSync(right).mtimeMs - statSync(left).mtimeMs)[0];
}
