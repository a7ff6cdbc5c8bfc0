import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockFolder, serverOn } from "./lock";

const dataDir = mkdtempSync(join(tmpdir(), "sightline-lock-"));
const holders: Bun.Subprocess[] = [];
afterAll(() => {
  for (const process of holders) process.kill("SIGKILL");
  rmSync(dataDir, { recursive: true, force: true });
});

/** Starts another process that holds the lock until it is killed. */
async function holder() {
  const script = `
    const { lockFolder } = await import(${JSON.stringify(join(import.meta.dir, "lock.ts"))});
    lockFolder(${JSON.stringify(dataDir)});
    Bun.gc(true);
    process.stdout.write("locked");
    setInterval(() => undefined, 1_000);`;
  const process = Bun.spawn([globalThis.process.execPath, "-e", script], {
    stdout: "pipe",
    stderr: "ignore",
  });
  holders.push(process);
  const { value } = await process.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe("locked");
  return process;
}

test("a second process is refused at once, with the folder's name, until the first has died", async () => {
  const first = await holder();
  const tookMs: number[] = [];
  for (let tries = 0; tries < 4; tries++) {
    const startedAt = performance.now();
    expect(() => lockFolder(dataDir)).toThrow(`Another Sightline is running on ${dataDir}`);
    tookMs.push(performance.now() - startedAt);
  }
  // Waiting for the lock, as for a busy database, would take 5 s each time. A busy machine does not slow all of them.
  expect(Math.min(...tookMs)).toBeLessThan(5_000);
  first.kill("SIGKILL");
  await first.exited;
  lockFolder(dataDir).release();
});

test("within one process the lock is released and taken again", () => {
  const lock = lockFolder(dataDir);
  expect(() => lockFolder(dataDir)).toThrow("Another Sightline");
  lock.release();
  lockFolder(dataDir).release();
});

test("whoever asks learns the address of the server that runs on a folder, and of no other", () => {
  const told = join(dataDir, "server.json");
  expect(serverOn(dataDir)).toBeNull();
  const lock = lockFolder(dataDir);
  expect(serverOn(dataDir)).toEqual({ url: null });
  lock.tellAddress("https://stats.example.com");
  expect(serverOn(dataDir)).toEqual({ url: "https://stats.example.com" });
  lock.release();
  expect(serverOn(dataDir)).toBeNull();

  // The file is of a server that was killed, or was made by somebody else.
  writeFileSync(told, '{"url":"https://old.example.com"}');
  expect(serverOn(dataDir)).toBeNull();
  const next = lockFolder(dataDir);
  expect(serverOn(dataDir)).toEqual({ url: null });
  writeFileSync(told, "\u001b[31m");
  expect(serverOn(dataDir)).toEqual({ url: null });
  next.release();
});
