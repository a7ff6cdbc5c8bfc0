import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openToOthers, takeRightsOfOthers } from "./private-files";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sightline-rights-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, mode: number): string => {
  const path = join(folder, name);
  writeFileSync(path, "");
  chmodSync(path, mode);
  return path;
};
const modeOf = (path: string): number => statSync(path).mode & 0o777;

test("a folder of an earlier version and what is in it become its user's alone", () => {
  chmodSync(folder, 0o755);
  const files = ["control.db", "events.db", "events.db-wal", "lock.db", "replays.db-shm"];
  const paths = files.map((name) => write(name, 0o644));
  expect(openToOthers(folder)).toEqual([
    `${folder} (0755)`,
    ...paths.map((path) => `${path} (0644)`),
  ]);
  takeRightsOfOthers(folder);
  expect(openToOthers(folder)).toEqual([]);
  expect([modeOf(folder), ...paths.map(modeOf)]).toEqual([0o700, ...paths.map(() => 0o600)]);
});

test("a right that was missing is not given", () => {
  const path = write("events.db", 0o444);
  takeRightsOfOthers(folder);
  expect(modeOf(path)).toBe(0o400);
});

test("a folder that others keep things in is left as it is, and named", () => {
  chmodSync(folder, 0o755);
  const [theirs, ours] = [write("index.html", 0o644), write("control.db", 0o644)];
  takeRightsOfOthers(folder);
  expect([modeOf(folder), modeOf(theirs), modeOf(ours)]).toEqual([0o755, 0o644, 0o600]);
  expect(openToOthers(folder)).toEqual([`${folder} (0755)`]);
});
