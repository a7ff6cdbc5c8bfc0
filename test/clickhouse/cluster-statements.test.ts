import { afterAll, beforeAll, expect, test } from "bun:test";
import { ClickHouse } from "../../src/store/clickhouse/client";
import { clusterSettings } from "../../src/store/clickhouse/cluster-settings";
import { migrations } from "../../src/store/clickhouse/migrate";
import { removeRows } from "../../src/store/clickhouse/remove";
import { type Network, startNetwork } from "./network";
import { placeAt } from "./place";
import { startClickHouse, type TestClickHouse } from "./server-process";

/** What a cluster is sent, as far as an engine of today can judge it that is none: words and settings. */

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
const alone = () => new ClickHouse(placeAt(clickhouse.url, "statements"));
const ofCluster = () => ({ ...placeAt(network.url, "statements"), cluster: "main" });

test("the engine can parse each statement that makes a table", async () => {
  const layout = { database: "statements", cluster: "main" };
  const statements = migrations.flatMap((made) => made(layout));
  for (const statement of statements) {
    const tree = await alone().rows<{ explain: string }>(`explain ast ${statement}`);
    expect(tree[0].explain).toStartWith("CreateQuery statements");
  }
  const broken = alone().rows(`explain ast ${statements[0].replace("engine", "motor")}`);
  expect(
    await broken.then(
      () => null,
      (error: { code: number }) => error.code,
    ),
  ).toBe(62);
});

test("the engine knows each setting, of statements and of tables", async () => {
  const names = Object.keys(clusterSettings);
  const known = await alone().rows<{ name: string }>(
    "select name from system.settings where name in {names:Array(String)}",
    { names },
  );
  expect(known.map(({ name }) => name).sort()).toEqual(names.toSorted());
  const [first] = migrations[0]({ database: "statements", cluster: "main" });
  const ofTables = [...first.matchAll(/(\w+) = \w+/g)].map(([, name]) => name);
  const wanted = ofTables.filter((name) => name !== "engine");
  expect(wanted.length).toBe(5);
  const tables = await alone().rows<{ name: string }>(
    "select name from system.merge_tree_settings where name in {wanted:Array(String)}",
    { wanted },
  );
  expect(tables.map(({ name }) => name).sort()).toEqual(wanted.toSorted());
});

test("rows are deleted on every server, and looked for until none has them", async () => {
  const asked: string[] = [];
  const found = [3, 3, 1, 0];
  network.fate = (_insert, body) => {
    const [, statement = ""] = /name="query"\r\n\r\n([\s\S]*?)\r\n--/.exec(body) ?? [];
    asked.push(statement);
    return statement.startsWith("delete ") ? { rows: [] } : { rows: [{ found: found.shift() }] };
  };
  await removeRows(new ClickHouse(ofCluster()), "event", () => "ticket > 7");
  const count =
    "select count() as found from clusterAllReplicas('main', statements.event_local) where ticket > 7";
  const removal = "delete from statements.event_local on cluster 'main' where ticket > 7";
  expect(asked).toEqual([count, removal, count, count, count]);
  const tree = await alone().rows<{ explain: string }>(`explain ast ${removal}`);
  expect(tree[0].explain).toStartWith("DeleteQuery statements event_local");
});
