import { afterAll, afterEach, beforeAll, beforeEach } from "bun:test";
import { replaceLogWriter } from "../../src/lib/log";
import { openClickHouseStore } from "../../src/store/clickhouse/store";
import type { EventStore } from "../../src/store/port";
import { besideClickHouse } from "./beside-clickhouse";
import type { Network } from "./network";
import { placeAt } from "./place";
import type { TestClickHouse } from "./server-process";

/** What a test has, and what it may replace. Each test has a store of its own, on a database of its own. */
export interface BehindNetwork {
  clickhouse: TestClickHouse;
  readonly network: Network;
  readonly store: EventStore;
  readonly database: string;
  /** Since the test began. */
  readonly logged: string[];
  readonly fatal: string[];
  /** Opens another store on the test's database, by default through the network. */
  open(url?: string): Promise<EventStore>;
}

/** A store before a network, in a file of tests that has both. */
export function behindNetwork(name: string): BehindNetwork {
  const beside = besideClickHouse(name);
  let store: EventStore;
  let database = "";
  let undoLog: () => void;
  const logged: string[] = [];
  const fatal: string[] = [];
  const behind: BehindNetwork = {
    get clickhouse() {
      return beside.clickhouse;
    },
    set clickhouse(another) {
      beside.clickhouse = another;
    },
    get network() {
      return beside.network;
    },
    get store() {
      return store;
    },
    get database() {
      return database;
    },
    ...{ logged, fatal },
    open: (url = beside.network.url) =>
      openClickHouseStore({
        ...placeAt(url, database),
        onFatal: (why) => void fatal.push(why),
      }),
  };
  beforeAll(() => {
    undoLog = replaceLogWriter((line) => void logged.push(line));
  });
  afterAll(() => undoLog());
  beforeEach(async () => {
    logged.length = 0;
    fatal.length = 0;
    database = beside.newDatabase();
    store = await behind.open();
  });
  afterEach(() => store.close());
  return behind;
}
