import { expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { executable } from "../support/server/server";

test("dist holds executables, a release, and nothing else", () => {
  const folder = dirname(executable);
  const names = readdirSync(folder).filter((name) => name !== "release");
  expect(names).toContain("sightline");
  // `npm run build:all` makes one for each target.
  expect(names.filter((name) => !/^sightline(-[a-z0-9-]+)?(\.exe)?$/.test(name))).toEqual([]);
  for (const name of names) expect(statSync(join(folder, name)).mode & 0o111).not.toBe(0);
});
