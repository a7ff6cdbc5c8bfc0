import { type SQL, sql } from "drizzle-orm";
import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";

/** What ids, times, hashes and indexes of a row take, at most. */
const rowOverheadBytes = 512;
/** The oldest rows go until this share is left: otherwise each new row would have all others counted again. */
const keptShare = 0.75;

/** A bound on the bytes of all rows of a table that people without an account have made. */
export interface RowsBound {
  readonly table: SQLiteTable;
  /** Tells these rows from those that belong to an account. */
  readonly isStrangers: SQL;
  /** The columns whose length strangers choose. */
  readonly texts: readonly SQLiteColumn[];
  /** The longest row, which the limits of requests imply. */
  readonly rowBytesMax: number;
  readonly bytesMax: number;
}

/** Makes room for rows that anybody can make: beyond their bound the oldest are deleted. */
export class Room {
  /** New rows that fit whatever they contain, so that their bytes need not be counted before. */
  readonly #fitting = new Map<RowsBound, number>();

  /** Runs within the transaction that adds one row. */
  make(db: BunSQLiteDatabase, bound: RowsBound): void {
    let fitting = this.#fitting.get(bound) ?? 0;
    if (fitting === 0) {
      const bytes = strangersBytes(db, bound);
      const isFull = bytes > bound.bytesMax - bound.rowBytesMax;
      if (isFull) deleteOldest(db, bound);
      const left = isFull ? strangersBytes(db, bound) : bytes;
      fitting = Math.max(1, Math.floor((bound.bytesMax - left) / bound.rowBytesMax));
    }
    this.#fitting.set(bound, fitting - 1);
  }
}

/** The bytes of all rows of a bound. */
export function strangersBytes(db: BunSQLiteDatabase, bound: RowsBound): number {
  const { table, isStrangers } = bound;
  const sum = sql<number>`coalesce(sum(${bytesOf(bound)}), 0)`;
  return db.select({ bytes: sum }).from(table).where(isStrangers).get()?.bytes ?? 0;
}

function deleteOldest(db: BunSQLiteDatabase, bound: RowsBound): void {
  const { table, isStrangers, bytesMax } = bound;
  db.run(sql`
    delete from ${table}
    where rowid in (
      select number from (
        select rowid as number, sum(${bytesOf(bound)}) over (order by created_at desc, rowid desc) as bytes
        from ${table}
        where ${isStrangers}
      )
      where bytes > ${Math.floor(bytesMax * keptShare)}
    )`);
}

const bytesOf = ({ texts }: RowsBound): SQL =>
  sql.join(
    [sql`${rowOverheadBytes}`, ...texts.map((text) => sql`coalesce(octet_length(${text}), 0)`)],
    sql` + `,
  );
