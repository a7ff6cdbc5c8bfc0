import { expect, test } from "bun:test";
import { numbers } from "../support/engine/event-store";
import { behindNetwork } from "./behind-network";
import { codeOf, storedNumbers, upTo } from "./stored-numbers";

const on = behindNetwork("store");

test("inserts whose answers are lost are stored once", async () => {
  const lost = new Map<string, number>();
  on.network.fate = (insert) => {
    if (insert === "") return "pass";
    const times = lost.get(insert) ?? 0;
    lost.set(insert, times + 1);
    return times % 2 === 0 ? "cut after" : "pass";
  };
  expect(await on.store.append([numbers(0, 50)])).toEqual({ stored: 50 });
  expect(await on.store.append([numbers(50, 50)])).toEqual({ stored: 50 });
  expect(lost.get(`insert into ${on.database}.event format RowBinary`)).toBe(4);
  expect(await storedNumbers(on.store)).toEqual(upTo(100));
});

test("a commit that never ended is seen by nobody, and is gone after a restart", async () => {
  await on.store.append([numbers(0, 10)]);
  on.network.fate = (insert) => (insert.includes(".committed ") ? "cut before" : "pass");
  expect(await codeOf(on.store.append([numbers(10, 10)]))).toBe("UNAVAILABLE");
  expect(on.store.health().storage).toBe("failed");
  on.network.fate = () => "pass";
  expect(await storedNumbers(on.store)).toEqual(upTo(10));
  expect(await codeOf(on.store.append([numbers(20, 1)]))).toBe("UNAVAILABLE");
  const other = await on.open();
  expect(await storedNumbers(other)).toEqual(upTo(10));
  expect(await other.append([numbers(0, 20)])).toEqual({ stored: 10 });
  expect(await storedNumbers(other)).toEqual(upTo(20));
  await other.close();
});

test("after a failure the store works again by itself", async () => {
  await on.store.append([numbers(0, 10)]);
  on.network.fate = () => "cut before";
  expect(await codeOf(on.store.append([numbers(10, 10)]))).toBe("UNAVAILABLE");
  on.network.fate = () => "pass";
  while (on.store.health().storage === "failed") await Bun.sleep(100);
  expect(await on.store.append([numbers(0, 20)])).toEqual({ stored: 10 });
  expect(await storedNumbers(on.store)).toEqual(upTo(20));
});

test("what was acknowledged outlives a kill of ClickHouse, and is stored once", async () => {
  let acknowledged = 0;
  let isKilled = false;
  const appending = (async () => {
    for (let number = 0; !isKilled; number += 20) {
      if ((await codeOf(on.store.append([numbers(number, 20)]))) !== null) return;
      acknowledged = number + 20;
    }
  })();
  while (acknowledged < 100) await Bun.sleep(10);
  isKilled = true;
  await on.clickhouse.kill();
  await appending;
  on.clickhouse = await on.clickhouse.again();
  const other = await on.open(on.clickhouse.url);
  const found = await storedNumbers(other);
  expect(found.length).toBeGreaterThanOrEqual(acknowledged);
  expect(found).toEqual(upTo(found.length));
  await other.append([numbers(0, acknowledged + 20)]);
  expect(await storedNumbers(other)).toEqual(upTo(acknowledged + 20));
  await other.close();
});

test("events of two months in one request are stored together", async () => {
  const [first] = numbers(0, 1).events;
  const events = [0, 1, 2].map((number) => ({
    ...first,
    ...{ properties: { number }, eventId: null, timeMs: first.timeMs - number * 3_600_000 },
  }));
  const older = { ...first, eventId: null, timeMs: first.timeMs - 29 * 86_400_000 };
  on.network.fate = (insert) => (insert.includes(".committed ") ? "cut before" : "pass");
  const entry = { ...numbers(0, 0), events: [...events, older] };
  expect(await codeOf(on.store.append([entry]))).toBe("UNAVAILABLE");
  on.network.fate = () => "pass";
  const other = await on.open();
  expect(await storedNumbers(other)).toEqual([]);
  expect(await other.append([entry])).toEqual({ stored: 4 });
  expect((await storedNumbers(other)).length).toBe(3);
  await other.close();
});

test("of two processes on one database the older one stops, and nothing of it is stored", async () => {
  await on.store.append([numbers(0, 10)]);
  const other = await on.open();
  expect(await codeOf(on.store.append([numbers(10, 10)]))).toBe("UNAVAILABLE");
  expect(on.fatal).toEqual([
    "Another process is writing to this ClickHouse database. Stop one of the two.",
  ]);
  expect(await other.append([numbers(0, 20)])).toEqual({ stored: 10 });
  expect(await storedNumbers(other)).toEqual(upTo(20));
  await other.close();
});

test("what is wrong at the start is said to whoever starts it", async () => {
  const message = await on.open("http://127.0.0.1:1").then(
    () => "",
    (error: Error) => error.message,
  );
  expect(message).toBe(
    "CLICKHOUSE_URL: no ClickHouse responds at http://127.0.0.1:1. Check the address, and that ClickHouse is running.",
  );
});
