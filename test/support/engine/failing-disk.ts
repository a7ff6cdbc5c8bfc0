import { readdirSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StoreHealth } from "../../../src/store/port";
import { ask, entryOf, numbered, openTestStore } from "./event-store";
import { slowRead } from "./timed-reads";

/** What one run of this script saw: it is started on a small disk, or under a limit to the size of files. */
export interface FailingDiskReport {
  readonly acknowledged: number[];
  readonly refused: { readonly number: number; readonly code: string }[];
  /** Right after the first refusal. */
  readonly failed: StoreHealth;
  readonly readWhileFailed: string;
  /**
   * The time from the end of the trouble to the first event that was stored again, and to health's "ok" without one.
   */
  readonly recoveredMs: number;
  readonly noticedMs: number;
  readonly stored: number[];
  readonly storedAfterRestart: number[];
  /** Bytes that were free, and how many of them the file had when the disk was full of events and nothing else. */
  readonly roomBytes: number;
  readonly roomOfFileBytes: number;
}

const [trouble, dataDir] = process.argv.slice(2);
const ballast = join(dataDir, "ballast");
const limitFiles = (bytes: number | "unlimited"): void => {
  // Only the soft limit, which may be raised again.
  Bun.spawnSync(["prlimit", `--pid=${process.pid}`, `--fsize=${bytes}:unlimited`]);
};
const freeBytes = (): number => {
  const { bavail, bsize } = statfsSync(dataDir);
  return bavail * bsize;
};
const begin = (): void => {
  if (trouble === "disk") {
    try {
      writeFileSync(ballast, Buffer.alloc(freeBytes()));
    } catch (error) {
      // The store wrote meanwhile: then there was less room, and now there is none.
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    }
  } else {
    const sizes = readdirSync(dataDir).map((name) => statSync(join(dataDir, name)).size);
    limitFiles(Math.max(...sizes));
  }
};
const end = (): void => {
  if (trouble === "disk") rmSync(ballast);
  else limitFiles("unlimited");
};

let opened = await openTestStore({ dataDir });
const { store } = opened;
const acknowledged: number[] = [];
const refused: { number: number; code: string }[] = [];
let next = 0;

/** Noise that cannot be compressed into the free room of a page. */
async function append(): Promise<boolean> {
  const number = next++;
  const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(30_000))).toString("base64");
  try {
    await store.append([entryOf([{ ...numbered(number), properties: { number, noise } }])]);
    acknowledged.push(number);
    return true;
  } catch (error) {
    refused.push({ number, code: (error as { code: string }).code });
    return false;
  }
}
async function appendUntil(isStored: boolean): Promise<void> {
  while ((await append()) !== isStored) await Bun.sleep(isStored ? 20 : 0);
}
/** Maintenance looks some twenty times a second how little room is left; events come slower than it looks. */
const eventEveryMs = 10;
/**
 * Resolves with how much the file has grown. The log is copied once it is as large as what is left of the disk: at that
 * moment nothing more is sent until the file rests, so that the time which the copy takes does not count.
 */
async function fillWithEvents(): Promise<number> {
  const fileBytes = (): number => statSync(opened.file).size;
  const bytesBefore = fileBytes();
  const noise = (): string =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(30_000))).toString("base64");
  let hasWaited = false;
  try {
    for (;;) {
      const event = { ...numbered(0), eventId: null, properties: { number: 0, noise: noise() } };
      await opened.store.append([entryOf([event])]);
      await Bun.sleep(eventEveryMs);
      if (hasWaited || statSync(`${opened.file}-wal`).size < freeBytes()) continue;
      hasWaited = true;
      for (let same = 0, before = 0; same < 10; before = fileBytes()) {
        await Bun.sleep(50);
        same = fileBytes() === before ? same + 1 : 0;
      }
    }
  } catch {
    return fileBytes() - bytesBefore;
  }
}
async function since(what: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await what();
  return performance.now() - startedAt;
}

for (let number = 0; number < 20; number++) await append();
begin();
await appendUntil(false);
const failed = store.health();
// Several at once: one group.
await Promise.all(Array.from({ length: 20 }, append));
const readWhileFailed = (await ask(opened, slowRead, { label: "read", ms: 1 })).json;
end();
const recoveredMs = await since(() => appendUntil(true));
begin();
await appendUntil(false);
end();
const noticedMs = await since(async () => {
  while (store.health().storage === "failed") await Bun.sleep(10);
});
const stored = opened.storedNumbers();
opened = await opened.reopen();
const storedAfterRestart = opened.storedNumbers();
const roomBytes = freeBytes();
const roomOfFileBytes = trouble === "disk" ? await fillWithEvents() : 0;
await opened.store.close();
const report: FailingDiskReport = {
  ...{ acknowledged, refused, failed, readWhileFailed, recoveredMs, noticedMs },
  ...{ stored, storedAfterRestart, roomBytes, roomOfFileBytes },
};
process.stdout.write(JSON.stringify(report));
process.exit(0);
