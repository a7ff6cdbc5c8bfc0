import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DiskLinks } from "./disk-links";
import { DiskLookup } from "./disk-lookup";

const folder = mkdtempSync(join(tmpdir(), "sightline-scratch-"));
const path = join(folder, "scratch");
afterAll(() => rmSync(folder, { recursive: true }));

test("a lookup has the values of a key in the order in which they came, and leaves no file", () => {
  writeFileSync(path, "what a process that was killed left");
  const lookup = new DiskLookup(path);
  for (const [key, value] of [
    ["b", "1"],
    ["a", "2"],
    ["b", "0"],
    ["b", "1"],
  ] as const) {
    lookup.add(key, value);
  }
  expect([lookup.find("a"), lookup.find("b"), lookup.find("c")]).toEqual([
    ["2"],
    ["1", "0", "1"],
    [],
  ]);
  lookup.close();
  expect(existsSync(path)).toBe(false);
});

test("linked ids stand for one, in circles and in long chains", () => {
  const links = new DiskLinks(path);
  expect(links.canonical("a")).toBe("a");
  links.link("a", "b");
  links.link("b", "a");
  links.link("c", "a");
  expect(["a", "b", "c", "d"].map((id) => links.canonical(id))).toEqual(["b", "b", "b", "d"]);
  const length = 5_000;
  for (let at = 0; at < length; at++) links.link(`n${at}`, `n${at + 1}`);
  const ends = Array.from({ length }, (_, at) => links.canonical(`n${at}`));
  expect(new Set(ends)).toEqual(new Set([`n${length}`]));
  links.close();
  expect(existsSync(path)).toBe(false);
});
