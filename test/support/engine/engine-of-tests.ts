import { clickHouseOf } from "../../../src/config-clickhouse";
import { ClickHouse } from "../../../src/store/clickhouse/client";

/** Names a ClickHouse: the apps of tests keep their events there, each in a database of its own. */
export const clickHouseVariable = "TEST_CLICKHOUSE_URL";
export const clickHouseUrl = process.env[clickHouseVariable];
/** The folder of its data. */
export const clickHouseFolderVariable = "TEST_CLICKHOUSE_FOLDER";
export const clickHouseFolder = process.env[clickHouseFolderVariable];

let opened = 0;

/** The engine in which an app of tests keeps its events. */
export interface EngineOfTests {
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Our own engine, unless a ClickHouse is named. An app that says itself where it keeps them is left alone. */
export function engineOfTests(said: Readonly<Record<string, string>>): EngineOfTests {
  if (clickHouseUrl === undefined || "CLICKHOUSE_URL" in said) {
    return { environment: {}, close: async () => undefined };
  }
  const database = `app_${process.pid}_${opened++}`;
  const environment = new Map(
    Object.entries({ CLICKHOUSE_URL: clickHouseUrl, CLICKHOUSE_DATABASE: database }),
  );
  const place = clickHouseOf((name) => environment.get(name) ?? null);
  if (place === null || typeof place === "string")
    throw new Error(`${clickHouseVariable}: ${place}`);
  return {
    environment: Object.fromEntries(environment),
    close: () => new ClickHouse(place).run(`drop database if exists ${database} sync`),
  };
}
