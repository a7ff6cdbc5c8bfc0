import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import type { ClickHousePlace } from "../../src/config-clickhouse";
import { ClickHouse } from "../../src/store/clickhouse/client";
import { lookAtClickHouse } from "../../src/store/clickhouse/looked-at";
import { migrate, migrations } from "../../src/store/clickhouse/migrate";
import { StorageRefused } from "../../src/store/refused";
import { eventually } from "../support/suite/eventually";
import { type Network, startNetwork } from "./network";
import { placeAt } from "./place";
import { startClickHouse, type TestClickHouse } from "./server-process";
import { startSightline } from "./sightline";

let clickhouse: TestClickHouse;
let network: Network;
beforeAll(async () => {
  clickhouse = await startClickHouse();
  network = await startNetwork(clickhouse.url);
});
afterAll(async () => {
  network.close();
  await clickhouse.close();
});
let databases = 0;
let place: ClickHousePlace;
beforeEach(() => {
  network.fate = () => "pass";
  place = placeAt(network.url, `doctor_${databases++}`);
});

/** What is said of one thing; a problem begins with "problem: ". */
async function said(wanted: string): Promise<string> {
  const { server, others } = lookAtClickHouse(place);
  const found = [server, ...others].find(({ name }) => name === wanted);
  try {
    return (await found?.look()) ?? "";
  } catch (error) {
    if (error instanceof StorageRefused) return `problem: ${error.message}`;
    throw error;
  }
}
/** Answers as if ClickHouse had these rows in one of its own tables. */
const answerOf = (table: string, rows: readonly object[]): void => {
  network.fate = (_, body) => (body.includes(`from system.${table}`) ? { rows } : "pass");
};

test("the command says what is well, and changes nothing", async () => {
  const environment = {
    ...{ CLICKHOUSE_URL: clickhouse.url, CLICKHOUSE_DATABASE: place.database },
    DATA_DIR: join(import.meta.dir, "none"),
  };
  const { child, said: text } = startSightline(environment, ["doctor"]);
  expect(await child.exited).toBe(1);
  await eventually(() => expect(text()).toContain("Problems found: data folder. Not checked: "));
  expect(text()).toEndWith("; data in ClickHouse, which has its own checksums.\n");
  expect(text()).toMatch(/ok {7}ClickHouse: version \d+\.\d+\.\d+\S* responds at http:\/\/127/);
  expect(text()).toContain("ok       ClickHouse's tables: do not exist yet; serve creates them\n");
  expect(text()).toContain("ok       ClickHouse's settings: async_insert = 0");
  expect(text()).toContain("ok       ClickHouse's replicas: none\n");
  expect(text()).toMatch(/ok {7}ClickHouse's disks: default has [\d.]+ GB free/);
  const [{ made }] = await new ClickHouse(place).rows<{ made: number }>(
    "select count() as made from system.databases where name = {database:String}",
    { database: place.database },
  );
  expect(made).toBe(0);
});

test("a ClickHouse that does not answer, or is too old, is a problem", async () => {
  const { database } = place;
  place = placeAt("http://127.0.0.1:1", database);
  expect(await said("ClickHouse")).toContain("problem: CLICKHOUSE_URL: no ClickHouse responds");
  place = placeAt(network.url, database);
  answerOf("merge_tree_settings", [{ version: "24.8.1", buckets: 0 }]);
  expect(await said("ClickHouse")).toContain(
    "problem: version 24.8.1 does not support buckets in maps",
  );
});

test("tables are told by their version", async () => {
  const client = new ClickHouse(place);
  await migrate(client, migrations.slice(0, 1));
  expect(await said("ClickHouse's tables")).toBe(
    `version 1; the next start upgrades them to version ${migrations.length}`,
  );
  await migrate(client);
  expect(await said("ClickHouse's tables")).toBe(`version ${migrations.length}`);
  await migrate(client, [...migrations, () => []]);
  expect(await said("ClickHouse's tables")).toContain(
    `problem: version ${migrations.length + 1}, but this Sightline supports versions up to`,
  );
});

test("a table without a window of deduplication is a problem", async () => {
  const client = new ClickHouse(place);
  await migrate(client);
  expect(await said("ClickHouse's settings")).toContain("async_insert = 0");
  const setting = "non_replicated_deduplication_window = 0";
  await client.run(`alter table ${place.database}.event modify setting ${setting}`);
  expect(await said("ClickHouse's settings")).toContain("problem: a repeated insert");
  expect(await said("ClickHouse's settings")).toContain("twice in event. Set ");
});

test("a profile that keeps async_insert is a problem", async () => {
  network.fate = (_, body) =>
    body.includes("getSetting") ? { rows: [{ waits: 0, deduplicates: 1 }] } : "pass";
  expect(await said("ClickHouse's settings")).toContain(
    "problem: This user cannot set async_insert to 0",
  );
});

test.each([
  [{ name: "event", isReadonly: 0, delay: 60 }, "1 tables, at most 60 s behind"],
  [
    { name: "event", isReadonly: 0, delay: 61 },
    "problem: these replicas are read-only or behind: event (61",
  ],
  [
    { name: "event", isReadonly: 1, delay: 0 },
    "problem: these replicas are read-only or behind: event (0",
  ],
])("of the replica %j is said: %s", async (row, wanted) => {
  answerOf("replicas", [row]);
  expect(await said("ClickHouse's replicas")).toContain(wanted);
});

test.each([
  [{ shards: 2, servers: 4, copying: 0, answering: 4 }, "2 shards, 4 servers"],
  [
    { shards: 2, servers: 4, copying: 0, answering: 3 },
    "problem: 2 shards, 4 servers; 1 of them do not respond.",
  ],
  [
    { shards: 1, servers: 2, copying: 2, answering: 2 },
    'problem: internal_replication of "main" is not true in remote_servers',
  ],
  [
    { shards: 0, servers: 0, copying: 0, answering: 0 },
    'problem: ClickHouse has no cluster named "main"',
  ],
])("of a cluster of which is found %j is said: %s", async ({ answering, ...row }, wanted) => {
  place = { ...place, cluster: "main" };
  network.fate = (_, body) => {
    if (body.includes("from system.clusters")) return { rows: [row] };
    const isOfAll = body.includes("from clusterAllReplicas('main', system.one)");
    return isOfAll ? { rows: [{ answering }] } : "pass";
  };
  expect(await said("ClickHouse's cluster")).toContain(wanted);
});

test("replicas and windows of all servers of a cluster are looked at", async () => {
  place = { ...place, cluster: "main" };
  network.fate = (_, body) => {
    if (body.includes("clusterAllReplicas('main', system.replicas)")) {
      return { rows: [{ name: "event_local", isReadonly: 0, delay: 61 }] };
    }
    if (body.includes("getSetting")) return { rows: [{ waits: 1, deduplicates: 1 }] };
    const isOfAll = body.includes("clusterAllReplicas('main', system.tables)");
    return isOfAll ? { rows: [{ name: "event_local" }] } : "pass";
  };
  expect(await said("ClickHouse's replicas")).toContain("event_local (61 s behind)");
  expect(await said("ClickHouse's settings")).toContain(
    "twice in event_local. Set replicated_deduplication_window of each",
  );
});

test.each([
  [1024 ** 3, "default has 1.1 GB free"],
  [1024 ** 3 - 1, "problem: default has 1.1 GB free. Free some space"],
])("of %d bytes on a disk is said: %s", async (free, wanted) => {
  answerOf("disks", [{ name: "default", free }]);
  expect(await said("ClickHouse's disks")).toContain(wanted);
});

test("what a user may not look at is no problem, and is said", async () => {
  network.fate = (_, body) => (body.includes("system.disks") ? { refusedWith: 497 } : "pass");
  expect(await said("ClickHouse's disks")).toContain("not checked");
});
