import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { move } from "../../src/commands/move";
import { openClickHouseStore } from "../../src/store/clickhouse/store";
import { eventCount, numbers, projectId } from "../support/engine/event-store";
import { eventually } from "../support/suite/eventually";
import { besideClickHouse, messageOf } from "./beside-clickhouse";
import { onFatal, placeAt } from "./place";
import { type Sightline, totalEvents, track, trackUntilRefused, withProject } from "./sightline";

const beside = besideClickHouse("back");

/** A database, and the folder that it is moved to. */
function newPlace() {
  const database = beside.newDatabase();
  const dataDir = join(beside.folder, database);
  mkdirSync(dataDir);
  const clickHouse = placeAt(beside.network.url, database);
  const said: string[] = [];
  return {
    ...{ dataDir, clickHouse, said, file: join(dataDir, "events.db") },
    open: () => openClickHouseStore({ ...clickHouse, onFatal }),
    run: () => move({ clickHouse, dataDir }, ["--to", "file"], (text) => said.push(text)),
  };
}
/** All that the command says in a process of its own. */
async function said(DATA_DIR: string, CLICKHOUSE_DATABASE: string): Promise<string> {
  const place = { DATA_DIR, CLICKHOUSE_URL: beside.network.url, CLICKHOUSE_DATABASE };
  const command = beside.started(place, ["move", "--to", "file"]);
  const isDone = (await command.child.exited) === 0;
  const stream = isDone ? command.said : command.log;
  return eventually(() => {
    expect(stream()).not.toBe("");
    return stream();
  });
}
function eventsIn(file: string): number {
  const db = new Database(file, { readonly: true });
  try {
    return Number(db.query(eventCount).values()[0]?.[0]);
  } finally {
    db.close();
  }
}
const isEvents = (body: string): boolean =>
  body.includes("sender_generation") &&
  body.includes("order by ticket") &&
  body.includes("time_ms");

test("what a server still writes comes with the next run, and the last one gives the file its name", async () => {
  const { open, run, said, file } = newPlace();
  const store = await open();
  await store.append([numbers(0, 30)]);
  await run();
  expect(said.join("")).toContain(
    `ok       ${projectId}: 30 events, 20 reads give the same answers`,
  );
  expect(said.join("")).toContain(
    "To switch, stop it and all standby servers, then run this command again",
  );
  expect(existsSync(file)).toBe(false);
  await store.append([numbers(0, 50)]);
  await store.close();
  await run();
  expect(said.join("")).toContain(`ok       ${projectId}: 50 events`);
  expect(said.join("")).toContain("To switch, start the server without CLICKHOUSE_URL");
  expect([existsSync(file), existsSync(`${file}.moving`)]).toEqual([true, false]);
});

test("a server that begins to write in the midst of the last run keeps the file from its name", async () => {
  const { open, run, file } = newPlace();
  const store = await open();
  await store.append([numbers(0, 10)]);
  await store.close();
  let begun: Promise<Awaited<ReturnType<typeof open>>> | null = null;
  beside.network.fate = (_insert, body) => {
    if (!isEvents(body) || begun !== null) return "pass";
    begun = open();
    return { waitFor: begun.then(() => undefined) };
  };
  expect(await messageOf(run())).toContain("Another process is writing to the database");
  expect(existsSync(file)).toBe(false);
  await (await begun!).close();
  await run();
  expect(existsSync(file)).toBe(true);
});

test("what differs, what is no folder, no database, and of another move is refused", async () => {
  const { clickHouse, dataDir, file, open, run } = newPlace();
  const none = move(
    { clickHouse, dataDir: join(beside.folder, "none") },
    ["--to", "file"],
    () => 0,
  );
  expect(await messageOf(none)).toContain("does not exist. Set DATA_DIR");
  expect(await messageOf(run())).toContain("does not have the tables of this version");

  const store = await open();
  await store.append([numbers(0, 10)]);
  await store.close();
  beside.network.fate = (_insert, body) => (isEvents(body) ? { rows: [] } : "pass");
  expect(await messageOf(run())).toContain("differs in the file: 10 events, and 0 there");
  beside.network.fate = () => "pass";
  expect(existsSync(file)).toBe(false);

  const other = newPlace();
  const otherStore = await other.open();
  await otherStore.append([numbers(0, 10)]);
  await otherStore.close();
  const mixed = move({ clickHouse: other.clickHouse, dataDir }, ["--to", "file"], () => 0);
  expect(await messageOf(mixed)).toContain("belongs to a move from another database");

  rmSync(`${file}.moving`);
  await run();
  expect(await said(dataDir, clickHouse.database)).toContain("To switch");
  expect(existsSync(`${file}.before`)).toBe(true);
  const again = await said(dataDir, clickHouse.database);
  expect(again).toContain("events.db.before exists from an earlier move");
});

/** Sent as few requests; more than come in one answer while they are moved. */
const eventsBefore = 7_000;
const eventsPerRequest = 100;
const pauseMs = 50;

test("a running server is moved back, also by a killed move: nothing is lost, and each id stays", async () => {
  const DATA_DIR = join(beside.folder, "running");
  const there = { DATA_DIR, CLICKHOUSE_URL: beside.network.url, CLICKHOUSE_DATABASE: "running" };
  const run = () => beside.started(there, ["move", "--to", "file"]);
  const server = await beside.ready(there);
  const { key, token } = await withProject(server);
  for (let from = 0; from < eventsBefore; from += eventsPerRequest) {
    const events = Array.from({ length: eventsPerRequest }, (_, index) => ({
      ...{ event: "step", event_id: `e${from + index}`, properties: { number: from + index } },
    }));
    expect((await server.send("/track/batch", { token, events })).status).toBe(202);
  }
  const acknowledged = { count: eventsBefore };
  const tracking = trackUntilRefused(server, token, acknowledged, pauseMs);

  // Killed when some of the events are in the file.
  let answers = 0;
  beside.network.fate = (_insert, body) =>
    isEvents(body) && ++answers === 2 ? { waitMs: 600_000 } : "pass";
  const killed = run();
  await eventually(() => expect([answers, killed.log()]).toEqual([2, ""]));
  const file = join(DATA_DIR, "events.db");
  // The second answer is asked for while the first is written.
  await eventually(() => expect(eventsIn(`${file}.moving`)).toBe(5_000));
  killed.child.kill("SIGKILL");
  await killed.child.exited;
  expect(existsSync(`${file}.moving`)).toBe(true);

  answers = 0;
  beside.network.fate = (_insert, body) => {
    if (isEvents(body)) answers++;
    return "pass";
  };
  const first = run();
  expect(await first.child.exited).toBe(0);
  await eventually(() => expect(first.said()).toContain("To switch, stop it"));
  // What was there was not fetched again.
  expect(answers).toBe(1);
  const before = acknowledged.count;
  await eventually(() => expect(acknowledged.count).toBeGreaterThan(before));

  const events = async ({ url }: Sightline): Promise<unknown> => {
    const headers = { "x-api-key": key };
    return (await fetch(`${url}/events?project=shop&limit=1000`, { headers })).json();
  };
  // The server is stopped while it takes events: the last one may be stored and not acknowledged.
  server.child.kill("SIGTERM");
  await server.child.exited;
  await tracking;
  const again = await beside.ready(there);
  const wanted = await events(again);
  const total = await totalEvents(again, key);
  again.child.kill("SIGTERM");
  await again.child.exited;

  const second = run();
  expect(await second.child.exited).toBe(0);
  await eventually(() => expect(second.said()).toContain("start the server without"));
  const back = await beside.ready({ DATA_DIR, CLICKHOUSE_URL: "" });
  expect(await events(back)).toEqual(wanted);
  expect(total).toBeGreaterThanOrEqual(acknowledged.count);
  for (const number of [0, 5_500, eventsBefore, acknowledged.count - 1]) {
    expect((await track(back, token, number)).status).toBe(202);
  }
  expect(await totalEvents(back, key)).toBe(total);
});
