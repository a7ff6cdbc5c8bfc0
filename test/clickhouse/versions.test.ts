import { afterAll, beforeAll, expect, test } from "bun:test";
import { ClickHouse } from "../../src/store/clickhouse/client";
import { migrate, migrations, versionOfTables } from "../../src/store/clickhouse/migrate";
import { openClickHouseStore } from "../../src/store/clickhouse/store";
import type { Layout } from "../../src/store/clickhouse/table";
import { StorageRefused } from "../../src/store/refused";
import { numbers } from "../support/engine/event-store";
import { onFatal, placeAt } from "./place";
import { startClickHouse, type TestClickHouse } from "./server-process";

let clickhouse: TestClickHouse;
beforeAll(async () => {
  clickhouse = await startClickHouse();
});
afterAll(() => clickhouse.close());

let databases = 0;
const place = () => placeAt(clickhouse.url, `versions_${databases++}`);
async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof StorageRefused) return error.message;
    throw error;
  }
  return "";
}

test("tables are made at the first start, and say of which version they are", async () => {
  const options = place();
  const client = new ClickHouse(options);
  expect(await versionOfTables(client)).toBe(0);
  await (await openClickHouseStore({ ...options, onFatal })).close();
  expect(await versionOfTables(client)).toBe(migrations.length);
});

test.each(migrations.map((_, version) => version))(
  "tables of version %i are brought up to date, and what is in them stays",
  async (version) => {
    const options = place();
    const client = new ClickHouse(options);
    await migrate(client, migrations.slice(0, version));
    const names = async () => {
      const rows = await client.rows<{ name: string }>(
        "select name from system.tables where database = {database:String} order by name",
        { database: options.database },
      );
      return rows.map(({ name }) => name);
    };
    const before = await names();
    // A row that only a table which was left as it is still has.
    const old = Uint8Array.of(0, 7, 0, 0, 0, 0, 0, 0, 0);
    const hasOwners = before.includes("writer");
    if (hasOwners) await client.insert(`${options.database}.writer`, old);
    const store = await openClickHouseStore({ ...options, onFatal });
    expect(await versionOfTables(client)).toBe(migrations.length);
    expect(await store.append([numbers(0, 10)])).toEqual({ stored: 10 });
    await store.close();
    expect(await names()).toEqual(expect.arrayContaining([...before, "event", "lease"]));
    const kept = await client.rows(`select since from ${options.database}.writer where since = 7`);
    expect(kept).toEqual(hasOwners ? [{ since: 7 }] : []);
  },
);

test("a migration that was interrupted is done again", async () => {
  const options = place();
  const client = new ClickHouse(options);
  const broken = [
    (layout: Layout) => [
      ...migrations[0](layout),
      `insert into ${layout.database}.none values (1)`,
    ],
    ...migrations.slice(1),
  ];
  const failed = await migrate(client, broken).then(
    () => false,
    () => true,
  );
  expect(failed).toBe(true);
  expect(await versionOfTables(client)).toBe(0);
  await migrate(client);
  expect(await versionOfTables(client)).toBe(migrations.length);
});

test("tables of a newer version are refused, and left as they are", async () => {
  const options = place();
  const client = new ClickHouse(options);
  const newer = [
    ...migrations,
    ({ database }: Layout) => [`create table ${database}.newer (x Int8) engine = Memory`],
  ];
  await migrate(client, newer);
  const owners = () => client.rows(`select count() as count from ${options.database}.writer`);
  const before = await owners();
  expect(await refusalOf(openClickHouseStore({ ...options, onFatal }))).toBe(
    `The tables of the database "${options.database}" have version ${newer.length}, but this Sightline supports ` +
      `versions up to ${migrations.length}. Start the newer Sightline that created them.`,
  );
  expect(await owners()).toEqual(before);
  expect(await versionOfTables(client)).toBe(newer.length);
});
