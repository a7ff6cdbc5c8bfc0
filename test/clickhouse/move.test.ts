import { afterEach, expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { move } from "../../src/commands/move";
import { clock } from "../../src/lib/clock";
import { ClickHouse } from "../../src/store/clickhouse/client";
import { openClickHouseStore } from "../../src/store/clickhouse/store";
import { conform } from "../conformance/conformance";
import { Engine, usualSizes } from "../support/engine/engine";
import { entryOf, numbers, projectId } from "../support/engine/event-store";
import { eventually } from "../support/suite/eventually";
import { besideClickHouse, messageOf } from "./beside-clickhouse";
import { asksWhatUsersDid, historyMsMax, MovingDriven } from "./driven";
import { onFatal, placeAt } from "./place";
import { type Sightline, totalEvents, track, trackUntilRefused, withProject } from "./sightline";
import { storedNumbers, upTo } from "./stored-numbers";

const beside = besideClickHouse("move");
const engines: Engine[] = [];
afterEach(() => {
  for (const engine of engines.splice(0)) engine.close();
});

test.each([
  [2, { first: 5, there: 40, aside: 60, back: 90 }],
  [13, { first: 20, there: 50, aside: 70, back: 100 }],
])(
  "the history of seed %i goes on in ClickHouse, then in a file, moved at reads %j: all agrees with the model",
  async (seed, moves) => {
    const opened: MovingDriven[] = [];
    const open = (sizes: ConstructorParameters<typeof MovingDriven>[1]) => {
      const driven = new MovingDriven(beside.clickhouse.url, sizes, moves);
      opened.push(driven);
      return driven;
    };
    expect(
      await conform(seed, { eventsMax: 100, open, refuses: asksWhatUsersDid }),
    ).toBeGreaterThan(0);
    const reads = opened.map(({ readsThere, readsBack }) => [readsThere > 10, readsBack > 10]);
    expect(reads).toEqual([[true, true]]);
  },
  historyMsMax,
);

/** Our own engine with some events, and where they are moved to. */
function ownStore(sizes = usualSizes) {
  const database = beside.newDatabase();
  const own = new Engine(sizes);
  engines.push(own);
  const clickHouse = placeAt(beside.network.url, database);
  const said: string[] = [];
  const run = () =>
    move({ clickHouse, dataDir: dirname(own.file) }, ["--to", "clickhouse"], (text) =>
      said.push(text),
    );
  const rows = async (): Promise<number> => {
    const [{ count }] = await new ClickHouse(clickHouse).rows<{ count: number }>(
      `select count() as count from ${database}.event`,
    );
    return count;
  };
  const place = {
    ...{ DATA_DIR: dirname(own.file), CLICKHOUSE_URL: beside.network.url },
    CLICKHOUSE_DATABASE: database,
  };
  const open = () => openClickHouseStore({ ...clickHouse, onFatal });
  return { own, run, rows, said, open, place };
}

test("a move that was cut off goes on: no server starts on a half, and no event is there twice", async () => {
  const { own, run, rows, open } = ownStore();
  own.append([numbers(0, 100)]);
  own.append([numbers(0, 50, "proj_blog")]);
  let inserts = 0;
  beside.network.fate = (insert) =>
    insert.includes(".event ") && ++inserts === 2 ? "cut before" : "pass";
  expect(await messageOf(run())).toContain("no ClickHouse responds");
  beside.network.fate = () => "pass";
  expect(await rows()).toBe(100);
  expect(await messageOf(open())).toContain("Run sightline move --to clickhouse again");
  own.append([numbers(100, 20)]);
  await run();
  expect(await rows()).toBe(170);
  await run();
  expect(await rows()).toBe(170);
  const store = await open();
  expect(await storedNumbers(store)).toEqual(upTo(120));
  // The ids of events that came before the move are known.
  expect(await store.append([numbers(90, 40)])).toEqual({ stored: 10 });
  await store.close();
});

const monthMs = 31 * 86_400_000;
const months = 4;
/** An insert has events of one month. */
function ofMonths(count: number) {
  const { events, receivedAtMs } = numbers(0, count);
  const timeMs = (index: number): number => receivedAtMs - (index % months) * monthMs;
  return entryOf(events.map((event, index) => ({ ...event, timeMs: timeMs(index) })));
}
const isOfEvents = (insert: string): boolean => insert.includes(".event ");

test.each([1, 2, 3, 4])(
  "one insert of events is under way at a time, and when number %i loses its answer, the next run adds what is missing",
  async (lost) => {
    const { own, run, rows } = ownStore();
    own.append([ofMonths(200)]);
    let inserts = 0;
    beside.network.fate = (insert) =>
      isOfEvents(insert) && ++inserts === lost ? "cut after" : "pass";
    expect(await messageOf(run())).toContain("no ClickHouse responds");
    // Nothing was sent behind the one that failed, which ClickHouse has.
    expect([inserts, await rows()]).toEqual([lost, (lost * 200) / months]);

    let open = 0;
    let most = 0;
    beside.network.fate = (insert) => {
      if (!isOfEvents(insert)) return "pass";
      inserts++;
      most = Math.max(most, ++open);
      return { waitFor: Bun.sleep(20).then(() => void open--) };
    };
    await run();
    expect([inserts, await rows(), most]).toEqual([months, 200, lost === months ? 0 : 1]);
  },
);

test("a move that was killed with an insert under way goes on: every event is there once", async () => {
  const { own, run, rows, open, place } = ownStore();
  own.append([ofMonths(200)]);
  let inserts = 0;
  beside.network.fate = (insert) =>
    isOfEvents(insert) && ++inserts === 2 ? { waitMs: 600_000 } : "pass";
  const killed = beside.started(place, ["move", "--to", "clickhouse"]);
  await eventually(() => expect([inserts, killed.log()]).toEqual([2, ""]));
  killed.child.kill("SIGKILL");
  await killed.child.exited;
  expect(await rows()).toBe(50);
  beside.network.fate = () => "pass";
  expect(await messageOf(open())).toContain("Run sightline move --to clickhouse again");
  own.append([numbers(200, 20)]);
  await run();
  expect(await rows()).toBe(220);
});

test("idempotency keys come along from wherever the file keeps them, and the oldest have expired", async () => {
  // Some keys are in the log, most in runs, of which there are several.
  const { own, run, open } = ownStore({ ...usualSizes, keyTableKeysMax: 60 });
  const hour = 3_600_000;
  const nowMs = Date.now();
  const append = (atMs: number, from: number): void => {
    const undo = clock.replace(() => atMs);
    for (let at = from; at < from + 100; at += 10) own.append([numbers(at, 10)]);
    own.sweep();
    undo();
  };
  append(nowMs - 49 * hour, 0);
  append(nowMs - 47 * hour, 100);
  append(nowMs, 200);
  await run();
  const store = await open();
  expect(await store.append([numbers(0, 400)])).toEqual({ stored: 200 });
  await store.close();
});

test("what would be mixed with what a server has stored is refused, and so is a copy that differs", async () => {
  const { own, run, open } = ownStore();
  own.append([numbers(0, 10)]);
  await run();
  const store = await open();
  await store.append([numbers(10, 10)]);
  await store.close();
  expect(await messageOf(run())).toContain("A server has already stored events in the database");

  const other = ownStore();
  other.own.append([numbers(0, 10)]);
  // This acts as if ClickHouse had taken the rows and lost them.
  beside.network.fate = (insert) => (insert.includes(".event ") ? { rows: [] } : "pass");
  expect(await messageOf(other.run())).toContain("10 events, and 0 there");
  beside.network.fate = (insert) => (insert.includes(".received_day ") ? { rows: [] } : "pass");
  expect(await messageOf(other.run())).toMatch(/proj_shop differs in ClickHouse: counters of/);
  expect(other.said).toEqual([]);
  beside.network.fate = () => "pass";
  await other.run();
  expect(other.said[0]).toBe(`ok       ${projectId}: 10 events, 20 reads give the same answers\n`);
});

test("what the command does not take is said", async () => {
  const dataDir = join(beside.folder, "none");
  const clickHouse = placeAt(beside.network.url, "none");
  const said = (...parameters: string[]) =>
    messageOf(move({ clickHouse, dataDir }, parameters, () => undefined));
  const usage =
    "Pass the target: --to clickhouse or --to file.\n\n  sightline move --to clickhouse ";
  for (const wrong of [[], ["--to", "disk"], ["--to", "clickhouse", "now"]]) {
    const started = beside.started({ CLICKHOUSE_URL: beside.network.url, DATA_DIR: dataDir }, [
      "move",
      ...wrong,
    ]);
    expect(await started.child.exited).toBe(2);
    await eventually(() => expect(started.log()).toStartWith(usage));
  }
  expect(await said("--to", "clickhouse")).toContain("contains no events");
  const without = move({ clickHouse: null, dataDir }, ["--to", "clickhouse"], () => undefined);
  expect(await messageOf(without)).toContain("CLICKHOUSE_URL is not set");
});

/** The pause between two events of a visitor: there are enough of them, and few enough to be sent again. */
const pauseMs = 50;

test("a running server is moved, also by a move that was killed: it loses nothing, and each id stays", async () => {
  const DATA_DIR = join(beside.folder, "running");
  const place = {
    ...{ DATA_DIR, CLICKHOUSE_URL: beside.network.url, CLICKHOUSE_DATABASE: beside.newDatabase() },
  };
  const run = () => beside.started(place, ["move", "--to", "clickhouse"]);
  const own = await beside.ready({ DATA_DIR, CLICKHOUSE_URL: "" });
  const { key, token } = await withProject(own);
  const acknowledged = { count: 0 };
  const tracking = trackUntilRefused(own, token, acknowledged, pauseMs);
  await eventually(() => expect(acknowledged.count).toBeGreaterThan(50));

  let isHeld = false;
  beside.network.fate = (insert) => {
    if (!insert.includes(".event ")) return "pass";
    isHeld = true;
    return { waitMs: 60_000 };
  };
  const killed = run();
  await eventually(() => expect(isHeld).toBe(true));
  killed.child.kill("SIGKILL");
  await killed.child.exited;
  beside.network.fate = () => "pass";

  const first = run();
  expect(await first.child.exited).toBe(0);
  await eventually(() =>
    expect(first.said()).toContain("To switch, stop it, run this command again"),
  );
  const before = acknowledged.count;
  await eventually(() => expect(acknowledged.count).toBeGreaterThan(before));

  const events = async ({ url }: Sightline): Promise<unknown> => {
    const headers = { "x-api-key": key };
    return (await fetch(`${url}/events?project=shop&limit=1000`, { headers })).json();
  };
  // The server is stopped while it takes events: the last one may be stored and not acknowledged.
  own.child.kill("SIGTERM");
  await own.child.exited;
  await tracking;
  const again = await beside.ready({ DATA_DIR, CLICKHOUSE_URL: "" });
  const wanted = await events(again);
  const total = await totalEvents(again, key);
  again.child.kill("SIGTERM");
  await again.child.exited;

  const second = run();
  expect(await second.child.exited).toBe(0);
  await eventually(() => expect(second.said()).toContain("To switch, start the server with"));
  const moved = await beside.ready(place);
  expect(await events(moved)).toEqual(wanted);
  for (let number = 0; number < acknowledged.count; number++) {
    expect((await track(moved, token, number)).status).toBe(202);
  }
  expect(await totalEvents(moved, key)).toBe(total);
  expect(total).toBeGreaterThanOrEqual(acknowledged.count);
});
