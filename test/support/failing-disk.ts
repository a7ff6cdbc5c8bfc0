import { readdirSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StoreHealth } from "../../src/store/port";
import { ask, entryOf, numbered, openTestStore } from "./event-store";
import { slowRead } from "./timed-reads";

/** What one run of this script saw: it is started on a small disk, or under a limit to the size of files. */
export interface FailingDiskReport {
  readonly acknowledged: number[];
  readonly refused: { readonly number: number; readonly code: string }[];
  /** Right after the first refusal. */
  readonly failed: StoreHealth;
  readonly readWhileFailed: string;
  /** From the end of the trouble to the first event that was stored again, and to health's "ok" without one. */
  readonly recoveredMs: number;
  readonly noticedMs: number;
  readonly stored: number[];
  readonly storedAfterRestart: number[];
  /** When the disk was full of events, and of nothing else. */
  readonly fileBytesWhenFull: number;
}

const [trouble, dataDir] = process.argv.slice(2);
const ballast = join(dataDir, "ballast");
const limitFiles = (bytes: number | "unlimited"): void => {
  // Only the soft limit, which may be raised again.
  Bun.spawnSync(["prlimit", `--pid=${process.pid}`, `--fsize=${bytes}:unlimited`]);
};
const begin = (): void => {
  if (trouble === "disk") {
    const { bavail, bsize } = statfsSync(dataDir);
    try {
      writeFileSync(ballast, Buffer.alloc(bavail * bsize));
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
async function fillWithEvents(): Promise<number> {
  const noise = (): string =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(30_000))).toString("base64");
  try {
    for (;;) {
      const event = { ...numbered(0), eventId: null, properties: { number: 0, noise: noise() } };
      await opened.store.append([entryOf([event])]);
      // As long as maintenance takes to notice how little room is left.
      await Bun.sleep(2);
    }
  } catch {
    return statSync(opened.file).size;
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
const fileBytesWhenFull = trouble === "disk" ? await fillWithEvents() : 0;
await opened.store.close();
const report: FailingDiskReport = {
  ...{ acknowledged, refused, failed, readWhileFailed, recoveredMs, noticedMs },
  ...{ stored, storedAfterRestart, fileBytesWhenFull },
};
process.stdout.write(JSON.stringify(report));
process.exit(0);
