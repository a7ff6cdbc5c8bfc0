import { and, asc, between, count, eq, inArray, min, sql } from "drizzle-orm";
import { type DayDimension, type DayRow, retentionKind } from "../../domain/day-row";
import { type DayWithSums, earliest, type KnownDays } from "../../domain/shown-days";
import type { CountedWithout } from "../imports";
import type { ControlConnection } from "./database";
import { dayDate, dayImport, daySums, folding } from "./day-tables";
import { DaysWithout } from "./days-without";
import { dataImport } from "./import-tables";
import { type PackedSums, packed, unpacked, type ValueSums } from "./packed-sums";

/** A part of the days of an import: all of them, or those that a file names as one import of another server. */
export interface DayImport {
  /** The public id of the import; null for what retention folds. */
  readonly importId: string | null;
  readonly kind: string;
  readonly part: string;
}

/** A date that has sums, and of which import these are. */
export interface StoredDay extends DayWithSums, DayImport {
  readonly dayImportId: number;
}

/** The sums of days that projects do not store as events. */
export class Days {
  /** The days of projects, kept until something in control.db changes: every GET /stats asks. */
  readonly #known = new Map<string, Pick<KnownDays<StoredDay>, "days" | "firstEventMs">>();
  /** The projects without folding. */
  #unfolded: ReadonlySet<string> | null = null;
  #seen = -1;

  readonly #without: DaysWithout;

  constructor(private readonly control: ControlConnection) {
    this.#without = new DaysWithout(control);
  }

  /** Begins to store the days of an import. They are not seen before `show`. */
  begin(projectId: string, from: DayImport): number {
    return this.control.write(() => this.add(projectId, from));
  }
  /** Stores all rows of some dates and dimensions. A repeat replaces them. */
  put(dayImportId: number, rows: readonly DayRow[]): void {
    this.control.write(() => this.replace(dayImportId, rows));
  }
  /** Shows the days of an import, but for the dates that another one brought before. Returns how many it has. */
  show(projectId: string, importId: string): number {
    const own = sql`select id from day_import where project_id = ${projectId} and import_id = ${importId}`;
    return this.control.write(
      () =>
        this.db.all(sql`
          insert into day_date (project_id, is_retention, day, day_import_id)
          select ${projectId}, kind = ${retentionKind}, day, min(id) from day_import
          join day_sums on day_sums.day_import_id = day_import.id
          where id in (${own}) group by kind = ${retentionKind}, day
          on conflict do nothing
          returning day`).length,
    );
  }
  /** Removes an import with its days, shown or not. Returns how many dates it had. */
  remove(importId: string): number {
    return this.control.write(() => {
      const own = eq(dayImport.importId, importId);
      const ids = this.db.select({ id: dayImport.id }).from(dayImport).where(own);
      const shown = this.db
        .select({ days: count() })
        .from(dayDate)
        .where(inArray(dayDate.dayImportId, ids));
      const days = shown.get()?.days ?? 0;
      this.db.delete(dayImport).where(own).run();
      return days;
    });
  }
  /**
   * Stores the sums of a date whose events retention will delete, and those without the imports that have a part in it.
   * A repeat replaces them.
   */
  fold(projectId: string, day: number, rows: readonly DayRow[], without = noImports): void {
    this.control.write(() => {
      const dayImportId = this.#without.ofRetention(projectId);
      const ofDay = and(eq(daySums.dayImportId, dayImportId), eq(daySums.day, day));
      this.db.delete(daySums).where(ofDay).run();
      this.replace(dayImportId, rows);
      const date = { projectId, isRetention: true, day, dayImportId };
      this.db
        .insert(dayDate)
        .values(date)
        .onConflictDoUpdate({
          target: [dayDate.projectId, dayDate.isRetention, dayDate.day],
          set: { dayImportId },
        })
        .run();
      this.#without.put(projectId, day, without);
    });
  }
  /** Takes an import that is removed out of the days that retention folded of its events. */
  takeOut(...removed: Parameters<DaysWithout["takeOut"]>): ReturnType<DaysWithout["takeOut"]> {
    return this.control.write(() => this.#without.takeOut(...removed));
  }
  /** The dates of a project that have sums, ascending. */
  ofProject(projectId: string): readonly StoredDay[] {
    const { day, isRetention, dayImportId } = dayDate;
    const { importId, kind, part } = dayImport;
    return this.db
      .select({ day, isRetention, dayImportId, importId, kind, part })
      .from(dayDate)
      .innerJoin(dayImport, eq(dayImport.id, dayDate.dayImportId))
      .where(eq(dayDate.projectId, projectId))
      .orderBy(asc(dayDate.day), asc(dayDate.isRetention))
      .all();
  }
  /** The dates of a project that have sums, and what else decides which of them are shown. */
  known(projectId: string, zone: string | undefined): KnownDays<StoredDay> {
    this.forgetOld();
    const known = this.#known.get(projectId) ?? {
      days: this.ofProject(projectId),
      firstEventMs: this.firstEventMs(projectId),
    };
    this.#known.set(projectId, known);
    return { ...known, zone };
  }
  /** The sums of a date as they are stored, by dimension. */
  packedOf({ dayImportId, day: of }: StoredDay): readonly Omit<PackedSums, "day">[] {
    const { dimension, sums } = daySums;
    const own = and(eq(daySums.dayImportId, dayImportId), eq(daySums.day, of));
    return this.db
      .select({ dimension, sums })
      .from(daySums)
      .where(own)
      .orderBy(asc(dimension))
      .all();
  }
  /** The sums of a dimension on the dates of an import from the first to the last day, ascending. */
  sums(
    dayImportId: number,
    dimension: DayDimension,
    first: number,
    last: number,
  ): { readonly day: number; readonly sums: readonly ValueSums[] }[] {
    const within = between(daySums.day, first, last);
    const own = and(eq(daySums.dayImportId, dayImportId), eq(daySums.dimension, dimension), within);
    const { day, sums } = daySums;
    const rows = this.db.select({ day, sums }).from(daySums).where(own).orderBy(asc(day)).all();
    return rows.map((row) => ({ day: row.day, sums: unpacked(row.sums) }));
  }

  /** Tells whether retention folds what it deletes of a project. */
  isFolding(projectId: string): boolean {
    this.forgetOld();
    this.#unfolded ??= new Set(
      this.db
        .select({ id: folding.projectId })
        .from(folding)
        .where(eq(folding.isOn, false))
        .all()
        .map(({ id }) => id),
    );
    return !this.#unfolded.has(projectId);
  }
  setFolding(projectId: string, isOn: boolean): void {
    const set = { isOn };
    this.control.write(() => {
      this.db
        .insert(folding)
        .values({ projectId, isOn })
        .onConflictDoUpdate({ target: folding.projectId, set })
        .run();
    });
  }
  /**
   * Unix ms of the earliest event of which control.db knows: of the project's own ones that retention has deleted, and
   * of those of its imports, deleted or not. Null where it knows of none.
   */
  firstEventMs(projectId: string): number | null {
    const { firstEventMs, projectId: of, state } = dataImport;
    const isStored = and(eq(of, projectId), eq(state, "done"));
    const imported = this.db
      .select({ timeMs: min(firstEventMs) })
      .from(dataImport)
      .where(isStored);
    return earliest(this.firstDeletedMs(projectId), imported.get()?.timeMs ?? null);
  }
  /** Unix ms of the earliest own event that retention has deleted; null where it has deleted none. */
  firstDeletedMs(projectId: string): number | null {
    const own = eq(folding.projectId, projectId);
    return this.db.select().from(folding).where(own).get()?.firstDeletedMs ?? null;
  }
  /** Notes an own event that retention is about to delete, unless an earlier one is noted. */
  noteDeleted(projectId: string, timeMs: number): void {
    const noted = this.firstDeletedMs(projectId);
    if (noted !== null && noted <= timeMs) return;
    const set = { firstDeletedMs: timeMs };
    this.control.write(() => {
      this.db
        .insert(folding)
        .values({ projectId, ...set })
        .onConflictDoUpdate({ target: folding.projectId, set })
        .run();
    });
  }

  private get db(): ControlConnection["db"] {
    return this.control.db;
  }
  private forgetOld(): void {
    if (this.#seen === this.control.revision) return;
    this.#seen = this.control.revision;
    this.#known.clear();
    this.#unfolded = null;
  }
  private add(projectId: string, from: DayImport): number {
    const row = { projectId, ...from };
    return this.db.insert(dayImport).values(row).returning({ id: dayImport.id }).get().id;
  }
  private replace(dayImportId: number, rows: readonly DayRow[]): void {
    for (const { day, dimension, sums } of packed(rows)) {
      this.db
        .insert(daySums)
        .values({ dayImportId, day, dimension, sums })
        .onConflictDoUpdate({
          target: [daySums.dayImportId, daySums.dimension, daySums.day],
          set: { sums },
        })
        .run();
    }
  }
}

const noImports: CountedWithout = { imports: [], sets: [] };
