/*
 * Deleted rows leave the files of ClickHouse in two steps.
 * Decision: an erasure marks rows as deleted, which is quick; then ClickHouse rewrites the parts with such rows without
 * them, month by month, and the erasure ends when ClickHouse has removed the parts that these replace.
 * Because: reads may not wait for parts of hundreds of gigabytes, and until it removes the old parts, ClickHouse still
 * has the person in its files.
 * Cost: ClickHouse rewrites all parts of the months in which the person has rows. It keeps the old ones for some
 * minutes, by its settings `old_parts_lifetime` and `cleanup_delay_period`: an erasure does not shorten these times, as
 * a power cut may destroy the new parts until then.
 */

import { secondMs } from "../../lib/clock";
import type { ClickHouse } from "./client";
import { alteredTable, everywhereOf, mutationsOf, ownName } from "./remove";
import { tablesOfPeople } from "./writer/erasing";

const tables: readonly string[] = [...tablesOfPeople, "erased"];
/** One call waits this long for ClickHouse to rewrite parts; the next call continues. */
const waitMsMax = 20 * secondMs;
const pauseMs = 200;

/** Removes the bytes of deleted rows from the files, and tells when they are gone. */
export class ErasedBytes {
  /** A second by the clock of ClickHouse at which no part had deleted rows any more. */
  private withoutSince: number | null = null;

  constructor(private readonly clickhouse: ClickHouse) {}

  /** Call it when rows were deleted. */
  begin(): void {
    this.withoutSince = null;
  }

  /** Begins to rewrite the parts that have deleted rows. Returns whether there were none. */
  async rewrite(): Promise<boolean> {
    if ((await mutationsOf(this.clickhouse, tables)) > 0) return false;
    const parts = await this.partsWithDeleted();
    for (const { name, partition } of parts) {
      const statement = `alter table ${alteredTable(this.clickhouse, name)}
        apply deleted mask in partition id {partition:String}`;
      await this.clickhouse.rows(statement, { partition }, { settings: { mutations_sync: 0 } });
    }
    return parts.length === 0;
  }

  /** Resolves with false while some file may still have bytes of rows that were deleted before. */
  async areGone(): Promise<boolean> {
    const startedAt = performance.now();
    while (!(await this.rewrite())) {
      this.withoutSince = null;
      if (performance.now() - startedAt > waitMsMax) return false;
      await Bun.sleep(pauseMs);
    }
    this.withoutSince ??= await this.now();
    if ((await this.partsReplacedUntil(this.withoutSince)) > 0) return false;
    this.withoutSince = null;
    return true;
  }

  private partsWithDeleted(): Promise<{ readonly name: string; readonly partition: string }[]> {
    const own = tables.map((table) => ownName(this.clickhouse, table));
    return this.clickhouse
      .rows<{ own: string; partition: string }>(
        `select distinct table as own, partition_id as partition from ${this.parts}
        where database = {database:String} and table in {own:Array(String)} and active and has_lightweight_delete
        order by own, partition`,
        { database: this.clickhouse.database, own },
      )
      .then((rows) =>
        rows.map(({ own: name, partition }) => ({ name: tables[own.indexOf(name)], partition })),
      );
  }
  private async partsReplacedUntil(second: number): Promise<number> {
    const [{ found }] = await this.clickhouse.rows<{ found: number }>(
      `select count() as found from ${this.parts}
      where database = {database:String} and table in {own:Array(String)} and not active
        and toUnixTimestamp(remove_time) <= {second:UInt64}`,
      {
        database: this.clickhouse.database,
        own: tables.map((table) => ownName(this.clickhouse, table)),
        second,
      },
    );
    return found;
  }
  /** The latest clock of all servers, as their clocks differ: so no part is left out. */
  private async now(): Promise<number> {
    const [{ second }] = await this.clickhouse.rows<{ second: number }>(
      `select max(toUnixTimestamp(now())) as second from ${everywhereOf(this.clickhouse, "system.one")}`,
    );
    return second;
  }
  private get parts(): string {
    return everywhereOf(this.clickhouse, "system.parts");
  }
}
