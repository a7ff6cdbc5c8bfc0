import { parseString } from "../../shared/json-text";
import type { Integers } from "./codec";
import type { Column, ColumnSource, Keep, SegmentInfo, ShapeKey } from "./column";
import { bytesOfColumn, bytesOfValues } from "./column-bytes";
import { eventsPerDay } from "./days";
import { placedTexts } from "./fixed-length-texts";
import { Overflow, overflowColumn } from "./overflow";
import { PropertyTexts } from "./property-texts";
import { isCounted } from "./stored-counts";
import { type PlacedTexts, Texts } from "./texts";
import { addUpTimes, ticketsOf } from "./ticket-columns";
import { codesOfEvents } from "./visit-codes";

/** This column is sorted, so the file has differences. The reader adds them up. */
export const sessionHighColumn = "visit.session_high";
/** The dictionary of this column has one value for each visit, in order. It has no codes. */
export const sessionIdColumn = "visit.session_id";

export const bytesOfArray = (array: { readonly byteLength: number }): number => array.byteLength;

/**
 * The decoded view of a segment. Events are grouped into *visits*: the events of one user in one session (either may be
 * missing), in order of time. Visits are sorted by session key, then by user. A value that is the same for a whole
 * visit is stored once, so reads about users and sessions need no columns of events.
 *
 *   visit.user  visit.session_high  visit.session_low  visit.session_id  visit.start  visit.duration
 *   visit.events  visit.interactive  visit.page_views
 *   event.time  event.ticket  event.ticket_high  event.counter  event.name  event.country  event.shape
 *   property.<key>…  overflow (the properties that have no column, as JSON objects)
 */
export class Segment {
  /** The columns and values that this view has used. A view lives for one read; the cache behind it may keep them. */
  private readonly used = new Map<string, unknown>();
  private propertyTexts: PropertyTexts | null = null;

  constructor(
    readonly info: SegmentInfo,
    /** Identifies the content in caches: the id, and the time of a clip. */
    readonly key: string,
    private readonly load: ColumnSource,
    private readonly keep: Keep,
    /** Returns the times of events in a segment of rows without making columns. */
    private readonly timesOfRows: (() => readonly number[]) | null = null,
    /** Returns a dictionary without its codes, as JSON in UTF-8. */
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

  /** Releases all columns. The next use loads a column from the cache or the file again. */
  release(): void {
    this.used.clear();
    this.propertyTexts = null;
  }

  /** Returns a value computed from columns, such as the times of rows. The cache keeps it like a column. */
  derive<T>(name: string, bytesOf: (value: T) => number, make: () => T): T {
    const cached = this.used.get(name) as T | undefined;
    if (cached !== undefined) return cached;
    const value = this.keep(name, bytesOf, make);
    this.used.set(name, value);
    return value;
  }
  /** Returns a stored column; null if the segment has no column with this name. */
  column(name: string): Column | null {
    const cached = this.used.get(name) as Column | null | undefined;
    if (cached !== undefined) return cached;
    const column = this.load(name) ?? this.columnInOverflow(name);
    this.used.set(name, column);
    return column;
  }
  /** Returns the integers of a column that the caller reads once, without caching them. */
  integersOnce(name: string): Integers | null {
    const cached = this.used.get(name) as Column | null | undefined;
    return (cached ?? this.loadOnce(name))?.codes ?? null;
  }
  /** Returns the integers of a column in a new array of words, which the caller may change. */
  ownWords(name: string): Uint32Array {
    const isShared = this.used.has(name) || this.loadOnce === this.load;
    const integers = this.integersOnce(name)!;
    return integers instanceof Uint32Array && !isShared ? integers : new Uint32Array(integers);
  }
  /** Returns integers as stored: a dictionary column may have one for each visit, where `codes` has one per event. */
  integers(name: string): Integers {
    return this.column(name)!.codes!;
  }
  dictionary(name: string): readonly unknown[] {
    const column = this.column(name);
    return column?.isDictionaryApart === true
      ? this.dictionaryAlone(name)
      : (column?.dictionary ?? []);
  }
  /** Returns a stored dictionary, for a caller that does not need the codes. */
  dictionaryAlone(name: string): readonly unknown[] {
    return this.derive(`values of ${name}`, bytesOfValues, () =>
      JSON.parse(this.loadDictionary(name).toString()),
    );
  }
  /** Returns the values of a dictionary as texts. */
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
  /** Returns the texts of a stored dictionary, for a caller that does not need the codes. */
  textsAlone(name: string): Texts {
    return this.derive(`texts of ${name}`, bytesOfArray, () =>
      Texts.parse(this.loadDictionary(name)),
    );
  }
  /** Returns the codes of a dictionary column, one for each event; null if no event of the segment has a value. */
  codes(name: string): Integers | null {
    const column = this.codedBy(name);
    if (column === null) return null;
    if (column.isOfVisits !== true) return column.codes!;
    return this.derive(`codes of ${name}`, bytesOfArray, () =>
      codesOfEvents(column.codes!, this.firstRows),
    );
  }
  /** Returns one code for each visit if all its events have the same code; else null. */
  visitCodes(name: string): Integers | null {
    const column = this.codedBy(name);
    return column?.isOfVisits === true ? column.codes! : null;
  }
  private codedBy(name: string): Column | null {
    const column = this.column(name);
    return column?.sameCodesAs === undefined ? column : this.column(column.sameCodesAs);
  }
  /** Returns the names of the stored columns. */
  storedNames(): readonly string[] {
    return this.column("*")!.dictionary as readonly string[];
  }
  /** Returns the names of all columns that `codes` returns, including keys that only the overflow has. */
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
  /** Returns the first row of each visit, and the end of the last one. */
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
  /** Returns the session id of a visit, without parsing the others of a large dictionary. */
  sessionIdAt(visit: number): string | null {
    if (!this.isDictionaryApart(sessionIdColumn)) return this.sessionIds[visit];
    return this.placedSessionIds.text(visit);
  }
  /** Returns the session ids by visit as bytes, without strings for them. */
  get placedSessionIds(): PlacedTexts {
    if (!this.isDictionaryApart(sessionIdColumn)) return this.texts(sessionIdColumn);
    return this.derive("placed session ids", bytesOfArray, () =>
      placedTexts(this.loadDictionary(sessionIdColumn), this.visitCount),
    );
  }
  /** Returns ms since the first event. The cache keeps these times, but not the stored gaps from which they follow. */
  get times(): Uint32Array {
    return this.derive("times", bytesOfArray, () =>
      addUpTimes(this.ownWords("event.time"), this.firstRows, this.integers("visit.start")),
    );
  }
  timeAt(row: number): number {
    return this.firstTime + this.times[row];
  }
  /** Returns the number of events of each day, beginning with the day of the first event. */
  get eventsPerDay(): Uint32Array {
    return this.derive("events per day", bytesOfArray, () => eventsPerDay(this, this.timesOfRows));
  }
  /** Returns the ticket of each row. Only ids of events and the order of events with equal times need them. */
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
  /** Returns the visit of each row, for reads that go row by row. */
  get visitOfRow(): Uint32Array {
    return this.derive("visit of row", bytesOfArray, () => {
      const rows = this.firstRows;
      const visits = new Uint32Array(this.eventCount);
      for (let v = 0; v + 1 < rows.length; v++) visits.fill(v, rows[v], rows[v + 1]);
      return visits;
    });
  }

  /** Returns the properties of one event as JSON text, exactly as the client sent them; null if it has none. */
  propertiesAt(row: number): string | null {
    if (this.shapeAt(row) === null) return null;
    const pieces: string[] = [];
    this.addPropertiesAt(row, pieces);
    return pieces.join("");
  }
  /** Appends the properties of one event in pieces. A caller that writes many events joins all pieces once. */
  addPropertiesAt(row: number, pieces: string[]): void {
    this.propertyTexts ??= new PropertyTexts(this);
    this.propertyTexts.addAt(row, pieces);
  }
  /** Returns the top-level keys of one event in order; null if it has no properties. */
  keysAt(row: number): readonly string[] | null {
    const shape = this.shapeAt(row);
    if (shape === null || !shape.includes(null)) return shape as readonly string[] | null;
    const left = this.overflow!.membersAt(row);
    let next = 0;
    return shape.map((key) => key ?? parseString(left[next++][0]));
  }

  /** Returns the properties that have no column of their own; null if each has one. */
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
