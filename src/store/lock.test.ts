import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockFolder } from "./lock";
import { StorageRefused } from "./migrate";

const folder = mkdtempSync(join(tmpdir(), "sightline-lock-"));
afterAll(() => rmSync(folder, { recursive: true }));

function refusalOf(dataDir: string): string {
  try {
    lockFolder(dataDir).release();
  } catch (error) {
    if (error instanceof StorageRefused) return error.message;
    throw error;
  }
  return "";
}

test("a data folder has one server at a time, and is made when it is not there", () => {
  const dataDir = join(folder, "deep", "data");
  const lock = lockFolder(dataDir);
  expect(refusalOf(dataDir)).toContain(`Another Sightline is running on ${dataDir}`);
  lock.release();
  expect(refusalOf(dataDir)).toBe("");
});

test("the lock falls with the process that held it", async () => {
  const dataDir = join(folder, "killed");
  const holder = Bun.spawn(
    [
      process.execPath,
      "-e",
      `import { lockFolder } from ${JSON.stringify(join(import.meta.dir, "lock.ts"))};
       lockFolder(${JSON.stringify(dataDir)}); console.log("held"); setInterval(() => {}, 1000);`,
    ],
    { stdout: "pipe" },
  );
  await holder.stdout.getReader().read();
  expect(refusalOf(dataDir)).toContain("Another Sightline");
  holder.kill("SIGKILL");
  await holder.exited;
  expect(refusalOf(dataDir)).toBe("");
});

test("a folder that cannot be used is refused with what to do", () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  expect(refusalOf(file)).toContain("set DATA_DIR");
  const damaged = join(folder, "damaged");
  lockFolder(damaged).release();
  writeFileSync(
    join(damaged, "lock.db"),
    "this is no database, and long enough to be read as one".repeat(20),
  );
  expect(refusalOf(damaged)).not.toBe("");
});
