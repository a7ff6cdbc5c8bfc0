import { StorageRefused } from "../migrate";
import type { ClickHouse } from "./client";
import { RowBinary } from "./row-binary";
import { leases, movedKeys, tables } from "./tables";

/**
 * Each brings the tables to the next version, and is never changed once it was released. A step that was interrupted
 * is done again, so each of its statements may be. What the version before needs stays: a process of that version may
 * be writing until this one takes over.
 */
export const migrations: readonly ((database: string) => readonly string[])[] = [
  tables,
  leases,
  movedKeys,
];

/** The version of the tables: 0 if there are none, or if making them was never finished. */
export async function versionOfTables(clickhouse: ClickHouse): Promise<number> {
  const { database } = clickhouse;
  if (!(await exists(clickhouse, `table ${database}.setting`))) return 0;
  const [{ version }] = await clickhouse.rows<{ version: number }>(
    `select max(toUInt32OrZero(value)) as version from ${database}.setting where name = 'version'`,
  );
  return version;
}

/** Makes the tables, or brings them up to date. One whose tables are up to date needs no right to make any. */
export async function migrate(clickhouse: ClickHouse, steps = migrations): Promise<void> {
  const { database } = clickhouse;
  const version = await versionOfTables(clickhouse);
  if (version > steps.length) {
    throw new StorageRefused(
      `The tables of the database "${database}" are of version ${version}, and this Sightline knows them up to ` +
        `version ${steps.length}. Start the newer Sightline that made them.`,
    );
  }
  if (version === 0 && !(await exists(clickhouse, `database ${database}`))) {
    await clickhouse.run(`create database if not exists ${database}`);
  }
  for (let next = version; next < steps.length; next++) {
    for (const statement of steps[next](database)) await clickhouse.run(statement);
    const row = new RowBinary()
      .text("version")
      .text(String(next + 1))
      .done();
    await clickhouse.insert(`${database}.setting`, row);
  }
}

async function exists(clickhouse: ClickHouse, what: string): Promise<boolean> {
  const [{ result }] = await clickhouse.rows<{ result: number }>(`exists ${what}`);
  return result === 1;
}
