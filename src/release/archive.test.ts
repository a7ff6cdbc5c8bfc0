import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { archiveOf } from "./archive";

const folder = mkdtempSync(join(tmpdir(), "sightline-archive-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("an archive is what tar reads, and has the same bytes whenever and in whatever order it is made", () => {
  const program = { path: "a-1/sightline", bytes: Buffer.alloc(1_000, 7), isExecutable: true };
  const licence = { path: "a-1/LICENSE", bytes: Buffer.from("MIT"), isExecutable: false };
  const archive = archiveOf([program, licence], 1_700_000_000);
  expect(Buffer.from(archiveOf([licence, program], 1_700_000_000)).equals(archive)).toBe(true);
  const file = join(folder, "a.tar.gz");
  writeFileSync(file, archive);
  const listed = Bun.spawnSync(["tar", "--utc", "-tvzf", file]);
  expect(listed.stdout.toString()).toMatch(
    /^-rw-r--r-- 0\/0 +3 2023-11-14 22:13 a-1\/LICENSE\n-rwxr-xr-x 0\/0 +1000 2023-11-14 22:13 a-1\/sightline\n$/,
  );
  const read = Bun.spawnSync(["tar", "-xzOf", file, "a-1/sightline"]);
  expect(read.stdout.equals(program.bytes)).toBe(true);
  expect(() => archiveOf([{ ...licence, path: "a".repeat(101) }], 0)).toThrow("too long");
  expect(() => archiveOf([{ ...licence, path: "a".repeat(100) }], 0)).not.toThrow();
});
