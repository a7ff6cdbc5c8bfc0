import { minuteMs } from "../../lib/clock";
import type { ClickHouse } from "./client";
import type { Settings } from "./cluster-settings";
import { Bound } from "./sql/bound";
import { localName } from "./table";
import { tablesOfProjects } from "./tables";

/** A deletion that takes longer continues in ClickHouse, and its end is looked for later. */
const triesMax = 50;
const pauseMs = 200;
/** A deletion that reads the whole of a large table may take this long. */
const longMsMax = 10 * minuteMs;

/** Deletes rows for good. A deletion rewrites parts of the table, so it is left out when there are no such rows. */
export async function removeRows(
  clickhouse: ClickHouse,
  table: string,
  where: (bound: Bound) => string,
  before: () => Promise<void> = async () => undefined,
): Promise<void> {
  const { isThere, remove } = deletion(clickhouse, table, where);
  if (!(await isThere())) return;
  await before();
  await remove({});
  if (clickhouse.cluster === null) return;
  // Until the other replicas have deleted the rows too, one of them may still show them.
  for (let tries = 1; await isThere(); tries++) {
    if (tries === triesMax) throw new NotRemoved(table);
    await Bun.sleep(pauseMs);
  }
}

/**
 * Deletes rows of a large table, which takes longer than an answer may. Call it outside of the writer's turn. It waits
 * for a deletion that an earlier call began, so that no second one queues behind it.
 */
export async function removeManyRows(
  clickhouse: ClickHouse,
  table: string,
  where: (bound: Bound) => string,
): Promise<void> {
  const { isThere, remove } = deletion(clickhouse, table, where);
  await mutationsEnded(clickhouse, table, longMsMax);
  if (!(await isThere())) return;
  await remove({ lightweight_deletes_sync: 0 });
  await mutationsEnded(clickhouse, table, longMsMax);
  if (await isThere()) throw new NotRemoved(table);
}

function deletion(clickhouse: ClickHouse, table: string, where: (bound: Bound) => string) {
  const bound = new Bound();
  const condition = where(bound);
  const counted = `select count() as found from ${everywhere(clickhouse, table)} where ${condition}`;
  return {
    isThere: async (): Promise<boolean> => {
      const [{ found }] = await clickhouse.rows<{ found: number }>(counted, bound.values, {
        settings: settingsEverywhere,
      });
      return found > 0;
    },
    remove: (settings: Settings): Promise<unknown> =>
      clickhouse.rows(
        `delete from ${alteredTable(clickhouse, table)} where ${condition}`,
        bound.values,
        { settings },
      ),
  };
}

/** Resolves when no change of the table's parts is under way on any server that answers. */
export async function mutationsEnded(
  clickhouse: ClickHouse,
  table: string,
  waitMsMax: number,
): Promise<void> {
  const startedAt = performance.now();
  while ((await mutationsOf(clickhouse, [table], settingsEverywhere)) > 0) {
    if (performance.now() - startedAt > waitMsMax) throw new NotRemoved(table);
    await Bun.sleep(pauseMs);
  }
}

/** Counts the changes of the parts of these tables that have not ended, on all servers. */
export async function mutationsOf(
  clickhouse: ClickHouse,
  tables: readonly string[],
  settings: Settings = {},
): Promise<number> {
  const [{ found }] = await clickhouse.rows<{ found: number }>(
    `select count() as found from ${everywhereOf(clickhouse, "system.mutations")}
    where database = {database:String} and table in {tables:Array(String)} and is_done = 0`,
    { database: clickhouse.database, tables: tables.map((table) => ownName(clickhouse, table)) },
    { settings },
  );
  return found;
}

/** A replica still has rows that were to be deleted. Nothing can be stored until it has deleted them. */
export class NotRemoved extends Error {
  constructor(table: string) {
    super(`ClickHouse did not delete the rows of ${table} on all servers in time.`);
    this.name = "NotRemoved";
  }
}

/** These reads also see rows that no quorum has yet, and leave out a server that is away. */
export const settingsEverywhere = { select_sequential_consistency: 0, skip_unavailable_shards: 1 };

/** Selects the rows of all servers of a cluster, each once for every replica that has it. */
export const everywhere = (clickhouse: ClickHouse, table: string): string =>
  everywhereOf(clickhouse, `${clickhouse.database}.${ownName(clickhouse, table)}`);

/** The same for a table of ClickHouse itself, by its full name. */
export const everywhereOf = ({ cluster }: ClickHouse, name: string): string =>
  cluster === null ? name : `clusterAllReplicas('${cluster}', ${name})`;

/** Names the table in a statement that changes its rows on all servers. */
export function alteredTable(clickhouse: ClickHouse, table: string): string {
  const { database, cluster } = clickhouse;
  const name = `${database}.${ownName(clickhouse, table)}`;
  return cluster === null ? name : `${name} on cluster '${cluster}'`;
}

/** The name of the table that has a server's own rows. */
export const ownName = ({ cluster }: ClickHouse, table: string): string =>
  cluster !== null && tablesOfProjects.has(table) ? localName(table) : table;
