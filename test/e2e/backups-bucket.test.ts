import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import S3rver from "s3rver";
import { randomSeed } from "../support/random/random";
import { createProject, setUpAccount } from "../support/server/account";
import { removeFolder, runCommand, startServer, temporaryFolder } from "../support/server/server";
import { storedEvents } from "./verify";
import { startWorkload } from "./workload";

const root = temporaryFolder();
const dataDir = join(root, "data");
const bucket = new S3rver({
  ...{ address: "127.0.0.1", port: 0, silent: true, directory: join(root, "bucket") },
  configureBuckets: [{ name: "copies", configs: [] }],
});
let env: Record<string, string> = {};

beforeAll(async () => {
  const { port } = await bucket.run();
  env = {
    ...{ BACKUP_URL: "s3://copies/of/shop", BACKUP_S3_ENDPOINT: `http://127.0.0.1:${port}` },
    // The account that s3rver has.
    ...{ BACKUP_S3_ACCESS_KEY_ID: "S3RVER", BACKUP_S3_SECRET_ACCESS_KEY: "S3RVER" },
    ...{ BACKUP_KEY: "k".repeat(32), BACKUP_EVERY_S: "5" },
  };
});
afterAll(async () => {
  await bucket.close();
  removeFolder(root);
});

const sightline = (...parameters: string[]) => runCommand(parameters, { dataDir, env });

test("a bucket of a server that is not ours takes points, and a restore from it has all events", async () => {
  const server = await startServer({ dataDir, env });
  const key = await setUpAccount(server.url);
  const project = await createProject(server.url, key, "in-a-bucket");
  const unused = await createProject(server.url, key, "without-events");
  const workload = await startWorkload(server.url, project, randomSeed(), 4);
  // The first point is a whole one, and an increment follows.
  await Bun.sleep(6_500);
  await workload.stop();
  const rows = await storedEvents(server.url, key, project);
  expect(await server.stop()).toBe(0);
  expect(rows.length).toBeGreaterThan(0);

  const listed = await sightline("restore", env.BACKUP_URL, "--list", "--json");
  const { points }: { points: { at: string }[] } = JSON.parse(listed.output);
  expect(points.length).toBeGreaterThan(1);
  const checked = await sightline("restore", env.BACKUP_URL, "--check");
  expect([checked.exitCode, checked.output]).toEqual([0, expect.stringContaining("are whole")]);
  const folder = join(root, "restored");
  const restored = await sightline("restore", env.BACKUP_URL, folder, "--json");
  expect([restored.exitCode, JSON.parse(restored.output).projects]).toEqual([
    0,
    [
      { id: project.id, name: "in-a-bucket", events: rows.length },
      { id: unused.id, name: "without-events", events: 0 },
    ],
  ]);
  const again = await startServer({ dataDir: folder });
  expect(await storedEvents(again.url, key, project)).toEqual(rows);
  await again.stop();
}, 120_000);

test("an account that the bucket does not have is refused with the bucket's own code", async () => {
  const { exitCode, output } = await runCommand(["restore", env.BACKUP_URL, "--list"], {
    dataDir,
    env: { ...env, BACKUP_S3_ACCESS_KEY_ID: "another" },
  });
  expect([exitCode, output]).toEqual([1, expect.stringContaining("InvalidAccessKeyId")]);
});
