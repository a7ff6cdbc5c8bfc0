import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { ClickHousePlace } from "../../../src/config-clickhouse";
import { replaceLogWriter } from "../../../src/lib/log";
import { lookAtClickHouse } from "../../../src/store/clickhouse/looked-at";
import { openClickHouseStore } from "../../../src/store/clickhouse/store";
import type { EventStore } from "../../../src/store/port";
import { numbers } from "../../support/event-store";
import { eventually } from "../../support/eventually";
import { rightsInReadme, rightsOf } from "../rights";
import { codeOf, upTo } from "../stored-numbers";
import { type Cluster, clusterName, startCluster, untilAllExecute, user } from "./cluster-process";
import { ask, nudge, type OldWords, portsOf, startOldWords } from "./old-words";

/**
 * The writer on servers that replicate: two shards of two replicas each, and a ZooKeeper. The servers are of 2018, so
 * what is stored is read in their words, and not by Sightline's reads.
 */

/** Two starts of ClickHouse, and what failed is tried again for some ten seconds; on a busy machine minutes. */
const testMsMax = 400_000;
const database = "tried";
const shop = "proj_shop";

let cluster: Cluster;
let words: OldWords;
let store: EventStore;
const logged: string[] = [];
const fatal: string[] = [];
let undoLog: () => void;

const placeOf = (name: string): ClickHousePlace => ({
  ...{ url: words.url, database: name, cluster: clusterName },
  ...{ user: user.name, password: user.password, certificates: null },
});

beforeAll(async () => {
  undoLog = replaceLogWriter((line) => void logged.push(line));
  cluster = await startCluster([2, 2]);
  const [[first]] = cluster.servers;
  words = await startOldWords(first, {
    tcp: await portsOf(first),
    quorums: { ofAll: 3, ofShard: 2 },
    afterDeletion: (statement) =>
      nudge(
        cluster.servers.map(([server]) => server),
        statement,
      ),
  });
  const onFatal = (why: string): void => void fatal.push(why);
  store = await openClickHouseStore({ ...placeOf(database), onFatal });
}, testMsMax);
afterAll(async () => {
  await store?.close();
  words?.close();
  await cluster?.close();
  undoLog();
}, testMsMax);
afterEach(() => {
  words.fate = () => "pass";
  [[words.to]] = cluster.servers;
  expect(fatal).toEqual([]);
});

/** What every server itself has of the project's events. */
async function numbersOf(project: number): Promise<number[][]> {
  const all = cluster.servers.flat().map(async (server) => {
    const rows = await ask<{ n: number }>(
      server,
      `select toUInt32(substring(properties[indexOf(properties, 'number') + 1], 2)) as n
      from ${database}.event_local where project = ${project} order by n`,
    );
    return rows.map(({ n }) => n);
  });
  return Promise.all(all);
}
/** The first project has the number 1, and by that lies in the second shard. */
const ofShop = 1;
const inSecondShard = (count: number): number[][] => [[], [], upTo(count), upTo(count)];
/** Some ten seconds; a test that waits for longer fails by its time. */
async function untilWell(): Promise<void> {
  while (store.health().storage !== "ok") await Bun.sleep(100);
}
const revived = () => untilAllExecute(cluster.servers.flat());

test(
  "tables are on every server, a project in one shard, and what is of all projects everywhere",
  async () => {
    const entries = [numbers(0, 10, shop), numbers(0, 5, "proj_blog")];
    expect(await store.append(entries)).toEqual({ stored: 15 });
    await eventually(async () => {
      expect(await numbersOf(ofShop)).toEqual(inSecondShard(10));
      expect(await numbersOf(2)).toEqual([upTo(5), upTo(5), [], []]);
    });
    for (const server of cluster.servers.flat()) {
      await eventually(async () => {
        const committed = `select uniqExact(name) as names from ${database}.committed`;
        expect(await ask<{ names: number }>(server, committed)).toEqual([{ names: 3 }]);
      });
      const engines = await ask<{ name: string; engine: string }>(
        server,
        `select name, engine from system.tables where database = '${database}' order by name`,
      );
      expect(
        engines.filter(({ engine }) => engine === "Distributed").map(({ name }) => name),
      ).toEqual([
        ...["automated_day", "email", "event", "identity_edge", "profile"],
        ...["received_day", "user_link"],
      ]);
      expect(engines.filter(({ engine }) => engine.startsWith("Replicated")).length).toBe(13);
    }
  },
  testMsMax,
);

test(
  "an insert whose answer is lost is stored once, also when another server is asked again",
  async () => {
    const lost = new Set<string>();
    words.fate = (table) => {
      if (lost.has(table)) return "pass";
      lost.add(table);
      words.to = cluster.servers[1][1];
      return "answer lost";
    };
    expect(await store.append([numbers(10, 10, shop)])).toEqual({ stored: 10 });
    expect([...lost].sort()).toEqual(["committed", "event", "received_day"]);
    await eventually(async () => expect(await numbersOf(ofShop)).toEqual(inSecondShard(20)));
  },
  testMsMax,
);

test(
  "a replica is lost: nothing is acknowledged, and what it was too few for is gone once it is back",
  async () => {
    await cluster.servers[1][1].kill();
    expect(await codeOf(store.append([numbers(20, 10, shop)]))).toBe("UNAVAILABLE");
    expect(store.health().storage).toBe("failed");
    // 319: it is unknown whether others will have it. 285: too few replicas live. 286: the one before is not decided.
    expect(logged.join("")).toMatch(/"cause":"CLICKHOUSE_(319|285|286)"/);
    await revived();
    await untilWell();
    await eventually(async () => expect(await numbersOf(ofShop)).toEqual(inSecondShard(20)));
    expect(await store.append([numbers(0, 30, shop)])).toEqual({ stored: 10 });
    await eventually(async () => expect(await numbersOf(ofShop)).toEqual(inSecondShard(30)));
  },
  testMsMax,
);

test(
  "ZooKeeper is lost: nothing is stored, and nothing read that it must vouch for; then all is there once",
  async () => {
    await cluster.zooKeeper.kill();
    expect(await codeOf(store.append([numbers(30, 10, shop)]))).toBe("UNAVAILABLE");
    expect(await numbersOf(ofShop)).toEqual(inSecondShard(30));
    // As Sightline reads: what a majority has, of which no server knows by itself.
    const [[server]] = cluster.servers;
    const read = `select count() from ${database}.committed`;
    await eventually(async () => {
      const refused = ask(server, read, { select_sequential_consistency: "1" });
      expect(await codeOf(refused)).not.toBeNull();
    });
    const replicas = lookAtClickHouse(placeOf(database)).others.find(({ name }) =>
      name.endsWith("replicas"),
    );
    await eventually(async () => {
      const said = await replicas?.look().catch(({ message }: Error) => message);
      expect(said).toMatch(/^cannot be written, or are behind: .*event_local/);
    });
    await cluster.zooKeeper.start();
    await revived();
    await untilWell();
    expect(await store.append([numbers(0, 40, shop)])).toEqual({ stored: 10 });
    await eventually(async () => expect(await numbersOf(ofShop)).toEqual(inSecondShard(40)));
    await eventually(async () =>
      expect(await replicas?.look()).toMatch(/^\d+ tables, at most \d+ s behind$/),
    );
  },
  testMsMax,
);

test("the rights that the README lists are all that was asked of the cluster", () => {
  const { alone, besides } = rightsInReadme();
  const asked = words.asked.flatMap((statement) => rightsOf(statement, database));
  const rights = new Set(asked.map((right) => right.replace(`on ${database}.`, "on sightline.")));
  expect([...rights].sort()).toEqual([...alone, ...besides].sort());
});

test(
  "a user who may not use the database is refused at the start",
  async () => {
    const opened = openClickHouseStore({ ...placeOf("forbidden"), onFatal: () => undefined });
    const message = await opened.then(
      () => "",
      (error: Error) => error.message,
    );
    expect(message).toMatch(
      /refuses the user "sightline" in the database "forbidden" with its code/,
    );
  },
  testMsMax,
);

test(
  "tables of shards are not served as those of one server",
  async () => {
    const alone = { ...placeOf(database), cluster: null, onFatal: () => undefined };
    const message = await openClickHouseStore(alone).then(
      () => "",
      (error: Error) => error.message,
    );
    expect(message).toContain("were made for shards of the weights 1, 1, and CLICKHOUSE_CLUSTER");
  },
  testMsMax,
);
