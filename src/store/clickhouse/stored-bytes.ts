import type { ClickHouse } from "./client";
import { localName } from "./table";

type Projects = ReadonlyMap<string, { readonly number: number }>;

/**
 * Estimates the bytes of the events of projects: ClickHouse knows those of a table, and each project gets its share by
 * the number of its rows. Projects without events are left out.
 */
export async function storedBytes(
  clickhouse: ClickHouse,
  projects: Projects,
  projectIds: readonly string[] | null,
): Promise<ReadonlyMap<string, number>> {
  const { database } = clickhouse;
  const [table] = await clickhouse.rows<{ bytes: number; events: number }>(
    `select sum(bytes_on_disk) as bytes, sum(rows) as events from system.parts
    where active and database = {database:String} and table in ('event', '${localName("event")}')`,
    { database },
  );
  const ofEvent = table === undefined || table.events === 0 ? 0 : table.bytes / table.events;
  const rows = await clickhouse.rows<{ project: number; events: number }>(
    `select project, count() as events from ${database}.event group by project`,
    {},
  );
  const events = new Map(rows.map(({ project, events: count }) => [project, count]));
  const wanted = projectIds === null ? null : new Set(projectIds);
  return new Map(
    [...projects].flatMap(([name, { number }]): [string, number][] => {
      const count = events.get(number);
      const isLeftOut = count === undefined || wanted?.has(name) === false;
      return isLeftOut ? [] : [[name, Math.round(count * ofEvent)]];
    }),
  );
}
