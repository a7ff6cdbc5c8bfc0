import { Database } from "bun:sqlite";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type DayImportKind, type DayRow, retentionKind } from "../../../domain/day-row";
import type { ReportedDay } from "../../../domain/import-report";
import type { DatedRows, DayOrigin } from "../../imports";

const createTable = `
  create table day (
    kind text not null, origin text not null,           -- empty where the file itself is the origin
    date text not null, dimension text not null, value text not null,
    visitors real, visits real, page_views real, events real, bounces real, seconds real,
    primary key (kind, origin, date, dimension, value)
  ) without rowid`;
/** If all values are null, their sum is null. */
const addRow = `
  insert into day (kind, origin, date, dimension, value, visitors, visits, page_views, events, bounces, seconds)
  values (:kind, :origin, :date, :dimension, :value, :visitors, :visits, :page_views, :events, :bounces, :seconds)
  on conflict do update set
    visitors = iif(excluded.visitors is null, visitors, coalesce(visitors, 0) + excluded.visitors),
    visits = iif(excluded.visits is null, visits, coalesce(visits, 0) + excluded.visits),
    page_views = iif(excluded.page_views is null, page_views, coalesce(page_views, 0) + excluded.page_views),
    events = iif(excluded.events is null, events, coalesce(events, 0) + excluded.events),
    bounces = iif(excluded.bounces is null, bounces, coalesce(bounces, 0) + excluded.bounces),
    seconds = iif(excluded.seconds is null, seconds, coalesce(seconds, 0) + excluded.seconds)`;
const allDates = "select distinct date, kind, origin from day order by kind, origin, date";
/** If both retention and an import have sums of a date, those of retention count. */
const totals = `
  select date, visitors, visits, page_views, events, bounces, seconds from (
    select *, row_number() over (partition by date order by kind = '${retentionKind}' desc, kind, origin) as place
    from day where dimension = 'total'
  ) where place = 1 order by date`;
const rowsOfDate = `
  select date, dimension, value, visitors, visits, page_views, events, bounces, seconds from day
  where kind = :kind and origin = :origin and date = :date order by dimension, value`;

interface DatedOrigin {
  readonly date: string;
  readonly kind: DayImportKind | "";
  readonly origin: string;
}

const pathIn = (folder: string): string => join(folder, "days.db");

/** The sums of days of an import, added up by date, dimension and value. They lie beside its checked events. */
export class DayTable {
  private constructor(private readonly db: Database) {}

  static create(folder: string): DayTable {
    for (const end of ["", "-journal"]) rmSync(pathIn(folder) + end, { force: true });
    const db = new Database(pathIn(folder), { create: true, strict: true });
    db.run("pragma synchronous = off");
    db.run(createTable);
    db.run("begin");
    return new DayTable(db);
  }
  /** Returns null where an import has no days. */
  static open(folder: string): DayTable | null {
    if (!existsSync(pathIn(folder))) return null;
    return new DayTable(new Database(pathIn(folder), { readonly: true, strict: true }));
  }

  add(row: DayRow, origin?: DayOrigin): void {
    // JSON keeps half a surrogate pair, which a column of text would not.
    const value = JSON.stringify(row.value);
    const from = { kind: origin?.kind ?? "", origin: origin?.id ?? "" };
    this.db.query(addRow).run({ ...row, value, ...from });
  }
  /** The dates of each origin, ascending. */
  dates(): DatedOrigin[] {
    return this.db.query(allDates).all() as DatedOrigin[];
  }
  totals(): ReportedDay[] {
    return this.db.query(totals).all() as ReportedDay[];
  }
  /** Yields all rows, those of a date and an origin together. */
  *pieces(): Generator<DatedRows> {
    for (const { date, kind, origin: id } of this.dates()) {
      const stored = this.db.query(rowsOfDate).all({ date, kind, origin: id }) as DayRow[];
      const rows = stored.map((row) => ({ ...row, value: JSON.parse(row.value) }));
      yield { origin: kind === "" ? null : { kind, id }, rows };
    }
  }
  /** Ends the table. All its data is in the file when this returns. */
  finish(): void {
    this.db.run("commit");
    this.db.run("pragma synchronous = full");
    this.db.run("pragma user_version = 1");
  }
  close(): void {
    this.db.close();
  }
}
