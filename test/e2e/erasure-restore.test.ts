import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createProject, setUpAccount, userAgent } from "../support/server/account";
import {
  ask,
  executable,
  removeFolder,
  startServer,
  temporaryFolder,
} from "../support/server/server";

const root = temporaryFolder();
const [dataDir, target, restored] = ["data", "target", "restored"].map((name) => join(root, name));
const env = { BACKUP_URL: `file://${target}`, BACKUP_EVERY_S: "5", BACKUP_KEY: "k".repeat(32) };
afterAll(() => removeFolder(root));

const person = "person-who-wants-to-go";

test("a restore of a moment before an erasure has nobody who was erased, and everybody else", async () => {
  let server = await startServer({ dataDir, env });
  const key = await setUpAccount(server.url);
  const project = await createProject(server.url, key, "shop");
  const send = async (path: string, body: object) => {
    const headers = { "X-API-Key": key, "User-Agent": userAgent };
    const answer = await ask(server.url, "POST", path, headers, body);
    expect([path, answer.status < 300]).toEqual([path, true]);
    return JSON.parse(answer.body);
  };
  const events = Array.from({ length: 60 }, (_, at) => ({
    ...{ event: "visit", token: project.token, session_id: `s${at % 9}` },
    ...{ user_id: at % 3 === 0 ? person : "somebody", properties: { note: `note ${at % 3}` } },
  }));
  await send("/track/batch", { events });
  const traits = { plan: `plan of ${person}` };
  const ids = { previous_id: `${person}-before`, user_id: person };
  await send("/identify", { token: project.token, ...ids, traits });
  // A stop sends everything to the target.
  expect(await server.stop()).toBe(0);
  server = await startServer({ dataDir, env });
  const body = { project: "shop", user_id: person };
  const { confirm } = await send("/people/erase", body);
  const erasure = await send("/people/erase", { ...body, dry_run: false, confirm, block: true });
  expect(erasure).toMatchObject({ counts: { ids: 2, events: 20 }, state: "running" });
  expect(erasure.backups_until).not.toBeNull();
  const hiddenAt = new Date(Date.parse(erasure.requested_at) - 1).toISOString();
  await server.kill();

  const restore = Bun.spawnSync(
    [executable, "restore", `file://${target}`, restored, "--at", hiddenAt, "--json"],
    { env: { PATH: process.env.PATH ?? "", BACKUP_KEY: env.BACKUP_KEY } },
  );
  expect([restore.stderr.toString(), restore.exitCode]).toEqual(["", 0]);
  expect(JSON.parse(restore.stdout.toString())).toMatchObject({
    ...{ erasures: 1, projects: [{ events: 60 }] },
  });
  for (const file of readdirSync(restored, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const bytes = readFileSync(join(file.parentPath, file.name)).toString("latin1");
    expect([file.name, bytes.includes(person)]).toEqual([file.name, false]);
  }
  const again = await startServer({ dataDir: restored });
  const headers = { "X-API-Key": key };
  const stats = await ask(again.url, "GET", "/stats?project=shop", headers);
  expect(JSON.parse(stats.body)).toMatchObject({ totals: { total_events: 40 } });
  // The block is newer than the moment, and holds all the same.
  const event = { token: project.token, event: "visit", user_id: person };
  const told = await ask(again.url, "POST", "/track", { "User-Agent": userAgent }, event);
  expect(JSON.parse(told.body)).toMatchObject({ queued: false, reason: "excluded" });
  expect(await again.stop()).toBe(0);
}, 120_000);
