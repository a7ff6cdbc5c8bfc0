import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
    expect(() => lockFolder(dataDir)).toThrow(`Another Sightline server is using ${dataDir}`);
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
  lock.tellAddress("https://stats.example.com", "http://127.0.0.1:3000");
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

test("a lock whose file was deleted or replaced is not whole, and keeps the address of who has it now", () => {
  const file = join(dataDir, "lock.db");
  const told = join(dataDir, "server.json");
  const lock = lockFolder(dataDir);
  expect(lock.isWhole()).toBe(true);
  rmSync(file);
  expect(lock.isWhole()).toBe(false);
  const next = lockFolder(dataDir);
  next.tellAddress("https://next.example.com", "http://127.0.0.1:3000");
  expect([lock.isWhole(), next.isWhole()]).toEqual([false, true]);
  lock.release();
  expect(existsSync(told)).toBe(true);
  expect(next.isWhole()).toBe(true);
  next.release();
  expect(existsSync(told)).toBe(false);
});

test("a command that looks for a server does not keep one from starting", async () => {
  const script = `
    const { serverOn } = await import(${JSON.stringify(join(import.meta.dir, "lock.ts"))});
    serverOn(${JSON.stringify(dataDir)});
    process.stdout.write("looking");
    for (;;) { serverOn(${JSON.stringify(dataDir)}); Bun.sleepSync(1); }`;
  const looker = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "ignore" });
  holders.push(looker);
  await looker.stdout.getReader().read();
  const untilMs = performance.now() + 1_500;
  while (performance.now() < untilMs) {
    lockFolder(dataDir).release();
    // The looker has to get its turn too, or it would only wait for this process.
    await Bun.sleep(2);
  }
  expect(looker.exitCode).toBeNull();
  looker.kill("SIGKILL");
  await looker.exited;
}, 60_000);

test("a file of something else in its place is told, and nobody is told to delete it", () => {
  const folder = mkdtempSync(join(tmpdir(), "sightline-no-lock-"));
  writeFileSync(join(folder, "lock.db"), "not a database\n".repeat(100));
  const refusal = expect(() => lockFolder(folder));
  refusal.toThrow(/cannot lock .* Set DATA_DIR to a folder on a local disk/);
  refusal.not.toThrow(/[Dd]elete/);
  rmSync(folder, { recursive: true });
});
