import type { ClickHousePlace } from "../../config-clickhouse";
import { describeDoubt, doubtOf } from "../../domain/clock-doubt";
import { clock } from "../../lib/clock";
import { StorageRefused } from "../refused";
import { ClickHouse, ClickHouseRefused } from "./client";
import { migrations, refuseOtherServers, versionOfTables } from "./migrate";
import { refusedFor } from "./refused-for";

type Look = (clickhouse: ClickHouse) => Promise<string>;
/** Returns a sentence about what is in order. It throws StorageRefused if an operator has to act. */
interface LookedAt {
  readonly name: string;
  look(): Promise<string>;
}

/** The checks of ClickHouse that `doctor` makes; they change nothing. The first must succeed before the others. */
export function lookAtClickHouse(place: ClickHousePlace): {
  readonly server: LookedAt;
  readonly others: readonly LookedAt[];
} {
  const clickhouse = new ClickHouse(place);
  const lookedAt = (name: string, look: Look): LookedAt => ({
    name,
    look: () => refusedFor(place, () => unlessHidden(look(clickhouse))),
  });
  return {
    server: lookedAt("ClickHouse", (asked) => server(asked, place)),
    others: [
      lookedAt("ClickHouse's tables", tables),
      lookedAt("ClickHouse's retained_from", retainedFrom),
      lookedAt("ClickHouse's settings", settings),
      ...(place.cluster === null ? [] : [lookedAt("ClickHouse's cluster", cluster)]),
      lookedAt("ClickHouse's replicas", replicas),
      lookedAt("ClickHouse's disks", disks),
    ],
  };
}

/** The versions of the tables that a start would still bring them to; it brings them to none here. */
export async function pendingTables(place: ClickHousePlace): Promise<readonly string[]> {
  const clickhouse = new ClickHouse(place);
  const version = await refusedFor(place, async () => {
    await tables(clickhouse);
    return await versionOfTables(clickhouse);
  });
  return migrations.map((_, at) => String(at + 1)).slice(version);
}

const mayNot = 497;
const freeBytesWanted = 1024 ** 3;
const gigabyte = 1e9;
const delaySecondsMax = 60;

/** The server stores events even if an operator hides the tables of `system` from it. */
async function unlessHidden(look: Promise<string>): Promise<string> {
  try {
    return await look;
  } catch (error) {
    if (!(error instanceof ClickHouseRefused && error.code === mayNot)) throw error;
    return "not checked, because this user cannot read the ClickHouse system table";
  }
}

async function server(clickhouse: ClickHouse, { url }: ClickHousePlace): Promise<string> {
  const [{ version, buckets }] = await clickhouse.rows<{ version: string; buckets: number }>(
    `select version() as version,
      (select count() from system.merge_tree_settings where name = 'map_serialization_version') as buckets`,
  );
  if (buckets === 1) return `version ${version} responds at ${url}`;
  throw new StorageRefused(
    `version ${version} does not support buckets in maps. Use a newer ClickHouse: 26.7 was tested.`,
  );
}

async function tables(clickhouse: ClickHouse): Promise<string> {
  const version = await versionOfTables(clickhouse);
  const known = migrations.length;
  if (version > 0) await refuseOtherServers(clickhouse);
  if (version === known) return `version ${version}`;
  if (version === 0) return "do not exist yet; serve creates them";
  if (version < known)
    return `version ${version}; the next start upgrades them to version ${known}`;
  throw new StorageRefused(
    `version ${version}, but this Sightline supports versions up to ${known}. Start the newer Sightline.`,
  );
}

/** A clock that was ahead may have set it. */
async function retainedFrom(clickhouse: ClickHouse): Promise<string> {
  if ((await versionOfTables(clickhouse)) === 0) return "not set yet";
  const [{ latest }] = await clickhouse.rows<{ latest: number }>(
    `select max(retained) as latest from (
      select argMax(number, commit) as number, argMax(retained_from_ms, commit) as retained
      from ${clickhouse.database}.project group by name
    ) where number != 0`,
  );
  const doubt = doubtOf({ usedAtMs: [], retainedFromMs: latest }, clock.nowMs());
  if (doubt !== null) throw new StorageRefused(describeDoubt(doubt));
  return "not in the future for any project";
}

/** Requests set the settings that they need. A profile may forbid that, and a table may lack one. */
async function settings(clickhouse: ClickHouse): Promise<string> {
  const { database } = clickhouse;
  const [{ waits, deduplicates }] = await clickhouse.rows<{ waits: number; deduplicates: number }>(
    `select toUInt8(getSetting('async_insert')) = 0 as waits,
      toUInt8(getSetting('insert_deduplicate')) = 1 as deduplicates`,
    {},
    { settings: { async_insert: 0, insert_deduplicate: 1 } },
  );
  if (waits === 0)
    throw new StorageRefused(
      "This user cannot set async_insert to 0. Allow the user to change the setting.",
    );
  if (deduplicates === 0) {
    throw new StorageRefused(
      "This user cannot set insert_deduplicate to 1. Allow the user to change the setting.",
    );
  }
  const without = await clickhouse.rows<{ name: string }>(
    `select distinct name from ${ofAll(clickhouse, "tables")}
    where database = {database:String} and engine like '%MergeTree' and name != 'lease'
      and not match(engine_full, 'deduplication_window = [1-9]') order by name`,
    { database },
    leavingOut,
  );
  if (without.length === 0) return "async_insert = 0, every table has a deduplication window";
  const names = without.map(({ name }) => name).join(", ");
  const window = clickhouse.cluster === null ? "non_replicated_" : "replicated_";
  throw new StorageRefused(
    `a repeated insert may be stored twice in ${names}. Set ${window}deduplication_window of each table to ` +
      "10000 with ALTER TABLE … MODIFY SETTING.",
  );
}

/** Returns a table of `system` with the rows of all servers that answer. */
const ofAll = ({ cluster: name }: ClickHouse, table: string): string =>
  name === null ? `system.${table}` : `clusterAllReplicas('${name}', system.${table})`;
const leavingOut = { settings: { skip_unavailable_shards: 1 } };

async function cluster(clickhouse: ClickHouse): Promise<string> {
  const { cluster: name } = clickhouse;
  const [{ shards, servers, copying }] = await clickhouse.rows<{
    shards: number;
    servers: number;
    copying: number;
  }>(
    `select uniqExact(shard_num) as shards, count() as servers, countIf(internal_replication = 0) as copying
    from system.clusters where cluster = {name:String}`,
    { name: name ?? "" },
  );
  if (servers === 0)
    throw new StorageRefused(
      `ClickHouse has no cluster named "${name}". Correct CLICKHOUSE_CLUSTER, or add it to remote_servers.`,
    );
  if (copying > 0) {
    throw new StorageRefused(
      `internal_replication of "${name}" is not true in remote_servers, so inserts would be sent to every ` +
        "replica. Set it to true.",
    );
  }
  const [{ answering }] = await clickhouse.rows<{ answering: number }>(
    `select count() as answering from ${ofAll(clickhouse, "one")}`,
    {},
    leavingOut,
  );
  const said = `${shards} shards, ${servers} servers`;
  if (answering === servers) return said;
  throw new StorageRefused(
    `${said}; ${servers - answering} of them do not respond. Check that they are running.`,
  );
}

async function replicas(clickhouse: ClickHouse): Promise<string> {
  const found = await clickhouse.rows<{ name: string; isReadonly: number; delay: number }>(
    `select table as name, is_readonly as isReadonly, absolute_delay as delay
    from ${ofAll(clickhouse, "replicas")} where database = {database:String} order by name, delay`,
    { database: clickhouse.database },
    leavingOut,
  );
  if (found.length === 0) return "none";
  const odd = found.filter(({ isReadonly, delay }) => isReadonly === 1 || delay > delaySecondsMax);
  const longest = Math.max(...found.map(({ delay }) => delay));
  if (odd.length === 0) return `${found.length} tables, at most ${longest} s behind`;
  const names = odd.map(({ name, delay }) => `${name} (${delay} s behind)`).join(", ");
  throw new StorageRefused(
    `these replicas are read-only or behind: ${names}. Check ClickHouse and its Keeper.`,
  );
}

async function disks(clickhouse: ClickHouse): Promise<string> {
  const found = await clickhouse.rows<{ name: string; free: number }>(
    "select name, unreserved_space as free from system.disks where is_read_only = 0 order by name",
  );
  const said = found.map(({ name, free }) => `${name} has ${(free / gigabyte).toFixed(1)} GB free`);
  if (found.every(({ free }) => free >= freeBytesWanted)) return said.join(", ");
  throw new StorageRefused(
    `${said.join(", ")}. Free some space: the server refuses events when a disk is full.`,
  );
}
