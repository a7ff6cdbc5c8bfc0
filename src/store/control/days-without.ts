import { and, eq, isNull, ne } from "drizzle-orm";
import { type DayDimension, retentionKind } from "../../domain/day-row";
import type { CountedWithout } from "../imports";
import type { ControlConnection } from "./database";
import { dayDate, dayImport, daySums } from "./day-tables";
import { packed } from "./packed-sums";

/*
 * The days that retention folds, as they would be without imports that had a part in them. They are stored beside the
 * days that reads show, as days of retention whose `part` names the missing imports. The removal of an import replaces
 * the shown days by those without it. Call each method within a change.
 */

/** Begins a `part` that was not counted because a date has too many imports: their sums stay. */
const uncounted = "? ";
/** The sums of a date that has no events. */
const noSums = "[]";

const partOf = (imports: readonly string[]): string => imports.toSorted().join(" ");
const importsOf = (part: string): string[] =>
  part.split(" ").filter((name) => name !== "" && name !== "?");
const withoutOne = (part: string, importId: string): string =>
  (part.startsWith(uncounted) ? uncounted : "") +
  partOf(importsOf(part).filter((name) => name !== importId));

interface DaysOfPart {
  readonly id: number;
  readonly part: string;
}
type SumsOfDay = readonly { readonly dimension: DayDimension; readonly sums: string }[];

export class DaysWithout {
  constructor(private readonly control: ControlConnection) {}

  /** The days of retention of a project: those that reads show, or those of a part. */
  ofRetention(projectId: string, part = ""): number {
    const { db } = this.control;
    const own = and(eq(dayImport.projectId, projectId), isNull(dayImport.importId));
    const ofPart = and(own, eq(dayImport.part, part));
    const found = db.select({ id: dayImport.id }).from(dayImport).where(ofPart).get();
    if (found !== undefined) return found.id;
    const row = { projectId, importId: null, kind: retentionKind, part };
    return db.insert(dayImport).values(row).returning({ id: dayImport.id }).get().id;
  }

  /** Stores the sums of a date without imports, in place of its earlier ones. */
  put(projectId: string, day: number, { imports, sets }: CountedWithout): void {
    for (const { id } of this.#partsOf(projectId)) this.#drop(id, day);
    if (imports.length === 0) return;
    if (sets === null) {
      const sums = [{ dimension: "total", sums: noSums }] as const;
      this.#add(this.ofRetention(projectId, uncounted + partOf(imports)), day, sums);
      return;
    }
    const sumsByPart = new Map<string, SumsOfDay>([
      ["", this.#sumsOf(this.ofRetention(projectId), day)],
    ]);
    for (const { imports: left, rows } of sets) {
      const counted = packed(rows).sort((a, b) => (a.dimension < b.dimension ? -1 : 1));
      const sums = counted.map(({ dimension, sums: text }) => ({ dimension, sums: text }));
      const none = [{ dimension: "total", sums: noSums }] as const;
      sumsByPart.set(partOf(left), sums.length === 0 ? none : sums);
    }
    dropThoseWithoutEffect(sumsByPart, imports);
    for (const [part, sums] of sumsByPart) {
      if (part !== "") this.#add(this.ofRetention(projectId, part), day, sums);
    }
  }

  /**
   * Takes an import that is removed out of the days of retention. Returns the number of dates that changed, but for
   * those from the first date on of which the project had events, and of those that still have its events in their
   * sums.
   */
  takeOut(
    projectId: string,
    importId: string,
    keptDay: number,
  ): { readonly changed: number; readonly left: number } {
    let changed = 0;
    let left = 0;
    for (const { id, part } of this.#partsOf(projectId)) {
      if (!importsOf(part).includes(importId)) continue;
      const days = this.#daysOf(id);
      const rest = withoutOne(part, importId);
      if (part.startsWith(uncounted)) left += days.length;
      const target = rest === uncounted ? null : this.ofRetention(projectId, rest);
      for (const day of days) {
        if (target !== null) this.#move(id, target, day);
        if (rest === "") this.#show(projectId, day);
      }
      if (rest === "") changed += days.filter((day) => day < keptDay).length;
      this.control.db.delete(dayImport).where(eq(dayImport.id, id)).run();
    }
    return { changed, left };
  }

  /** Puts the sums of a date in the place of others. */
  #move(from: number, to: number, day: number): void {
    this.#drop(to, day);
    const ofDay = and(eq(daySums.dayImportId, from), eq(daySums.day, day));
    this.control.db.update(daySums).set({ dayImportId: to }).where(ofDay).run();
  }
  /** Shows a date whose sums have changed, or hides it when it has no events left. */
  #show(projectId: string, day: number): void {
    const { db } = this.control;
    const dayImportId = this.ofRetention(projectId);
    const ofDay = and(eq(dayDate.dayImportId, dayImportId), eq(dayDate.day, day));
    const shown = db.delete(dayDate).where(ofDay).returning().get();
    const isEmpty = this.#sumsOf(dayImportId, day).some(({ sums }) => sums === noSums);
    if (isEmpty) this.#drop(dayImportId, day);
    // The data's version grows, as the date appears again.
    else if (shown !== undefined) db.insert(dayDate).values(shown).run();
  }

  #partsOf(projectId: string): readonly DaysOfPart[] {
    const own = and(eq(dayImport.projectId, projectId), isNull(dayImport.importId));
    const { id, part } = dayImport;
    return this.control.db
      .select({ id, part })
      .from(dayImport)
      .where(and(own, ne(part, "")))
      .all();
  }
  #daysOf(dayImportId: number): number[] {
    const { day } = daySums;
    const own = eq(daySums.dayImportId, dayImportId);
    const rows = this.control.db.selectDistinct({ day }).from(daySums).where(own).all();
    return rows.map((row) => row.day);
  }
  #sumsOf(dayImportId: number, day: number): SumsOfDay {
    const { dimension, sums } = daySums;
    const ofDay = and(eq(daySums.dayImportId, dayImportId), eq(daySums.day, day));
    return this.control.db
      .select({ dimension, sums })
      .from(daySums)
      .where(ofDay)
      .orderBy(dimension)
      .all();
  }
  #add(dayImportId: number, day: number, sums: SumsOfDay): void {
    for (const one of sums) {
      this.control.db
        .insert(daySums)
        .values({ dayImportId, day, ...one })
        .run();
    }
  }
  #drop(dayImportId: number, day: number): void {
    const ofDay = and(eq(daySums.dayImportId, dayImportId), eq(daySums.day, day));
    this.control.db.delete(daySums).where(ofDay).run();
  }
}

/** Removes the sets that have an import which makes no difference in any set. */
function dropThoseWithoutEffect(
  sumsByPart: Map<string, SumsOfDay>,
  imports: readonly string[],
): void {
  for (const one of imports) {
    const sets = [...sumsByPart].filter(([part]) => importsOf(part).includes(one));
    const makesNone = sets.every(
      ([part, sums]) =>
        JSON.stringify(sums) === JSON.stringify(sumsByPart.get(withoutOne(part, one))),
    );
    if (makesNone) for (const [part] of sets) sumsByPart.delete(part);
  }
}
