/** Where tables are: in a database of one server, or of all servers of a cluster. */
export interface Layout {
  readonly database: string;
  readonly cluster: string | null;
}

export interface Table {
  readonly name: string;
  readonly columns: string;
  readonly engine: "MergeTree" | `ReplacingMergeTree(${string})` | "ReplacingMergeTree";
  /** With the partitions, where it has any. */
  readonly order: string;
  readonly settings?: string;
  /** What is lost of it in a power cut comes again by itself. */
  readonly isPassing?: boolean;
  /** In a cluster the rows of a project lie in one shard; those of other tables on every server. */
  readonly isOfProjects: boolean;
}

const insertsKept = 10_000;
const secondsKept = 604_800;
/** What was acknowledged is on the disk. */
const fsync = "fsync_after_insert = 1, fsync_part_directory = 1";
/** Also on the disks of the replicas that have it from another. */
const fsyncOfFetched = "min_compressed_bytes_to_fsync_after_fetch = 1";

/** The statements that make a table where it is not there. */
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
  // By its name, and no number of its own: the table of a server that is added later is another replica of it.
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

/** What a server of a cluster itself has of a table, beside the table of all shards. */
export const localName = (name: string): string => `${name}_local`;

const settingsOf = (all: readonly (string | null | undefined)[]): string => {
  const some = all.filter((one) => one !== null && one !== undefined);
  return some.length === 0 ? "" : `\n  settings ${some.join(",\n    ")}`;
};
