import { afterAll, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createProject, setUpAccount, userAgent } from "../support/server/account";
import {
  ask,
  executable,
  freePort,
  removeFolder,
  runCommand,
  startServer,
  temporaryFolder,
} from "../support/server/server";

const folder = temporaryFolder();
afterAll(() => removeFolder(folder));

const batches = 80;
const eventsPerBatch = 100;

test("an export that a killed server cut is continued to the file that was never cut", async () => {
  const PORT = String(freePort());
  const start = () => startServer({ dataDir: join(folder, "data"), env: { PORT } });
  const first = await start();
  const key = await setUpAccount(first.url);
  const { token } = await createProject(first.url, key, "shop");
  const text = randomBytes(5_000).toString("base64");
  for (let at = 0; at < batches; at++) {
    const events = Array.from({ length: eventsPerBatch }, (_, index) => ({
      ...{ event: "large", user_id: `u${index}`, properties: { at, text } },
    }));
    const headers = { "User-Agent": userAgent };
    const reply = await ask(first.url, "POST", "/track/batch", headers, { token, events });
    expect(reply.status).toBe(202);
  }
  const env = { SIGHTLINE_API_KEY: key, PORT };
  const parameters = (out: string) => ["export", "--project", "shop", "--out", out];
  const [whole, cut] = ["whole.jsonl", "cut.jsonl"].map((name) => join(folder, name));
  const ofWhole = await runCommand(parameters(whole), { dataDir: folder, env });
  expect([ofWhole.exitCode, ofWhole.output]).toEqual([
    ...[0, expect.stringContaining("8,000 rows, complete")],
  ]);

  const command = Bun.spawn([executable, ...parameters(cut)], { env, stderr: "pipe" });
  while (sizeOf(cut) < 1_000_000) await Bun.sleep(1);
  await first.kill();
  expect([await command.exited, await command.stderr.text()]).toEqual([
    ...[3, expect.stringContaining("Run the same command again: it continues the file.")],
  ]);
  const sizeOfCut = sizeOf(cut);
  expect(sizeOfCut).toBeLessThan(sizeOf(whole));

  const second = await start();
  const again = await runCommand(parameters(cut), { dataDir: folder, env });
  expect([again.exitCode, again.output]).toEqual([
    ...[0, expect.stringContaining("8,000 rows, complete")],
  ]);
  await second.stop();
  const [[headOfWhole, ofWholeFile], [head, ofCutFile]] = [whole, cut].map(partsOf);
  expect(JSON.parse(head)).toMatchObject({ kind: "sightline", project: "shop" });
  expect(Object.keys(JSON.parse(head))).toEqual(Object.keys(JSON.parse(headOfWhole)));
  expect(hashOf(ofCutFile.slice(0, -1))).toBe(hashOf(ofWholeFile.slice(0, -1)));
  const { count, sha256 } = JSON.parse(ofCutFile.at(-1) ?? "");
  const before = `${[head, ...ofCutFile.slice(0, -1)].join("\n")}\n`;
  expect([count, sha256]).toEqual([8_000, createHash("sha256").update(before).digest("hex")]);
});

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
const hashOf = (lines: readonly string[]): string =>
  createHash("sha256").update(lines.join("\n")).digest("hex");

/** The first line, and the others. */
function partsOf(path: string): readonly [head: string, others: readonly string[]] {
  const [head = "", ...others] = readFileSync(path, "utf8").trimEnd().split("\n");
  return [head, others];
}
