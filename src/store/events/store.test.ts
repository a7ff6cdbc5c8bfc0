import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ask,
  eventCount,
  numbers,
  openTestStore,
  projectId,
  type TestStore,
} from "../../../test/support/engine/event-store";
import { shortRests } from "../../../test/support/engine/maintenance-rests";
import { dayOf } from "../../domain/event";
import { statsRead } from "../../features/stats/stats";
import { clock, dayMs } from "../../lib/clock";
import type { IdentityEntry } from "../port";
import { StorageRefused } from "../refused";

let opened: TestStore | null = null;
afterEach(async () => {
  await opened?.close();
  opened = null;
});
const open = async (): Promise<TestStore> => {
  opened = await openTestStore({ workers: [] });
  return opened;
};

async function totals(of: TestStore, project = projectId): Promise<Record<string, unknown>> {
  const today = dayOf(clock.nowMs());
  const input = {
    projectId: project,
    days: { from: today - 1, to: today },
    groupBy: "day",
  } as const;
  return JSON.parse((await ask(of, statsRead, input)).json).totals;
}

describe("what was acknowledged", () => {
  test("is seen by every read that begins then", async () => {
    const it = await open();
    for (let round = 1; round <= 20; round++) {
      await it.store.append([numbers(round * 10, 10)]);
      expect(await totals(it)).toMatchObject({ total_events: round * 10 });
    }
  });

  test("is there after a restart, and its keys are known", async () => {
    const before = await open();
    await before.store.append([numbers(1, 500)]);
    opened = await before.reopen();
    expect(await totals(opened)).toMatchObject({ total_events: 500, unique_users: 50 });
    expect(await opened.store.append([numbers(1, 501)])).toEqual({ stored: 1 });
  });

  test("several entries of one request are stored together", async () => {
    const it = await open();
    const link: IdentityEntry = {
      kind: "identity",
      projectId,
      receivedAtMs: clock.nowMs(),
      previousId: "user 1",
      userId: "user 2",
      traits: { plan: "pro" },
    };
    expect(await it.store.append([numbers(1, 50), link, numbers(51, 1, "other")])).toEqual({
      stored: 51,
    });
    expect(await totals(it)).toMatchObject({ total_events: 50, unique_users: 49 });
    expect(await totals(it, "other")).toMatchObject({ total_events: 1 });
  });
});

describe("a project", () => {
  test("loses at once what it no longer retains", async () => {
    const it = await open();
    await it.store.append([numbers(1, 100)]);
    await it.store.forget(projectId, clock.nowMs() + dayMs);
    expect(await totals(it)).toMatchObject({ total_events: 0 });
  });

  test("that is purged leaves nothing to reads, and others alone", async () => {
    const it = await open();
    await it.store.append([numbers(1, 100), numbers(1, 7, "other")]);
    await it.store.purge(projectId);
    expect(await totals(it)).toMatchObject({ total_events: 0 });
    expect(await totals(it, "other")).toMatchObject({ total_events: 7 });
    expect(it.count(eventCount)).toBe(7);
  });

  test("is replaced by its staging copy: reads see the one or the other", async () => {
    const it = await open();
    await it.store.append([numbers(1, 100), numbers(1, 7, "other")]);
    for (let at = 1; at <= 300; at += 100) await it.store.append([numbers(at, 100, "staging")]);
    let isTaken = false;
    const taking = it.store.replaceProject(projectId, "staging").then(() => {
      isTaken = true;
    });
    const seen = new Set<unknown>();
    while (!isTaken) seen.add((await totals(it)).total_events);
    await taking;
    expect([...seen].filter((events) => events !== 100 && events !== 300)).toEqual([]);
    expect(await totals(it)).toMatchObject({ total_events: 300 });
    expect(await totals(it, "staging")).toMatchObject({ total_events: 0 });
    expect(await totals(it, "other")).toMatchObject({ total_events: 7 });
    await it.store.append([numbers(301, 1)]);
    expect(await totals(it)).toMatchObject({ total_events: 301 });
    await it.store.replaceProject(projectId, "nobody");
    expect(await totals(it)).toMatchObject({ total_events: 0 });
  });
});

describe("closing", () => {
  test("copies the log into the file, and can be asked for twice", async () => {
    const it = await open();
    await it.store.append([numbers(1, 1_000)]);
    await Promise.all([it.store.close(), it.store.close()]);
    const log = `${it.file}-wal`;
    expect(existsSync(log) ? statSync(log).size : 0).toBe(0);
    expect(it.storedNumbers()).toHaveLength(1_000);
  });

  test("a moment after the start leaves nothing that starts later", async () => {
    const rests = { ...shortRests, startMs: 50 };
    const store = await openTestStore({ workers: ["compactor", "reader"], rests });
    expect(store.workers.compactor).toEqual([]);
    await store.close();
    await Bun.sleep(2 * rests.startMs);
    expect(store.workers.compactor).toEqual([]);
  });

  test("refuses what comes later", async () => {
    const it = await open();
    await it.store.close();
    const unavailable = { code: "UNAVAILABLE" };
    await expect(it.store.append([numbers(1, 1)])).rejects.toMatchObject(unavailable);
    await expect(it.store.purge(projectId)).rejects.toMatchObject(unavailable);
  });
});

test("a file that is no database is refused, and left as it is", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sightline-refused-"));
  const file = join(dataDir, "events.db");
  writeFileSync(file, "not a database");
  await expect(openTestStore({ dataDir })).rejects.toBeInstanceOf(StorageRefused);
  expect(await Bun.file(file).text()).toBe("not a database");
  rmSync(dataDir, { recursive: true });
});
