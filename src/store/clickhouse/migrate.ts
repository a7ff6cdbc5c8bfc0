import { StorageRefused } from "../refused";
import type { ClickHouse } from "./client";
import { RowBinary } from "./row-binary";
import type { Layout } from "./table";
import { erasedLists, leases, movedKeys, tables } from "./tables";

/**
 * Each step brings the tables to the next version, and is never changed once it was released. An interrupted step is
 * done again, so it must be possible to execute each of its statements twice. A step keeps what the version before
 * needs, as a process of that version may be writing until this one takes over.
 */
export const migrations: readonly ((layout: Layout) => readonly string[])[] = [
  tables,
  leases,
  movedKeys,
  erasedLists,
];

/** Returns the version of the tables, which is 0 if there are none, or if making them was never finished. */
export async function versionOfTables(clickhouse: ClickHouse): Promise<number> {
  const { database } = clickhouse;
  if (!(await exists(clickhouse, `table ${database}.setting`))) return 0;
  const [{ version }] = await clickhouse.rows<{ version: number }>(
    `select max(toUInt32OrZero(value)) as version from ${database}.setting where name = 'version'`,
  );
  return version;
}

/** Makes the tables, or brings them up to date. If they are, the user needs no right to make tables. */
export async function migrate(clickhouse: ClickHouse, steps = migrations): Promise<void> {
  const { database } = clickhouse;
  const version = await versionOfTables(clickhouse);
  if (version > steps.length) {
    throw new StorageRefused(
      `The tables of the database "${database}" have version ${version}, but this Sightline supports ` +
        `versions up to ${steps.length}. Start the newer Sightline that created them.`,
    );
  }
  if (version > 0) await refuseOtherServers(clickhouse);
  const shards = await shardsOf(clickhouse);
  if (version === 0 && !(await exists(clickhouse, `database ${database}`))) {
    await clickhouse.run(`create database if not exists ${database}${onCluster(clickhouse)}`);
  }
  for (let next = version; next < steps.length; next++) {
    for (const statement of steps[next](clickhouse)) await clickhouse.run(statement);
    if (next === 0 && shards !== oneServer) await note(clickhouse, "shards", shards);
    await note(clickhouse, "version", String(next + 1));
  }
}

const oneServer = "";

/**
 * The number and the weights of the shards decide in which shard a project is. If either changed, reads would look for
 * rows in shards that do not have them.
 */
export async function refuseOtherServers(clickhouse: ClickHouse): Promise<void> {
  const { database, cluster } = clickhouse;
  const [row] = await clickhouse.rows<{ value: string }>(
    `select value from ${database}.setting where name = 'shards' limit 1`,
  );
  const made = row?.value ?? oneServer;
  const now = await shardsOf(clickhouse);
  if (made === now) return;
  const described = (shards: string): string =>
    shards === oneServer ? "for one server" : `for shards with the weights ${shards}`;
  throw new StorageRefused(
    `The tables of the database "${database}" were created ${described(made)}, but ` +
      `${cluster === null ? "CLICKHOUSE_CLUSTER is not set" : `"${cluster}" is configured ${described(now)}`}. ` +
      "The layout cannot be changed in place: move the events to a file with sightline move --to file, then " +
      "to the other servers.",
  );
}

/** Returns the weights of the shards, or an empty text for a single server. */
async function shardsOf(clickhouse: ClickHouse): Promise<string> {
  const { cluster } = clickhouse;
  if (cluster === null) return oneServer;
  const shards = await clickhouse.rows<{ weight: number }>(
    `select shard_num, any(shard_weight) as weight from system.clusters where cluster = {cluster:String}
    group by shard_num order by shard_num`,
    { cluster },
  );
  if (shards.length === 0) {
    throw new StorageRefused(
      `CLICKHOUSE_CLUSTER: ClickHouse has no cluster named "${cluster}". Correct the name, or add it to ` +
        "remote_servers.",
    );
  }
  return shards.map(({ weight }) => weight).join(", ");
}

const onCluster = ({ cluster }: Layout): string =>
  cluster === null ? "" : ` on cluster '${cluster}'`;

function note(clickhouse: ClickHouse, name: string, value: string): Promise<void> {
  const row = new RowBinary().text(name).text(value).done();
  return clickhouse.insert(`${clickhouse.database}.setting`, row);
}

async function exists(clickhouse: ClickHouse, what: string): Promise<boolean> {
  const [{ result }] = await clickhouse.rows<{ result: number }>(`exists ${what}`);
  return result === 1;
}
