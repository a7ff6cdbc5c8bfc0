import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { ClickHousePlace } from "../../../src/config-clickhouse";
import { replaceLogWriter } from "../../../src/lib/log";
import { lookAtClickHouse } from "../../../src/store/clickhouse/looked-at";
import { openClickHouseStore } from "../../../src/store/clickhouse/store";
import type { EventStore } from "../../../src/store/port";
import { numbers } from "../../support/engine/event-store";
import { eventually } from "../../support/suite/eventually";
import { documentedRights, rightsOf } from "../rights";
import { codeOf, upTo } from "../stored-numbers";
import {
  type Cluster,
  clusterName,
  type Member,
  startCluster,
  untilAllExecute,
  user,
} from "./cluster-process";
import { ask, nudge, type OldWords, portsOf, startOldWords } from "./old-words";

/**
 * The writer on servers that replicate: a shard of two replicas, another of three, and a ZooKeeper. The servers are of
 * 2018, so what is stored is read in their words, and not by Sightline's reads.
 */

/** Two starts of ClickHouse, and what failed is tried again for some ten seconds; on a busy machine minutes. */
const testMsMax = 400_000;
const database = "tried";
const shop = "proj_shop";
const blog = "proj_blog";

let cluster: Cluster;
let words: OldWords;
let store: EventStore;
const logged: string[] = [];
const fatal: string[] = [];
let undoLog: () => void;

const connectionTo = (name: string): ClickHousePlace => ({
  ...{ url: words.url, database: name, cluster: clusterName },
  ...{ user: user.name, password: user.password, certificates: null },
});

beforeAll(async () => {
  undoLog = replaceLogWriter((line) => void logged.push(line));
  cluster = await startCluster([2, 3]);
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
  // On a busy machine a session with ZooKeeper may end meanwhile; a supervisor would start the server again.
  await eventually(async () => {
    const onFatal = (why: string): void => void fatal.push(why);
    store = await openClickHouseStore({ ...connectionTo(database), onFatal });
  });
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
const numbersOf = (project: number): Promise<number[][]> =>
  Promise.all(cluster.servers.flat().map((server) => numbersAt(server, project)));

async function numbersAt(server: Member, project: number): Promise<number[]> {
  const rows = await ask<{ n: number }>(
    server,
    `select toUInt32(substring(properties[indexOf(properties, 'number') + 1], 2)) as n
    from ${database}.event_local where project = ${project} order by n`,
  );
  return rows.map(({ n }) => n);
}
/** The first project has the number 1, and by that lies in the second shard; the next one in the first. */
const ofShop = 1;
const ofBlog = 2;
const inSecondShard = (count: number): number[][] => [[], [], ...Array(3).fill(upTo(count))];
const inFirstShard = (count: number): number[][] => [upTo(count), upTo(count), [], [], []];
/** Waits until the cluster works, which takes some ten seconds; a test that waits for longer fails by its time. */
async function untilWell(): Promise<void> {
  while (store.health().storage !== "ok") await Bun.sleep(100);
}
const revived = () => untilAllExecute(cluster.servers.flat());

test(
  "tables are on every server, a project in one shard, and what is of all projects everywhere",
  async () => {
    const entries = [numbers(0, 10, shop), numbers(0, 5, blog)];
    expect(await store.append(entries)).toEqual({ stored: 15 });
    await eventually(async () => {
      expect(await numbersOf(ofShop)).toEqual(inSecondShard(10));
      expect(await numbersOf(ofBlog)).toEqual(inFirstShard(5));
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
      expect(engines.filter(({ engine }) => engine.startsWith("Replicated")).length).toBe(14);
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
  "a replica of three is lost: what is acknowledged is on both others, and on it too once it is back",
  async () => {
    const [, [first, second, third]] = cluster.servers;
    await third.kill();
    expect(await store.append([numbers(20, 10, shop)])).toEqual({ stored: 10 });
    expect(store.health().storage).toBe("ok");
    for (const server of [first, second]) {
      await eventually(async () => expect(await numbersAt(server, ofShop)).toEqual(upTo(30)));
    }
    await revived();
    await eventually(async () => expect(await numbersOf(ofShop)).toEqual(inSecondShard(30)));
  },
  testMsMax,
);

// 319: it is unknown whether others will have it. 285: too few replicas live. 286: the one before is not decided.
const tooFew = /"cause":"CLICKHOUSE_(319|285|286)"/;

test.each([
  { ...{ lost: "one replica of two", shard: 0, replicas: [1] }, project: blog, stored: 5 },
  { ...{ lost: "two replicas of three", shard: 1, replicas: [1, 2] }, project: shop, stored: 30 },
])(
  "$lost lost: nothing is acknowledged, and what it was too few for is gone once all are back",
  async ({ shard, replicas, project, stored }) => {
    logged.length = 0;
    await Promise.all(replicas.map((replica) => cluster.servers[shard][replica].kill()));
    expect(await codeOf(store.append([numbers(stored, 5, project)]))).toBe("UNAVAILABLE");
    expect(store.health().storage).toBe("failed");
    expect(logged.join("")).toMatch(tooFew);
    await revived();
    await untilWell();
    const found = () => numbersOf(project === shop ? ofShop : ofBlog);
    const everywhere = project === shop ? inSecondShard : inFirstShard;
    await eventually(async () => expect(await found()).toEqual(everywhere(stored)));
    expect(await store.append([numbers(0, stored + 5, project)])).toEqual({ stored: 5 });
    await eventually(async () => expect(await found()).toEqual(everywhere(stored + 5)));
  },
  testMsMax,
);

test(
  "ZooKeeper is lost: nothing is stored, and nothing read that it must vouch for; then all is there once",
  async () => {
    await cluster.zooKeeper.kill();
    expect(await codeOf(store.append([numbers(35, 10, shop)]))).toBe("UNAVAILABLE");
    expect(await numbersOf(ofShop)).toEqual(inSecondShard(35));
    // This reads as Sightline does: what a majority has, which a single server cannot know.
    const [[server]] = cluster.servers;
    const read = `select count() from ${database}.committed`;
    await eventually(async () => {
      const refused = ask(server, read, { select_sequential_consistency: "1" });
      expect(await codeOf(refused)).not.toBeNull();
    });
    const replicas = lookAtClickHouse(connectionTo(database)).others.find(({ name }) =>
      name.endsWith("replicas"),
    );
    await eventually(async () => {
      const said = await replicas?.look().catch(({ message }: Error) => message);
      expect(said).toMatch(/^these replicas are read-only or behind: .*event_local/);
    });
    await cluster.zooKeeper.start();
    await revived();
    await untilWell();
    expect(await store.append([numbers(0, 45, shop)])).toEqual({ stored: 10 });
    await eventually(async () => expect(await numbersOf(ofShop)).toEqual(inSecondShard(45)));
    await eventually(async () =>
      expect(await replicas?.look()).toMatch(/^\d+ tables, at most \d+ s behind$/),
    );
  },
  testMsMax,
);

test("the rights that the documentation lists are all that was asked of the cluster", () => {
  const { alone, besides } = documentedRights();
  const asked = words.asked.flatMap((statement) => rightsOf(statement, database));
  const rights = new Set(asked.map((right) => right.replace(`on ${database}.`, "on sightline.")));
  expect([...rights].sort()).toEqual([...alone, ...besides].sort());
});

test(
  "a user who may not use the database is refused at the start",
  async () => {
    const opened = openClickHouseStore({ ...connectionTo("forbidden"), onFatal: () => undefined });
    const message = await opened.then(
      () => "",
      (error: Error) => error.message,
    );
    expect(message).toMatch(
      /refuses the user "sightline" in the database "forbidden" with error code/,
    );
  },
  testMsMax,
);

test(
  "tables of shards are not served as those of one server",
  async () => {
    const alone = { ...connectionTo(database), cluster: null, onFatal: () => undefined };
    const message = await openClickHouseStore(alone).then(
      () => "",
      (error: Error) => error.message,
    );
    expect(message).toContain(
      "were created for shards with the weights 1, 1, but CLICKHOUSE_CLUSTER",
    );
  },
  testMsMax,
);
