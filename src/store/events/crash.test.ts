import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestStore } from "../../../test/support/engine/event-store";
import { cases } from "../../../test/support/random/cases";
import { type Random, randomFrom, randomSeed } from "../../../test/support/random/random";

const rounds = cases(1, 3);
/** The batches of the load that are acknowledged before the server is killed: a busy machine is slow to reach them. */
const acknowledgedLeast = 60;
const script = join(import.meta.dir, "../../../test/support/engine/endless-load.ts");
const dataDir = mkdtempSync(join(tmpdir(), "sightline-crash-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

interface Batch {
  readonly from: number;
  readonly size: number;
  isAcknowledged: boolean;
}

/** Lets the load run in a process of its own and kills that at a random moment after its first answers. */
async function loadUntilKilled(first: number, random: Random): Promise<Batch[]> {
  const process = Bun.spawn([globalThis.process.execPath, script, dataDir, String(first)], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const batches = new Map<number, Batch>();
  let text = "";
  let acknowledged = 0;
  let isEnding = false;
  for await (const chunk of process.stdout) {
    text += new TextDecoder().decode(chunk);
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const [mark, from, size] = line.split(" ");
      const batch = { from: Number(from), size: Number(size), isAcknowledged: mark === "<" };
      batches.set(batch.from, batch);
      if (batch.isAcknowledged) acknowledged++;
    }
    if (isEnding || acknowledged < acknowledgedLeast) continue;
    isEnding = true;
    setTimeout(() => process.kill("SIGKILL"), random.between(1, 650));
  }
  await process.exited;
  expect(process.signalCode).toBe("SIGKILL");
  return [...batches.values()];
}

test("after kill -9 what was acknowledged is there once, and of each other batch all or nothing", async () => {
  const random = randomFrom(randomSeed());
  const sent: Batch[] = [];
  let first = 0;
  for (let round = 0; round < rounds; round++) {
    const batches = await loadUntilKilled(first, random);
    sent.push(...batches);
    first = Math.max(...batches.map(({ from, size }) => from + size));

    const opened = await openTestStore({ dataDir, workers: [] });
    const stored = new Map<number, number>();
    for (const number of opened.storedNumbers()) {
      stored.set(number, (stored.get(number) ?? 0) + 1);
    }
    await opened.store.close();
    const wrong = sent.filter(({ from, size, isAcknowledged }) => {
      const counts = Array.from({ length: size }, (_, index) => stored.get(from + index) ?? 0);
      const isWhole = counts.every((count) => count === 1);
      return !(isWhole || (!isAcknowledged && counts.every((count) => count === 0)));
    });
    expect({ seed: random.seed, round, wrong }).toEqual({ seed: random.seed, round, wrong: [] });
  }
  expect(sent.filter(({ isAcknowledged }) => isAcknowledged).length).toBeGreaterThanOrEqual(
    acknowledgedLeast * rounds,
  );
  expect(sent.filter(({ isAcknowledged }) => !isAcknowledged).length).toBeGreaterThan(0);
});
