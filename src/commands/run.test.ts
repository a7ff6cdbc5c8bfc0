import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../version";
import { commands } from "./list";

const root = mkdtempSync(join(tmpdir(), "sightline-run-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const main = join(import.meta.dir, "..", "main.ts");

/** Runs the program as a person would, in a folder where a `data` stands. */
function run(parameters: readonly string[], dataDir = join(root, "none")) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, main, ...parameters], {
    cwd: root,
    env: { PATH: process.env.PATH ?? "", DATA_DIR: dataDir },
    stdin: "ignore",
  });
  return { exitCode, printed: stdout.toString(), complaint: stderr.toString() };
}

const callsOf = (text: string): string[] =>
  [...text.matchAll(/^ {2}sightline ([\w-]+)/gm)].map(([, name = ""]) => name);

describe("without a command", () => {
  test("the program prints the help, exits 2 and makes nothing", () => {
    const { exitCode, printed, complaint } = run([]);
    expect([exitCode, printed]).toEqual([2, ""]);
    expect(complaint).toContain(`Sightline ${version}`);
    expect(new Set(callsOf(complaint))).toEqual(
      new Set([...commands.map(({ name }) => name), "help"]),
    );
    expect(existsSync(join(root, "none"))).toBe(false);
  });
});

describe("help", () => {
  test.each([[["help"]], [["--help"]], [["-h"]], [["help", "help"]]])("%j is of all", (asked) => {
    const { exitCode, printed } = run(asked);
    expect([exitCode, new Set(callsOf(printed)).size]).toEqual([0, commands.length + 1]);
  });

  test("of a command is its own, however it is asked for", () => {
    for (const { name } of commands) {
      const { exitCode, printed } = run(["help", name]);
      expect([name, exitCode, new Set(callsOf(printed))]).toEqual([name, 0, new Set([name])]);
    }
    const asked = run(["help", "doctor"]);
    for (const parameters of [
      ["doctor", "--help"],
      ["doctor", "-h"],
      ["doctor", "x", "--help"],
    ]) {
      expect(run(parameters)).toEqual(asked);
    }
  });
});

test.each([
  [["sevre"]],
  [["help", "sevre"]],
  [["help", "doctor", "more"]],
  [["serve", "--port", "80"]],
  [["serve", "--standby", "--standby"]],
  [["setup"]],
  [["setup", "--email", "bad"]],
  [["password", "me@example.com"]],
  [["password", "--email=bad"]],
  [["backup"]],
  [["backup", "one", "two"]],
  [["move", "--to", "mars"]],
  [["clock", "now"]],
  [["doctor", "--fast"]],
  [["version", "more"]],
])("%j is wrong usage: help on standard error, and exit 2", (parameters) => {
  const { exitCode, printed, complaint } = run(parameters);
  expect([exitCode, printed]).toEqual([2, ""]);
  expect(complaint).toMatch(/^\S.*\.\n\n/);
  expect(callsOf(complaint).length).toBeGreaterThan(0);
});

describe("doctor --json", () => {
  test("prints one object, and the exit code says whether all is well", () => {
    const { exitCode, printed } = run(["doctor", "--json"]);
    const report = JSON.parse(printed);
    expect(exitCode).toBe(1);
    expect(report).toMatchObject({ version, bun: Bun.version, ok: false });
    expect(report.checks).toEqual([
      { name: "configuration", ok: true, message: expect.stringContaining("listens on") },
      { name: "data folder", ok: false, message: expect.stringContaining("does not exist") },
    ]);
  });

  test("of a whole folder is well", () => {
    const dataDir = join(root, "whole");
    expect(run(["setup", "--email", "me@example.com"], dataDir).exitCode).toBe(0);
    const { exitCode, printed } = run(["doctor", "--json"], dataDir);
    const report = JSON.parse(printed);
    expect([exitCode, report.ok]).toEqual([0, true]);
    expect(report.checks.every(({ ok }: { ok: boolean }) => ok)).toBe(true);
    expect(printed).toEndWith("}\n");
  });
});

test("clock --accept says what was confirmed, and what it does to a server", () => {
  const dataDir = join(root, "clock");
  expect(run(["setup", "--email", "me@example.com"], dataDir).exitCode).toBe(0);
  const { exitCode, printed } = run(["clock", "--accept"], dataDir);
  expect(exitCode).toBe(0);
  expect(printed).toMatch(
    /^You confirmed that it is \S+Z\. A server that runs on this folder trusts its clock within a minute\.\n$/,
  );
  expect(run(["clock", "--now"], dataDir).complaint).toStartWith(
    "This command takes only --accept, at most once. Set everything else by environment variables.\n",
  );
});

test("a file in place of the data folder is told in one sentence by every command", () => {
  const file = join(root, "file");
  writeFileSync(file, "");
  mkdirSync(join(root, "copies"));
  for (const parameters of [
    ["serve"],
    ["setup", "--email", "me@example.com"],
    ["password", "--email", "me@example.com"],
    ["backup", join(root, "copies", "one")],
  ]) {
    const { exitCode, complaint } = run(parameters, file);
    expect([exitCode, complaint]).toEqual([
      1,
      `${file} is not a folder. Set DATA_DIR to the folder of the server.\n`,
    ]);
  }
});
