import { afterEach, expect, test } from "bun:test";
import type { EventStore } from "../../src/store/port";
import { ingestQueueEventsMax } from "../../src/store/shared/append/places";
import { numbers } from "../support/engine/event-store";
import { type SmallDisk, smallDisk } from "../support/server/disk";
import { eventually } from "../support/suite/eventually";
import { behindNetwork } from "./behind-network";
import { startClickHouse, type TestClickHouse } from "./server-process";
import { codeOf, storedNumbers, upTo } from "./stored-numbers";

/** What a ClickHouse in trouble does to what was acknowledged: nothing. */

const on = behindNetwork("failures");
afterEach(() => expect(on.fatal).toEqual([]));

const untilWell = () => eventually(() => expect(on.store.health().storage).toBe("ok"));

// 243: no space is left. 242: a replica that cannot be written.
test.each([243, 242])(
  "a ClickHouse that refuses inserts with error code %d: a 503, nothing half stored, and it works again by itself",
  async (code) => {
    await on.store.append([numbers(0, 10)]);
    on.network.fate = (insert) => (insert.includes(".event ") ? { refusedWith: code } : "pass");
    expect(await codeOf(on.store.append([numbers(10, 10)]))).toBe("UNAVAILABLE");
    expect(on.store.health()).toMatchObject({ storage: "failed", inserts: { retries: 4 } });
    expect(on.logged.join("")).toContain(`"cause":"CLICKHOUSE_${code}"`);
    // Reads go on meanwhile, of what was acknowledged.
    expect(await storedNumbers(on.store)).toEqual(upTo(10));
    on.network.fate = () => "pass";
    await untilWell();
    expect(await storedNumbers(on.store)).toEqual(upTo(10));
    expect(await on.store.append([numbers(0, 20)])).toEqual({ stored: 10 });
    expect(await storedNumbers(on.store)).toEqual(upTo(20));
  },
);

test("a quorum that another insert still lacks is waited for only behind an own one", async () => {
  await on.store.append([numbers(0, 10)]);
  const codes = [286];
  on.network.fate = (insert) => {
    const code = insert.includes(".event ") ? codes.shift() : undefined;
    return code === undefined ? "pass" : { refusedWith: code };
  };
  // What was left by another may be seen once there is a quorum: it is looked for before anything is stored.
  expect(await codeOf(on.store.append([numbers(10, 10)]))).toBe("UNAVAILABLE");
  expect(on.store.health()).toMatchObject({ storage: "failed", inserts: { retries: 0 } });
  await untilWell();
  codes.push(319, 286, 286);
  expect(await on.store.append([numbers(0, 20)])).toEqual({ stored: 10 });
  expect(on.store.health()).toMatchObject({ storage: "ok", inserts: { retries: 3 } });
  expect(await storedNumbers(on.store)).toEqual(upTo(20));
});

test("a slow ClickHouse: what comes meanwhile waits, and is stored in few groups", async () => {
  let groups = 0;
  on.network.fate = (insert) => {
    if (!insert.includes(".committed ")) return "pass";
    groups++;
    return { waitMs: 300 };
  };
  const appended = upTo(60).map((number) => on.store.append([numbers(number, 1)]));
  expect(await Promise.all(appended)).toEqual(appended.map(() => ({ stored: 1 })));
  expect(groups).toBeLessThan(10);
  expect(await storedNumbers(on.store)).toEqual(upTo(60));
  expect(on.store.health().queuedEvents).toBe(0);
});

test("an insert that ClickHouse does not answer in time is refused, and what it left is taken away", async () => {
  await on.store.append([numbers(0, 10)]);
  let held = 0;
  on.network.fate = (insert) => {
    if (!insert.includes(".committed ")) return "pass";
    held++;
    return { waitMs: 60_000 };
  };
  expect(await codeOf(on.store.append([numbers(10, 10)]))).toBe("UNAVAILABLE");
  // No try after the first: it has taken longer than all of them may.
  expect(held).toBe(1);
  expect(await storedNumbers(on.store)).toEqual(upTo(10));
  on.network.fate = () => "pass";
  await untilWell();
  expect(await on.store.append([numbers(0, 20)])).toEqual({ stored: 10 });
  expect(await storedNumbers(on.store)).toEqual(upTo(20));
});

test("while ClickHouse stands still a project fills half of the queue: it is refused", async () => {
  let isStill = true;
  const { promise: moves, resolve: move } = Promise.withResolvers<void>();
  on.network.fate = (insert) =>
    isStill && insert.includes(".event ") ? { waitFor: moves } : "pass";
  const half = ingestQueueEventsMax / 2;
  const size = half / 10;
  const taken = upTo(10).map((part) => codeOf(on.store.append([numbers(part * size, size)])));
  await eventually(() => expect(on.store.health()).toMatchObject({ queue: "failed" }));
  expect(on.store.health().queuedEvents).toBe(half);
  expect(await codeOf(on.store.append([numbers(half, 1)]))).toBe("UNAVAILABLE");
  taken.push(codeOf(on.store.append([numbers(0, size, "proj_blog")])));
  expect(on.store.health().queuedEvents).toBe(half + size);
  isStill = false;
  move();
  expect(await Promise.all(taken)).toEqual(taken.map(() => null));
  expect(on.store.health()).toMatchObject({ queue: "ok", queuedEvents: 0 });
  expect(await storedNumbers(on.store)).toEqual(upTo(half));
  expect(await on.store.append([numbers(half, 1)])).toEqual({ stored: 1 });
  expect(await on.store.append([numbers(0, size + 1, "proj_blog")])).toEqual({ stored: 1 });
});

test("a full disk of ClickHouse: a 503, nothing half stored, and it works again once there is space", async () => {
  const disk: SmallDisk = smallDisk();
  let small: TestClickHouse | null = null;
  let other: EventStore | null = null;
  try {
    const { folder, within } = await disk.place();
    small = await startClickHouse(folder, 0, within);
    other = await on.open(small.url);
    let acknowledged = 0;
    await other.append([numbers(0, 100)]);
    acknowledged = 100;
    disk.fill();
    while ((await codeOf(other.append([numbers(acknowledged, 100)]))) === null) acknowledged += 100;
    expect(other.health().storage).toBe("failed");
    disk.free();
    const { health } = other;
    await eventually(() => expect(health.call(other).storage).toBe("ok"));
    expect(await storedNumbers(other)).toEqual(upTo(acknowledged));
    expect(await other.append([numbers(0, acknowledged + 100)])).toEqual({ stored: 100 });
    expect(await storedNumbers(other)).toEqual(upTo(acknowledged + 100));
  } finally {
    await other?.close();
    await small?.close();
    disk.remove();
  }
});
