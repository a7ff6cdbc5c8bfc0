import { dayOf } from "../../../domain/event";
import { dayMs } from "../../../lib/clock";
import { rowLine } from "../../shared/event-line";
import { parseString } from "../../shared/json-text";
import { type Tuning, usualTuning } from "../tuning";
import type { BuiltSegment } from "./built";
import type { BuiltColumn } from "./column";
import type { ColumnKeys } from "./column-keys";
import { type CodedTexts, DenseColumn, inOrder, type SparseColumn } from "./dictionary";
import { overflowColumn } from "./overflow";
import { PropertyCollector, type Target } from "./properties";
import { joinRows, lastOfLine, type RowSink, readRows } from "./rows";
import type { Segment } from "./segment";
import {
  addSessionIds,
  addTicketColumns,
  addTimeColumns,
  addVisitColumns,
  type CollectedEvents,
} from "./visit-columns";
import { Visits } from "./visits";

interface WholeSegment extends BuiltSegment {
  /** The number of each event in the order of adding, by row. */
  readonly order: Uint32Array;
}

interface BuilderOptions {
  /** The keys that get a column; null if the first keys that occur get one, up to the limit. */
  readonly keys?: ColumnKeys | null;
  readonly tuning?: Tuning;
}

/** Collects events from rows or other segments, and builds segments from them. */
export class SegmentBuilder implements CollectedEvents, RowSink {
  private size = 0;
  readonly times: Float64Array;
  readonly tickets: Float64Array;
  readonly visitOf: Uint32Array;
  readonly visits: Visits;
  readonly names: DenseColumn;
  private readonly countries: DenseColumn;
  private readonly properties: PropertyCollector;
  private readonly columnEventsMin: number;
  private isForCounting = false;

  constructor(
    private readonly projectId: number,
    capacity: number,
    seed: bigint,
    { keys = null, tuning = usualTuning }: BuilderOptions = {},
  ) {
    this.columnEventsMin = tuning.columnEventsMin;
    this.times = new Float64Array(capacity);
    this.tickets = new Float64Array(capacity);
    this.visitOf = new Uint32Array(capacity);
    this.visits = new Visits(seed);
    this.names = new DenseColumn(capacity);
    this.countries = new DenseColumn(capacity);
    this.properties = new PropertyCollector(capacity, keys, tuning);
  }

  get eventCount(): number {
    return this.size;
  }
  /** Tells whether there were more keys than columns: with frequent keys chosen first, the segment would be better. */
  get isOverfull(): boolean {
    return this.properties.isOverfull;
  }

  addRows(text: string): void {
    readRows(text, this);
  }
  /**
   * Adds rows without properties and ids, for reads that only count, which are most reads. row-columns.ts builds the
   * other columns when a read needs them.
   */
  addRowsForCounting(text: string): void {
    this.isForCounting = true;
    readRows(text, this);
  }
  add(
    ticket: number,
    timeMs: number,
    user: number,
    name: string,
    sessionId: string | null,
    country: string | null,
  ): void {
    const row = this.size++;
    this.times[row] = timeMs;
    this.tickets[row] = ticket;
    this.visitOf[row] = this.visits.numberOf(user, sessionId);
    this.names.set(row, name);
    if (country !== null) this.countries.set(row, country);
  }
  addProperties(text: string, at: number): number {
    if (this.isForCounting) return lastOfLine(text, at);
    return this.properties.add(this.size - 1, text, at);
  }

  addSegment(segment: Segment): void {
    const at = this.size;
    const { eventCount, firstTime, times, tickets } = segment;
    for (let i = 0; i < eventCount; i++) {
      this.times[at + i] = firstTime + times[i];
      this.tickets[at + i] = tickets[i];
    }
    const { users, sessionIds, sessionHigh, sessionLow, firstRows } = segment;
    for (let v = 0; v < users.length; v++) {
      const visit = this.visits.numberOf(users[v], sessionIds[v], [sessionHigh[v], sessionLow[v]]);
      this.visitOf.fill(visit, at + firstRows[v], at + firstRows[v + 1]);
    }
    this.append(segment, "event.name", this.names);
    this.append(segment, "event.country", this.countries);
    if (!this.properties.addColumns(segment, at)) {
      for (let i = 0; i < eventCount; i++) {
        const properties = segment.propertiesAt(i);
        if (properties !== null) this.properties.add(at + i, properties, 0);
      }
    }
    this.size += eventCount;
  }

  /** Builds one segment with all events from a time on, for a read of a segment of rows or of a clipped segment. */
  buildWhole(retainedFromMs = 0): WholeSegment {
    const rows = new Uint32Array(this.size);
    let count = 0;
    for (let row = 0; row < this.size; row++) {
      if (this.times[row] >= retainedFromMs) rows[count++] = row;
    }
    return this.build([rows.subarray(0, count)])[0];
  }

  /** Builds a segment for each day with enough events, and one per month for the others. Skips events before a time. */
  buildByDay(retainedFromMs = 0): BuiltSegment[] {
    const groups = [...this.rowsByPlace(retainedFromMs).values()];
    const isSmall = (rows: readonly number[]): boolean => rows.length < this.columnEventsMin;
    return [
      ...this.buildRows(groups.filter(isSmall)),
      ...this.build(groups.filter((rows) => !isSmall(rows)).map((rows) => new Uint32Array(rows))),
    ];
  }

  private rowsByPlace(retainedFromMs: number): Map<number, number[]> {
    const perDay = new Map<number, number>();
    for (let row = 0; row < this.size; row++) {
      if (this.times[row] < retainedFromMs) continue;
      const day = dayOf(this.times[row]);
      perDay.set(day, (perDay.get(day) ?? 0) + 1);
    }
    const groups = new Map<number, number[]>();
    for (let row = 0; row < this.size; row++) {
      if (this.times[row] < retainedFromMs) continue;
      const day = dayOf(this.times[row]);
      const hasOwn = perDay.get(day)! >= this.columnEventsMin;
      const place = hasOwn ? day * 2 : monthOf(day) * 2 + 1;
      const group = groups.get(place);
      if (group === undefined) groups.set(place, [row]);
      else group.push(row);
    }
    return groups;
  }

  /** Builds segments of rows, in order of tickets: for so few events columns would not pay. */
  private buildRows(groups: readonly number[][]): BuiltSegment[] {
    const dense = new Map<SparseColumn, Uint32Array>();
    const codesOf = (column: SparseColumn): Uint32Array => {
      const codes = dense.get(column) ?? column.denseCodes(this.size);
      dense.set(column, codes);
      return codes;
    };
    return groups.map((rows) => {
      rows.sort((a, b) => this.tickets[a] - this.tickets[b]);
      const text = joinRows({
        tickets: rows.map((row) => this.tickets[row]),
        users: rows.map((row) => this.visits.users[this.visitOf[row]]),
        lines: rows.map((row) => this.line(row, codesOf)),
      });
      return { info: this.info(rows, "rows"), columns: new Map(), rows: text };
    });
  }
  private line(row: number, codesOf: (column: SparseColumn) => Uint32Array): string {
    return rowLine(
      this.times[row],
      parseString(this.names.textAt(row)!),
      this.visits.sessionIds[this.visitOf[row]],
      parsed(this.countries.textAt(row)),
      this.properties.textAt(row, codesOf),
    );
  }

  private build(groups: readonly Uint32Array[]): WholeSegment[] {
    const built = groups.map((rows) => {
      const sorted = this.visits.sort(rows, this.visitOf, this.times, this.tickets);
      const info = this.info(rows, "columns");
      const columns = new Map<string, BuiltColumn>();
      addVisitColumns(columns, this, info.firstTime, sorted);
      addTimeColumns(columns, this, sorted);
      if (!this.isForCounting) {
        addSessionIds(columns, this.sessionIdsOf(sorted.visits));
        addTicketColumns(columns, this, info.firstTime, sorted.order);
      }
      const target = targetOf(sorted.order, columns);
      const { order, giveColumn } = target;
      giveColumn("event.name", inOrder(this.names.dictionary.texts, this.names.codes, order));
      const { dictionary, codes } = this.countries;
      giveColumn("event.country", inOrder(dictionary.texts, codes, order));
      return { info, columns, ...target };
    });
    this.properties.build(this.size, built);
    return built.map(({ info, columns, order }) => ({ info, columns, order, rows: null }));
  }

  private *sessionIdsOf(visits: Uint32Array): Generator<string | null> {
    for (const visit of visits) yield this.visits.sessionIds[visit];
  }

  private info(rows: ArrayLike<number>, encoding: "rows" | "columns"): BuiltSegment["info"] {
    let firstTime = Number.POSITIVE_INFINITY;
    let lastTime = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < rows.length; i++) {
      const time = this.times[rows[i]];
      if (time < firstTime) firstTime = time;
      if (time > lastTime) lastTime = time;
    }
    const { projectId } = this;
    return { projectId, firstTime, lastTime, eventCount: rows.length, encoding };
  }

  private append(segment: Segment, name: string, into: DenseColumn): void {
    const codes = segment.codes(name)!;
    const translated = into.dictionary.translate(segment.dictionary(name));
    for (let i = 0; i < codes.length; i++) into.codes[this.size + i] = translated[codes[i]];
  }
}

/** Returns a target that stores columns. If a column's codes equal another's, it stores only the dictionary. */
export function targetOf(order: Uint32Array, columns: Map<string, BuiltColumn>): Target {
  const coded = new Map<number, readonly [name: string, column: CodedTexts]>();
  return {
    order,
    giveColumn: (name, column) => {
      const [twin, other] = coded.get(column.fingerprint) ?? [name, column];
      const isTwin = other !== column && areEqual(other.codes, column.codes);
      columns.set(name, isTwin ? { texts: column.texts, sameCodesAs: twin } : column);
      if (other === column) coded.set(column.fingerprint, [name, column]);
    },
    giveOverflow: (lines, codes) => {
      columns.set(overflowColumn, { lines, codes });
    },
  };
}

const parsed = (text: string | null): string | null => (text === null ? null : parseString(text));

function areEqual(a: Uint32Array, b: Uint32Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Returns the number of months since 1970. */
export function monthOf(day: number): number {
  const date = new Date(day * dayMs);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}
