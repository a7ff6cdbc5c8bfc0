/*
 * A deletion names nobody.
 * Decision: while the server deletes a person's rows, the ids of the person are rows of the table `erased`, and each
 * deletion selects them from there.
 * Because: ClickHouse keeps the statements of the last deletions of a table in files beside it, for an unlimited time.
 * Cost: one more table, whose rows are deleted last.
 */

import { randomUUID } from "node:crypto";
import type { ClickHouse } from "../client";
import { everywhere, NotRemoved, removeRows } from "../remove";
import { RowBinary } from "../row-binary";
import type { Bound } from "../sql/bound";
import { bytesOf } from "../text";
import type { LinkedPerson } from "./person";

/** Senders of the person, earlier senders whose events another user keeps, and ids as clients sent them. */
type Kind = "sender" | "former" | "name";

const table = "erased";
const triesMax = 50;
const pauseMs = 200;

/** The ids of one person during one attempt to erase them. */
export class ErasedList {
  private readonly id = randomUUID();
  private readonly noted = new Set<string>();

  constructor(private readonly clickhouse: ClickHouse) {}

  /** Adds the values that the list does not have yet. */
  async note({ senders, names, former }: LinkedPerson): Promise<void> {
    const rows = new RowBinary();
    const add = (kind: Kind, value: Uint8Array): void => {
      const key = `${kind} ${Buffer.from(value).toString("base64")}`;
      if (this.noted.has(key)) return;
      this.noted.add(key);
      rows.text(this.id).text(kind).raw(value);
    };
    for (const { bytes } of senders) add("sender", bytes);
    for (const { sender } of former) add("former", sender.bytes);
    for (const name of names) add("name", bytesOf(name));
    if (rows.isEmpty) return;
    await this.clickhouse.insert(`${this.clickhouse.database}.${table}`, rows.done());
    await this.untilEverywhere();
  }

  /** Selects the values of these kinds. */
  sql(bound: Bound, ...kinds: readonly Kind[]): string {
    return `(select value from ${this.clickhouse.database}.${table}
      where list = ${bound.text(this.id)} and kind in ${bound.texts(kinds)})`;
  }

  /** Each server of a cluster deletes by its own copy of the list. */
  private async untilEverywhere(): Promise<void> {
    const { cluster } = this.clickhouse;
    if (cluster === null) return;
    const wanted = this.noted.size;
    for (let tries = 1; ; tries++) {
      const [{ found }] = await this.clickhouse.rows<{ found: number }>(
        `select count() as found from (
          select server, countIf(list = {list:String}) as listed from (
            select hostName() as server, list from ${everywhere(this.clickhouse, table)}
            union all select hostName() as server, '' as list from clusterAllReplicas('${cluster}', system.one)
          ) group by server having listed < {wanted:UInt64})`,
        { list: this.id, wanted },
      );
      if (found === 0) return;
      if (tries === triesMax) throw new NotRemoved(table);
      await Bun.sleep(pauseMs);
    }
  }
}

/** Deletes all lists, also those left by a stop or a failure: the next try to erase a person makes a new list. */
export const dropLists = (clickhouse: ClickHouse): Promise<void> =>
  removeRows(clickhouse, table, () => "list != ''");

/** Tells whether an erasure has begun and not ended. */
export async function hasLists(clickhouse: ClickHouse): Promise<boolean> {
  const [{ found }] = await clickhouse.rows<{ found: number }>(
    `select count() as found from ${clickhouse.database}.${table}`,
  );
  return found > 0;
}
