import { parseString } from "../../shared/json-text";
import type { Integers } from "./codec";
import type { Column, ColumnSource, Keep, SegmentInfo, ShapeKey } from "./column";
import { bytesOfColumn, bytesOfValues } from "./column-bytes";
import { eventsPerDay } from "./days";
import { placedTexts } from "./even-texts";
import { Overflow, overflowColumn } from "./overflow";
import { PropertyTexts } from "./property-texts";
import { isCounted } from "./stored-counts";
import { type PlacedTexts, Texts } from "./texts";
import { addUpTimes, ticketsOf } from "./ticket-columns";
import { codesOfEvents } from "./visit-codes";

/** Sorted, hence stored as differences, which are added up when it is loaded. */
export const sessionHighColumn = "visit.session_high";
/** One value for each visit, in their order: it has no codes. */
export const sessionIdColumn = "visit.session_id";

export const bytesOfArray = (array: { readonly byteLength: number }): number => array.byteLength;

/**
 * The decoded view of a segment. Events are grouped into *visits*: the events of one user in one session (either may be
 * missing), in time order. Visits are sorted by session key, then user. What is the same for a whole visit is stored
 * once per visit, so reads about users and sessions never touch the event columns.
 *
 *   visit.user  visit.session_high  visit.session_low  visit.session_id  visit.start  visit.duration
 *   visit.events  visit.interactive  visit.page_views
 *   event.time  event.ticket  event.ticket_high  event.counter  event.name  event.country  event.shape
 *   property.<key>…  and overflow: the properties that have no column, as JSON objects
 */
export class Segment {
  /** What this view has touched already. A view lives for one statement; the cache behind it decides what stays. */
  private readonly touched = new Map<string, unknown>();
  private propertyTexts: PropertyTexts | null = null;

  constructor(
    readonly info: SegmentInfo,
    /** Names the content, for caches: the id, and where it was clipped. */
    readonly key: string,
    private readonly load: ColumnSource,
    private readonly keep: Keep,
    /** Returns the times of events in a segment of rows without making columns. */
    private readonly timesOfRows: (() => readonly number[]) | null = null,
    /** A dictionary that is apart, as JSON in UTF-8. */
    private readonly loadDictionary: (name: string) => Buffer = () => Buffer.from("[]"),
    private readonly loadOnce: ColumnSource = load,
  ) {}
  get id(): number {
    return this.info.id;
  }
  get projectId(): number {
    return this.info.projectId;
  }
  get firstTime(): number {
    return this.info.firstTime;
  }
  get lastTime(): number {
    return this.info.lastTime;
  }
  get eventCount(): number {
    return this.info.eventCount;
  }

  /** Releases all columns: what is used again comes from the cache, or from the file. */
  letGo(): void {
    this.touched.clear();
    this.propertyTexts = null;
  }

  /** A value computed from columns (row times, say), kept in the cache like a column. */
  derive<T>(name: string, bytesOf: (value: T) => number, make: () => T): T {
    const known = this.touched.get(name) as T | undefined;
    if (known !== undefined) return known;
    const value = this.keep(name, bytesOf, make);
    this.touched.set(name, value);
    return value;
  }
  /** A stored column as it is; null when the segment has none of this name. */
  column(name: string): Column | null {
    const known = this.touched.get(name) as Column | null | undefined;
    if (known !== undefined) return known;
    const column = this.load(name) ?? this.columnInOverflow(name);
    this.touched.set(name, column);
    return column;
  }
  /** The integers of a column that is not looked at again: nothing keeps them. */
  integersOnce(name: string): Integers | null {
    const known = this.touched.get(name) as Column | null | undefined;
    return (known ?? this.loadOnce(name))?.codes ?? null;
  }
  /** The integers of a column as words that nobody else has: the caller may change them. */
  ownWords(name: string): Uint32Array {
    const isKept = this.touched.has(name) || this.loadOnce === this.load;
    const integers = this.integersOnce(name)!;
    return integers instanceof Uint32Array && !isKept ? integers : new Uint32Array(integers);
  }
  /** Integers as stored: a dictionary column may have one for each visit; `codes` has one for each event. */
  integers(name: string): Integers {
    return this.column(name)!.codes!;
  }
  dictionary(name: string): readonly unknown[] {
    const column = this.column(name);
    return column?.isDictionaryApart === true
      ? this.dictionaryAlone(name)
      : (column?.dictionary ?? []);
  }
  /** A stored dictionary, where its codes are not wanted. */
  dictionaryAlone(name: string): readonly unknown[] {
    return this.derive(`values of ${name}`, bytesOfValues, () =>
      JSON.parse(this.loadDictionary(name).toString()),
    );
  }
  /** The values of a dictionary as texts. */
  texts(name: string): Texts {
    return this.derive(`texts of ${name}`, bytesOfArray, () =>
      isCounted(this, name) || this.isDictionaryApart(name)
        ? Texts.parse(this.loadDictionary(name))
        : Texts.of(this.dictionary(name)),
    );
  }
  isDictionaryApart(name: string): boolean {
    return this.column(name)?.isDictionaryApart === true;
  }
  /** The texts of a stored dictionary, where its codes are not wanted. */
  textsAlone(name: string): Texts {
    return this.derive(`texts of ${name}`, bytesOfArray, () =>
      Texts.parse(this.loadDictionary(name)),
    );
  }
  /** Codes of a dictionary column, one for each event, or null when no event of the segment has it. */
  codes(name: string): Integers | null {
    const column = this.codedBy(name);
    if (column === null) return null;
    if (column.isOfVisits !== true) return column.codes!;
    return this.derive(`codes of ${name}`, bytesOfArray, () =>
      codesOfEvents(column.codes!, this.firstRows),
    );
  }
  /** One for each visit, where all its events have the same in each; else null. */
  visitCodes(name: string): Integers | null {
    const column = this.codedBy(name);
    return column?.isOfVisits === true ? column.codes! : null;
  }
  private codedBy(name: string): Column | null {
    const column = this.column(name);
    return column?.sameCodesAs === undefined ? column : this.column(column.sameCodesAs);
  }
  /** Names of the stored columns. */
  storedNames(): readonly string[] {
    return this.column("*")!.dictionary as readonly string[];
  }
  /** Names of all columns that `codes` knows, keys that are only in the overflow included. */
  columnNames(): readonly string[] {
    const stored = this.storedNames();
    if (this.overflow === null) return stored;
    return [
      ...stored.filter((name) => name !== overflowColumn),
      ...this.overflow.keys().map((key) => `property.${key}`),
    ];
  }

  get users(): Integers {
    return this.integers("visit.user");
  }
  get visitCount(): number {
    return this.users.length;
  }
  /** First row of each visit, and the end of the last one. */
  get firstRows(): Uint32Array {
    return this.derive("first rows", bytesOfArray, () => {
      const lengths = this.visitLengths;
      const rows = new Uint32Array(lengths.length + 1);
      for (let v = 0; v < lengths.length; v++) rows[v + 1] = rows[v] + lengths[v];
      return rows;
    });
  }
  /** Returns the number of events of each visit. */
  get visitLengths(): Integers {
    return this.integers("visit.events");
  }
  get sessionHigh(): Uint32Array {
    return this.integers(sessionHighColumn) as Uint32Array;
  }
  get sessionLow(): Integers {
    return this.integers("visit.session_low");
  }
  get sessionIds(): readonly (string | null)[] {
    return this.dictionary(sessionIdColumn) as readonly (string | null)[];
  }
  /** Returns the id of a visit's session, for reads that ask for few: a large dictionary then reads no others. */
  sessionIdAt(visit: number): string | null {
    if (!this.isDictionaryApart(sessionIdColumn)) return this.sessionIds[visit];
    return this.placedSessionIds.text(visit);
  }
  /** The ids of sessions by visit, where they lie: no strings are made of them. */
  get placedSessionIds(): PlacedTexts {
    if (!this.isDictionaryApart(sessionIdColumn)) return this.texts(sessionIdColumn);
    return this.derive("placed session ids", bytesOfArray, () =>
      placedTexts(this.loadDictionary(sessionIdColumn), this.visitCount),
    );
  }
  /** ms since the first event. The gaps that they are stored as would take as much room in the cache again. */
  get times(): Uint32Array {
    return this.derive("times", bytesOfArray, () =>
      addUpTimes(this.ownWords("event.time"), this.firstRows, this.integers("visit.start")),
    );
  }
  timeAt(row: number): number {
    return this.firstTime + this.times[row];
  }
  /** Number of events of each day, from that of the first event on. */
  get eventsPerDay(): Uint32Array {
    return this.derive("events per day", bytesOfArray, () => eventsPerDay(this, this.timesOfRows));
  }
  /** Only ties of equal times and the ids of events shown need them. */
  get tickets(): Float64Array {
    return this.derive("tickets", bytesOfArray, () =>
      ticketsOf(
        this.firstTime,
        this.times,
        this.integers("event.ticket"),
        this.column("event.ticket_high")?.codes ?? null,
        this.integers("event.counter"),
      ),
    );
  }
  ticketAt(row: number): number {
    return this.tickets[row];
  }
  /** Visit of each row, for the reads that go row by row. */
  get visitOfRow(): Uint32Array {
    return this.derive("visit of row", bytesOfArray, () => {
      const rows = this.firstRows;
      const visits = new Uint32Array(this.eventCount);
      for (let v = 0; v + 1 < rows.length; v++) visits.fill(v, rows[v], rows[v + 1]);
      return visits;
    });
  }

  /** The properties of one event exactly as sent, as JSON text; null when it had none. */
  propertiesAt(row: number): string | null {
    if (this.shapeAt(row) === null) return null;
    const pieces: string[] = [];
    this.addPropertiesAt(row, pieces);
    return pieces.join("");
  }
  /** Adds the properties of one event in pieces, for a text of many events: it is put together once. */
  addPropertiesAt(row: number, pieces: string[]): void {
    this.propertyTexts ??= new PropertyTexts(this);
    this.propertyTexts.addAt(row, pieces);
  }
  /** The top-level keys of one event in order; null when it had no properties. */
  keysAt(row: number): readonly string[] | null {
    const shape = this.shapeAt(row);
    if (shape === null || !shape.includes(null)) return shape as readonly string[] | null;
    const left = this.overflow!.membersAt(row);
    let next = 0;
    return shape.map((key) => key ?? parseString(left[next++][0]));
  }

  /** The properties that have no column of their own; null when each has one. */
  get overflow(): Overflow | null {
    if (!this.storedNames().includes(overflowColumn)) return null;
    return this.derive(
      "overflow texts",
      (overflow) => overflow.byteLength,
      () => new Overflow(this.column(overflowColumn)!, this.eventCount),
    );
  }
  private columnInOverflow(name: string): Column | null {
    if (!name.startsWith("property.") || this.overflow === null) return null;
    const { overflow } = this;
    return this.derive(`overflow ${name}`, bytesOfColumn, () =>
      overflow.column(name.slice("property.".length)),
    );
  }
  private shapeAt(row: number): readonly ShapeKey[] | null {
    const code = this.codes("event.shape")?.[row] ?? 0;
    return code === 0 ? null : (this.dictionary("event.shape")[code - 1] as readonly ShapeKey[]);
  }
}
