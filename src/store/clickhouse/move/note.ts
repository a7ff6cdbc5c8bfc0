import { StorageRefused } from "../../refused";
import type { ClickHouse } from "../client";
import { RowBinary } from "../row-binary";

/** These rows of `setting` only increase, and the highest holds. `moves` is odd while a move is not finished. */
type Counted = "moves" | "moved_commit";

export async function counted(clickhouse: ClickHouse, name: Counted): Promise<number> {
  const [{ value }] = await clickhouse.rows<{ value: number }>(
    `select max(toUInt64OrZero(value)) as value from ${clickhouse.database}.setting where name = {name:String}`,
    { name },
  );
  return value;
}
export function countUp(clickhouse: ClickHouse, name: Counted, value: number): Promise<void> {
  const row = new RowBinary().text(name).text(String(value)).done();
  return clickhouse.insert(`${clickhouse.database}.setting`, row);
}

/** A database into which a move is not finished refuses every question. */
export async function refuseIfHalfMoved(clickhouse: ClickHouse): Promise<void> {
  if ((await counted(clickhouse, "moves")) % 2 === 0) return;
  throw new StorageRefused(
    `The move to the database "${clickhouse.database}" is not complete. Run sightline move --to clickhouse ` +
      "again: it continues where it stopped.",
  );
}
