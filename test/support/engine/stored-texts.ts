import { Database } from "bun:sqlite";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ClickHouse } from "../../../src/store/clickhouse/client";
import { unpackText } from "../../../src/store/events/segment/codec";
import type { TestApp } from "../app/app";
import { textsOfClickHouse } from "./clickhouse-texts";
import { clickHouseFolder } from "./engine-of-tests";

/** Returns everything that lies in the files of an app and of its engine, packed values unpacked too. */
export function storedTexts({ dataDir, deps }: TestApp): string {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true });
  const raw = files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name)).toString("latin1"));
  if (deps.config.clickHouse !== null) {
    return [...raw, textsOfClickHouse(clickHouseFolder ?? "")].join("\n");
  }
  const db = new Database(join(dataDir, "events.db"), { readonly: true });
  const blobs = db.query("select dictionary, codes from segment_column").values() as Uint8Array[][];
  db.close();
  return [...raw, ...blobs.flat().map(unpacked)].join("\n");
}
const unpacked = (blob: Uint8Array | null): string => (blob === null ? "" : unpackText(blob));

/** The tables of ClickHouse with rows about people. */
const tables = ["event", "profile", "identity_edge", "email", "user_link", "erased"];

/**
 * ClickHouse looks every half minute for parts that were replaced, for which no test waits. A table heeds the settings
 * from the moment when it is attached.
 */
const soon =
  "old_parts_lifetime = 0, cleanup_delay_period = 1, max_cleanup_delay_period = 1, cleanup_delay_period_random_add = 0";
export async function removeOldPartsSoon({ deps }: TestApp): Promise<void> {
  const { clickHouse } = deps.config;
  if (clickHouse === null) return;
  for (const table of tables) {
    const name = `${clickHouse.database}.${table}`;
    for (const statement of [
      `alter table ${name} modify setting ${soon}`,
      `detach table ${name} sync`,
      `attach table ${name}`,
    ]) {
      await new ClickHouse(clickHouse).run(statement);
    }
  }
}
