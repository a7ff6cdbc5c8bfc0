import type { ClickHouse } from "./client";
import { Bound } from "./sql/bound";
import { localName } from "./table";
import { tablesOfProjects } from "./tables";

/** A deletion that takes longer continues in ClickHouse, and its end is looked for later. */
const triesMax = 50;
const pauseMs = 200;

/** Deletes rows for good. A deletion rewrites parts of the table, so it is left out when there are no such rows. */
export async function removeRows(
  clickhouse: ClickHouse,
  table: string,
  where: (bound: Bound) => string,
  before: () => Promise<void> = async () => undefined,
): Promise<void> {
  const bound = new Bound();
  const condition = where(bound);
  const counted = `select count() as found from ${everywhere(clickhouse, table)} where ${condition}`;
  const isThere = async (): Promise<boolean> => {
    const [{ found }] = await clickhouse.rows<{ found: number }>(counted, bound.values, {
      settings: settingsEverywhere,
    });
    return found > 0;
  };
  if (!(await isThere())) return;
  await before();
  await clickhouse.rows(
    `delete from ${deletedFrom(clickhouse, table)} where ${condition}`,
    bound.values,
  );
  if (clickhouse.cluster === null) return;
  // Until the other replicas have deleted the rows too, one of them may still show them.
  for (let tries = 1; await isThere(); tries++) {
    if (tries === triesMax) throw new NotRemoved(table);
    await Bun.sleep(pauseMs);
  }
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
export function everywhere({ database, cluster }: ClickHouse, table: string): string {
  if (cluster === null) return `${database}.${table}`;
  return `clusterAllReplicas('${cluster}', ${database}.${ownName(table)})`;
}

function deletedFrom({ database, cluster }: ClickHouse, table: string): string {
  if (cluster === null) return `${database}.${table}`;
  return `${database}.${ownName(table)} on cluster '${cluster}'`;
}

const ownName = (table: string): string => (tablesOfProjects.has(table) ? localName(table) : table);
