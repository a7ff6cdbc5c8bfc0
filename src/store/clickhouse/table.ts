/** Tables are in a database of one server, or of all servers of a cluster. */
export interface Layout {
  readonly database: string;
  readonly cluster: string | null;
}

export interface Table {
  readonly name: string;
  readonly columns: string;
  readonly engine: "MergeTree" | `ReplacingMergeTree(${string})` | "ReplacingMergeTree";
  /** The clause `order by`, after `partition by` where the table has partitions. */
  readonly order: string;
  readonly settings?: string;
  /** Rows that are lost in a power cut come again by themselves, so that they need no fsync. */
  readonly isPassing?: boolean;
  /** In a cluster such a table has the rows of a project in one shard; any other table has its rows on every server. */
  readonly isOfProjects: boolean;
}

const insertsKept = 10_000;
const secondsKept = 604_800;
/** These settings write a row to the disk before it is acknowledged. */
const fsync = "fsync_after_insert = 1, fsync_part_directory = 1";
/** This one does so on replicas that fetch the row from another. */
const fsyncOfFetched = "min_compressed_bytes_to_fsync_after_fetch = 1";

/** Returns the statements that make a table where it does not exist. */
export function made(table: Table, { database, cluster }: Layout): string[] {
  const { name, columns, engine, order, settings, isPassing = false, isOfProjects } = table;
  if (cluster === null) {
    const window = `non_replicated_deduplication_window = ${insertsKept}`;
    const all = [isPassing ? null : `${window}, ${fsync}`, settings];
    return [
      `create table if not exists ${database}.${name} (${columns}
  ) engine = ${engine}
  ${order}${settingsOf(all)}`,
    ];
  }
  const everywhere = `on cluster '${cluster}'`;
  const window =
    `replicated_deduplication_window = ${insertsKept}, ` +
    `replicated_deduplication_window_seconds = ${secondsKept}`;
  const all = [window, isPassing ? null : `${fsync}, ${fsyncOfFetched}`, settings];
  const [, family, version] = /^(\w+)(?:\((\w+)\))?$/.exec(engine) ?? [];
  // The path has the table's name and no number, so that a server that is added later has another replica of it.
  const place = isOfProjects
    ? `${name}/{shard}', '{replica}'`
    : `${name}/all', '{shard}-{replica}'`;
  const parameters = [`'/clickhouse/tables/${database}/${place}`, ...(version ? [version] : [])];
  const own = isOfProjects ? localName(name) : name;
  const replicated = `create table if not exists ${database}.${own} ${everywhere} (${columns}
  ) engine = Replicated${family}(${parameters.join(", ")})
  ${order}${settingsOf(all)}`;
  if (!isOfProjects) return [replicated];
  return [
    replicated,
    `create table if not exists ${database}.${name} ${everywhere} as ${database}.${own}
  engine = Distributed('${cluster}', '${database}', '${own}', project)`,
  ];
}

/** The name of the table with a server's own rows, beside the one that reads all shards of a cluster. */
export const localName = (name: string): string => `${name}_local`;

const settingsOf = (all: readonly (string | null | undefined)[]): string => {
  const some = all.filter((one) => one !== null && one !== undefined);
  return some.length === 0 ? "" : `\n  settings ${some.join(",\n    ")}`;
};
