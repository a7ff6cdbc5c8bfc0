import { expect, test } from "bun:test";
import { join } from "node:path";
import { eventually } from "../support/suite/eventually";
import { besideClickHouse } from "./beside-clickhouse";
import { totalEvents, track, trackUntilRefused, whenReady, withProject } from "./sightline";

/** Servers from the sources, as `npm start` runs them. */

const beside = besideClickHouse("serve");

/** A database and a data folder of a test. */
function place() {
  const CLICKHOUSE_DATABASE = beside.newDatabase();
  const DATA_DIR = join(beside.folder, CLICKHOUSE_DATABASE);
  return { CLICKHOUSE_URL: beside.clickhouse.url, CLICKHOUSE_DATABASE, DATA_DIR };
}
type Place = ReturnType<typeof place>;
const serve = (of: Place) => beside.ready(of);
const standBy = (of: Place) => beside.started(of, ["serve", "--standby"]);

async function backUp(of: Place): Promise<string> {
  const folder = `${of.DATA_DIR}-copy`;
  const { child } = beside.started(of, ["backup", folder]);
  expect(await child.exited).toBe(0);
  return folder;
}

test("what a server acknowledged is there after it was killed, and its restart goes on", async () => {
  const of = place();
  const first = await serve(of);
  const { key, token } = await withProject(first);
  const acknowledged = { count: 0 };
  const tracking = trackUntilRefused(first, token, acknowledged);
  await eventually(() => expect(acknowledged.count).toBeGreaterThan(20));
  first.child.kill("SIGKILL");
  await first.child.exited;
  await tracking;

  const second = await serve(of);
  // What was on its way may be stored, and is known by its id.
  for (let number = 0; number <= acknowledged.count; number++) await track(second, token, number);
  expect(await totalEvents(second, key)).toBe(acknowledged.count + 1);
  second.child.kill("SIGTERM");
  expect(await second.child.exited).toBe(0);
});

test("a standby takes over from a server that was killed: nothing is lost, nothing is there twice", async () => {
  const of = place();
  const active = await serve(of);
  const { key, token } = await withProject(active);
  const standby = standBy({ ...of, DATA_DIR: await backUp(of) });
  await eventually(() => expect(standby.said()).toContain("Standing by"));
  const acknowledged = { count: 0 };
  const tracking = Promise.all([trackUntilRefused(active, token, acknowledged)]);
  await eventually(() => expect(acknowledged.count).toBeGreaterThan(20));
  expect(await standby.isReady()).toBe(false);
  active.child.kill("SIGKILL");
  await tracking;

  await whenReady(standby);
  expect(standby.log()).toContain("the standby server takes over");
  expect(await totalEvents(standby, key)).toBeGreaterThanOrEqual(acknowledged.count);
  for (let number = 0; number <= acknowledged.count; number++) await track(standby, token, number);
  expect(await totalEvents(standby, key)).toBe(acknowledged.count + 1);
});

test("a standby on the same folder starts when the server lets go, and ends by itself when told to", async () => {
  const of = place();
  const active = await serve(of);
  const standby = standBy(of);
  await eventually(() => expect(standby.said()).toContain("Standing by"));
  active.child.kill("SIGTERM");
  expect(await active.child.exited).toBe(0);
  await whenReady(standby);

  const next = standBy(of);
  await eventually(() => expect(next.said()).toContain("Standing by"));
  next.child.kill("SIGTERM");
  expect(await next.child.exited).toBe(0);
  expect(await standby.isReady()).toBe(true);
});

test("of two servers that were started by mistake the older one stops, idle as it is, and says why", async () => {
  const of = place();
  const older = await serve(of);
  const newer = await serve({ ...of, DATA_DIR: await backUp(of) });
  expect(await older.child.exited).toBe(1);
  expect(older.log()).toContain(
    "Another process is writing to this ClickHouse database. Stop one of the two.",
  );
  expect(await newer.isReady()).toBe(true);
});

test("a standby without ClickHouse is told what it lacks", async () => {
  const { DATA_DIR } = place();
  const { child, log } = beside.started({ CLICKHOUSE_URL: "", DATA_DIR }, ["serve", "--standby"]);
  expect(await child.exited).toBe(1);
  await eventually(() => expect(log()).toContain("--standby only works with ClickHouse"));
});
