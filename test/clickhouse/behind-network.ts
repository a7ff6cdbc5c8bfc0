import { afterAll, afterEach, beforeAll, beforeEach } from "bun:test";
import { replaceLogWriter } from "../../src/lib/log";
import { openClickHouseStore } from "../../src/store/clickhouse/store";
import type { EventStore } from "../../src/store/port";
import { type Network, startNetwork } from "./network";
import { placeAt } from "./place";
import { startClickHouse, type TestClickHouse } from "./server-process";

/** What a test has, and what it may replace. Each test has a store of its own, on a database of its own. */
export interface BehindNetwork {
  clickhouse: TestClickHouse;
  readonly network: Network;
  readonly store: EventStore;
  readonly database: string;
  /** Since the test began. */
  readonly logged: string[];
  readonly fatal: string[];
  /** Another store on the test's database, through the network unless it says where. */
  open(url?: string): Promise<EventStore>;
}

/** One ClickHouse for a file of tests, and a network before it, which passes everything when a test begins. */
export function behindNetwork(name: string): BehindNetwork {
  let opened = 0;
  let network: Network;
  let store: EventStore;
  let database = "";
  let undoLog: () => void;
  const behind = {
    clickhouse: null as unknown as TestClickHouse,
    get network() {
      return network;
    },
    get store() {
      return store;
    },
    get database() {
      return database;
    },
    logged: [] as string[],
    fatal: [] as string[],
    open: (url = network.url) =>
      openClickHouseStore({
        ...placeAt(url, database),
        onFatal: (why) => void behind.fatal.push(why),
      }),
  };
  beforeAll(async () => {
    undoLog = replaceLogWriter((line) => void behind.logged.push(line));
    behind.clickhouse = await startClickHouse();
    network = await startNetwork(behind.clickhouse.url);
  });
  afterAll(async () => {
    network.close();
    await behind.clickhouse.close();
    undoLog();
  });
  beforeEach(async () => {
    network.fate = () => "pass";
    behind.logged.length = 0;
    behind.fatal.length = 0;
    database = `${name}_${opened++}`;
    store = await behind.open();
  });
  afterEach(() => store.close());
  return behind;
}
