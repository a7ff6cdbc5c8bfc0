import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import {
  eventCount,
  numbers,
  openTestStore,
  type TestStore,
} from "../../../../test/support/engine/event-store";
import { shortRests } from "../../../../test/support/engine/maintenance-rests";
import { replaceLogWriter } from "../../../lib/log";
import { StorageFailed } from "../../protocol/failure";
import { StorageState } from "../../storage-state";
import { warmUp } from "../read/warm-up";

let opened: TestStore | null = null;
afterEach(async () => {
  await opened?.close();
  opened = null;
});

async function until(what: () => boolean): Promise<void> {
  const startedAt = performance.now();
  while (!what()) {
    if (performance.now() - startedAt > 50_000) throw new Error(`Not in time: ${what}`);
    await Bun.sleep(5);
  }
}

describe("a round of maintenance that fails", () => {
  test("is logged with what failed, one line each, and is tried again until it works", async () => {
    opened = await openTestStore({ workers: ["compactor"], rests: shortRests });
    const { store, file, logged, count } = opened;
    await store.append([numbers(0, 10)]);
    const breaking = new Database(file);
    breaking.run("alter table purged_project rename to lost");
    const lines = () =>
      logged.filter(({ message }) => String(message).startsWith("maintenance failed"));
    await until(() => lines().length >= 2);
    for (const line of lines()) {
      expect(line).toMatchObject({ level: "error", step: "sweeping", fault: "SQLiteError" });
    }
    const times = lines().map(({ time }) => Date.parse(String(time)));
    // Timers may be a millisecond early.
    expect(times[1] - times[0]).toBeGreaterThanOrEqual(shortRests.failedMsMin - 1);
    expect(count(eventCount)).toBe(10);
    breaking.run("alter table lost rename to purged_project");
    breaking.close();
    await store.purge("proj_shop");
    await until(() => count("select count(*) from purged_project") === 0);
    const before = lines().length;
    await Bun.sleep(5 * shortRests.failedMsMin);
    expect(lines().length).toBe(before);
  });
});

describe("what is tried beside requests", () => {
  test("a probe of the storage that fails for another reason is logged, once", async () => {
    const lines: Record<string, unknown>[] = [];
    const restore = replaceLogWriter((line) => void lines.push(JSON.parse(line)));
    let probes = 0;
    const causes = ["SQLITE_FULL", "SQLITE_IOERR", "SQLITE_IOERR"];
    const probe = async () => {
      const cause = causes[probes++];
      if (cause !== undefined) throw new StorageFailed(cause);
    };
    const state = new StorageState({ file: "events.db", what: "events", probe, probeEveryMs: 10 });
    state.failed(new StorageFailed("SQLITE_FULL"));
    await until(() => !state.isFailed);
    restore();
    expect(probes).toBe(4);
    expect(lines.map(({ level, cause }) => [level, cause])).toEqual([
      ["error", "SQLITE_FULL"],
      ["error", "SQLITE_IOERR"],
      ["info", undefined],
    ]);
  });

  test("a warm-up that fails is logged", async () => {
    const lines: Record<string, unknown>[] = [];
    const restore = replaceLogWriter((line) => void lines.push(JSON.parse(line)));
    await warmUp("/nowhere/events.db", "small", () => false);
    restore();
    expect(lines).toMatchObject([{ level: "warn", fault: "SQLiteError" }]);
  });
});
