import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noonMs, type TestApp, type TestProject, testApp } from "../../../test/support/app/app";

const main = join(import.meta.dir, "..", "..", "main.ts");
const folder = mkdtempSync(join(tmpdir(), "sightline-import-"));
let app: TestApp;
let origin: string;
let blog: TestProject;
beforeAll(async () => {
  app = await testApp();
  await app.makeProject("shop");
  await app.makeProject("list");
  blog = await app.makeProject("blog");
  origin = app.listen();
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

/** Runs the command in a folder of the tests, as a script would. */
async function run(...parameters: readonly string[]) {
  const child = Bun.spawn([process.execPath, main, "import", "--url", origin, ...parameters], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", SIGHTLINE_API_KEY: app.key },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [printed, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, printed, complaint };
}

const day = (n: number) => noonMs - n * 86_400_000;
/** A file of one event for each of the last days, and one that nobody takes. */
function file(name: string, days: number): string {
  const lines = Array.from({ length: days }, (_, n) =>
    JSON.stringify({
      event: "page_view",
      user_id: "ann",
      timestamp: day(n),
      event_id: `${name}-${n}`,
    }),
  );
  const refused = JSON.stringify({ event: "", timestamp: day(1) });
  const text = `${[...lines, refused].join("\n")}\n`;
  writeFileSync(join(folder, name), text);
  return text;
}
const total = async (project: string): Promise<unknown> =>
  ((await app.get(`/stats?project=${project}&since=365d`)).totals as { total_events: number })
    .total_events;
const idIn = (printed: string): string => /imp_\w+/.exec(printed)?.[0] ?? "";

test("a file is checked and its report printed; it is stored with --commit, and not twice", async () => {
  file("shop.jsonl", 14);
  const call = ["shop.jsonl", "--project", "shop"];
  const report = await run(...call);
  expect([report.exitCode, await total("shop")]).toEqual([0, 0]);
  expect(report.printed).toMatch(/Rows\n {2}stored +14\n {2}duplicates +0\n/);
  expect(report.printed).toMatch(/ {2}all +15\n/);
  expect(report.printed).toMatch(/Refused\n {2}\w+ +1 {2}lines 15\n/);
  expect(report.printed).toMatch(/Days\n {2}date +events .*\n(.*\n){5} {2}… 4 more\n(.*\n){5}/);
  expect(report.printed).toContain("run the same command again with --commit");

  const stored = await run(...call, "--commit");
  expect([stored.exitCode, await total("shop")]).toEqual([0, 14]);
  expect(stored.printed).toContain("Done: 14 rows are stored in shop");
  const again = await run(...call, "--commit", "--yes");
  expect([again.exitCode, again.printed]).toEqual([
    ...[0, expect.stringContaining(`is imported already, as ${idIn(stored.printed)}`)],
  ]);
  expect(await total("shop")).toBe(14);

  const removed = await run("--remove", idIn(stored.printed));
  expect([removed.exitCode, removed.printed]).toEqual([
    ...[0, `Removed ${idIn(stored.printed)}: 14 events and 0 days.\n`],
  ]);
  expect(await total("shop")).toBe(0);
});

test("a file whose import stored 0 rows is not said to be there", async () => {
  const text = file("empty.jsonl", 1).replace(/^.*\n/, "");
  writeFileSync(join(folder, "empty.jsonl"), text);
  const call = ["empty.jsonl", "--project", "list", "--commit", "--yes"];
  const id = idIn((await run(...call)).printed);
  const again = await run(...call);
  expect([again.exitCode, again.printed]).toEqual([
    0,
    `This file is imported already, as ${id}, and that import stored 0 rows.\n` +
      `To import the file again, first remove that import: sightline import --remove ${id}\n`,
  ]);
  await run("--remove", id);
});

test("an upload that broke off is continued, and checked by the rules that are named", async () => {
  await app.track(blog, { event: "own", timestamp: noonMs });
  const text = file("blog.jsonl", 3);
  const sha256 = createHash("sha256").update(text).digest("hex");
  const body = { project: "blog", size: text.length, sha256 };
  const { id } = await app.post("/imports", body);
  const part = await app.send("PUT", `/imports/${id}/data?offset=0`, {
    ...{ key: app.key, body: Buffer.from(text.slice(0, 50)) },
  });
  expect(part.status).toBe(200);
  const call = ["blog.jsonl", "--project=blog"];
  const first = await run(...call, "--json");
  expect(first.exitCode).toBe(0);
  expect(JSON.parse(first.printed)).toMatchObject({
    ...{ id, state: "checked", report: { rows: { stored: 2, overlap: 1 } } },
  });
  const other = await run(...call, "--json", "--overlap", "keep");
  expect(JSON.parse(other.printed)).toMatchObject({
    ...{ id, state: "checked", report: { rows: { stored: 3, overlap: 0 } } },
  });
});

test("a file of several parts arrives whole", async () => {
  writeFileSync(join(folder, "large"), Buffer.alloc(8 * 1024 * 1024 + 10));
  const { exitCode, printed, complaint } = await run("large", "--project", "list", "--json");
  expect([exitCode, complaint]).toEqual([1, expect.stringContaining("IMPORT_BROKEN: ")]);
  expect(complaint).toContain("Upload: 8.4 MB of 8.4 MB");
  expect(JSON.parse(printed)).toMatchObject({ state: "failed", received: 8 * 1024 * 1024 + 10 });
  const list = await run("--list", "--project", "list");
  expect([list.exitCode, list.printed]).toEqual([
    ...[0, expect.stringMatching(/^ {2}id +state .*\n {2}imp_\w+ +failed .* large\n$/)],
  ]);
});

describe("the exit code", () => {
  test("is 1 when the server refuses, or where there is no file", async () => {
    file("none.jsonl", 1);
    const none = await run("none.jsonl", "--project", "none");
    expect([none.exitCode, none.complaint]).toEqual([1, expect.stringContaining("NOT_FOUND: ")]);
    const missing = await run("missing.jsonl", "--project", "shop");
    expect([missing.exitCode, missing.complaint]).toEqual([1, "There is no file missing.jsonl.\n"]);
  });

  test("is 2 for wrong usage, with the command's help", async () => {
    for (const wrong of [
      [],
      ["a.jsonl"],
      ["--project", "shop"],
      ["a.jsonl", "b.jsonl", "--project", "shop"],
      ["a.jsonl", "--project", "shop", "--yes"],
      ["a.jsonl", "--list", "--project", "shop"],
      ["--remove", "imp_1", "--commit"],
    ]) {
      const { exitCode, complaint } = await run(...wrong);
      expect([wrong, exitCode, complaint.includes("sightline import")]).toEqual([wrong, 2, true]);
    }
  });

  test("is 2 for a value that the server does not take, before anything is uploaded", async () => {
    file("value.jsonl", 1);
    for (const [option, value] of [
      ["--kind", "access-log"],
      ["--timezone", "Europe/Nowhere"],
      ["--overlap", "maybe"],
      ["--older", "maybe"],
    ] as const) {
      const { exitCode, complaint } = await run("value.jsonl", "--project=list", option, value);
      const says = [complaint.includes("_"), complaint.includes("sightline import")];
      expect([option, exitCode, ...says]).toEqual([option, 2, true, true]);
      expect(complaint).not.toContain("Upload");
    }
  });

  test("is 3 when the server cannot be reached", async () => {
    file("away.jsonl", 1);
    const away = ["--url=http://127.0.0.1:9", "away.jsonl", "--project", "shop"];
    const child = Bun.spawn([process.execPath, main, "import", ...away], {
      ...{ cwd: folder, stderr: "ignore" },
      env: { SIGHTLINE_API_KEY: app.key },
    });
    expect(await child.exited).toBe(3);
  });
});
