import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { makeDrillFolder, removeLeftDrills } from "./drill-folder";

const folder = mkdtempSync(join(tmpdir(), "drill-folders-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the folders of drills that were killed are removed, and nobody else's", async () => {
  removeLeftDrills(join(folder, "none"), "a1");
  const own = basename(makeDrillFolder(folder, "a1"));
  const killed = Bun.spawn(["true"]);
  await killed.exited;
  const left = join(folder, `sightline-drill-a1-${killed.pid}-x`);
  mkdirSync(left);
  writeFileSync(join(left, "events.db"), "");
  const others = [`sightline-drill-b2-${killed.pid}-x`, "mine"];
  for (const name of others) mkdirSync(join(folder, name));
  removeLeftDrills(folder, "a1");
  expect(readdirSync(folder).sort()).toEqual([own, ...others].sort());
});
