/*
 * A share reads its own segments.
 * Decision: a share with filters reads each segment as if it had only the rows that pass. The columns of this smaller
 * segment are picked from those of the whole segment at their first use. All counts, those of sessions and users
 * included, follow from these columns.
 * Because: when the filters were conditions of counts, they left out events, but not the facts that follow from these
 * events: sessions had pages, sources and goals that the share must not see. Each question would have needed its own
 * correction.
 * Cost: the cache stores the columns and tables of sessions of such reads a second time. These reads cannot use the
 * stored counts of whole segments.
 * Revisit: if most reads come from such shares.
 */

import { nonInteractiveEvents } from "../../../domain/event";
import type { Integers } from "./codec";
import type { Column, Keep, SegmentInfo } from "./column";
import { bytesOfColumn } from "./column-bytes";
import { overflowColumn } from "./overflow";
import { bytesOfArray, Segment, sessionIdColumn } from "./segment";
import type { PlacedTexts, Texts } from "./texts";
import { ticketColumns } from "./ticket-columns";

/** Some rows of a segment, ascending, and the visits that have one of them. */
interface PickedRows {
  readonly rows: Uint32Array;
  readonly visits: Uint32Array;
  /** For each visit the index of its first row in `rows`, and the end of the last visit. */
  readonly firstRows: Uint32Array;
  /** The times of the earliest and the latest of the rows in ms. */
  readonly firstTime: number;
  readonly lastTime: number;
}

/** A segment that has the marked events of another segment, as if there were no others. */
export class PickedSegment extends Segment {
  readonly #source: Segment;
  readonly #picked: PickedRows;

  private constructor(source: Segment, key: string, keep: Keep, picked: PickedRows) {
    const { id, projectId, encoding, overlap } = source.info;
    const { firstTime, lastTime, rows } = picked;
    const eventCount = rows.length;
    const info: SegmentInfo = {
      ...{ id, projectId, firstTime, lastTime, eventCount },
      ...{ encoding, overlap },
    };
    const columns = new PickedColumns(source, picked);
    super(info, key, (name) => keep(name, bytesOfColumn, () => columns.column(name)), keep);
    this.#source = source;
    this.#picked = picked;
  }

  /** `key` identifies the segment and the marks in the cache. */
  static of(source: Segment, marks: () => Uint8Array, key: string, keep: Keep): PickedSegment {
    const picked = keep("picked", bytesOfPicked, () => pickRows(source, marks()));
    return new PickedSegment(source, key, keep, picked);
  }

  override get firstRows(): Uint32Array {
    return this.#picked.firstRows;
  }
  override get times(): Uint32Array {
    return this.derive("times", bytesOfArray, () => timesOf(this.#source, this.#picked));
  }
  override get tickets(): Float64Array {
    return this.derive("tickets", bytesOfArray, () =>
      gather(this.#source.tickets, this.#picked.rows),
    );
  }
  override dictionary(name: string): readonly unknown[] {
    if (name !== sessionIdColumn) return this.#source.dictionary(name);
    return this.derive("session ids", bytesOfIds, () => {
      const { sessionIds } = this.#source;
      return Array.from(this.#picked.visits, (visit) => sessionIds[visit]);
    });
  }
  override dictionaryAlone(name: string): readonly unknown[] {
    return this.#source.dictionaryAlone(name);
  }
  override texts(name: string): Texts {
    return this.#source.texts(name);
  }
  override textsAlone(name: string): Texts {
    return this.#source.textsAlone(name);
  }
  override isDictionaryApart(name: string): boolean {
    return this.#source.isDictionaryApart(name);
  }
  override sessionIdAt(visit: number): string | null {
    return this.#source.sessionIdAt(this.#picked.visits[visit]);
  }
  override get placedSessionIds(): PlacedTexts {
    const { visits } = this.#picked;
    const ids = this.#source.placedSessionIds;
    return {
      bytes: ids.bytes,
      byteLength: ids.byteLength,
      startOf: (visit) => ids.startOf(visits[visit]),
      endOf: (visit) => ids.endOf(visits[visit]),
      text: (visit) => ids.text(visits[visit]),
    };
  }
}

/** The columns of a segment with the values of the picked rows. */
class PickedColumns {
  constructor(
    private readonly source: Segment,
    private readonly picked: PickedRows,
  ) {}

  /** Returns null for stored counts and the like, as these include all rows of the segment. */
  column(name: string): Column | null {
    if (name === "*") return { dictionary: this.source.storedNames().filter(isOfRows) };
    if (name === overflowColumn) return this.overflow();
    if (name.startsWith("visit.")) return { codes: this.visitColumn(name) };
    if (name === "event.time") return { codes: this.gaps() };
    if (name.startsWith("event.ticket") || name === "event.counter") return this.ticketColumn(name);
    return isOfRows(name) ? this.valuesOf(name) : null;
  }

  private valuesOf(name: string): Column | null {
    const column = this.source.column(name);
    if (column === null) return null;
    const { codes, sameCodesAs, isOfVisits } = column;
    if (sameCodesAs !== undefined) return { sameCodesAs };
    const { rows, visits } = this.picked;
    if (isOfVisits === true) return { codes: gather(codes!, visits), isOfVisits };
    return { codes: gather(codes!, rows) };
  }
  private overflow(): Column | null {
    const { overflow } = this.source;
    const marks = this.source.column(overflowColumn)?.codes;
    if (overflow === null || marks === undefined) return null;
    const { rows } = this.picked;
    const texts = Array.from(
      rows.filter((row) => marks[row] !== 0),
      (row) => overflow.textAt(row),
    );
    return { dictionary: [texts.join("\n")], codes: gather(marks, rows) };
  }

  private visitColumn(name: string): Integers {
    const { source } = this;
    const { visits, firstRows } = this.picked;
    switch (name) {
      case "visit.start":
        return this.timesOfVisits().starts;
      case "visit.duration":
        return this.timesOfVisits().durations;
      case "visit.events":
        return Uint32Array.from(visits, (_, v) => firstRows[v + 1] - firstRows[v]);
      case "visit.interactive":
        return this.combineEvents(
          name,
          (value) => !nonInteractiveEvents.has(String(value)),
          Math.max,
        );
      case "visit.page_views":
        return this.combineEvents(
          name,
          (value) => value === "page_view",
          (sum, is) => sum + is,
        );
      default:
        return gather(source.integers(name), visits);
    }
  }
  /**
   * Tests the name of each picked event, and combines the results of each visit. If all events of a visit were picked,
   * the value stored for the visit is right.
   */
  private combineEvents(
    name: string,
    test: (event: unknown) => boolean,
    combine: (before: number, result: number) => number,
  ): Integers {
    const { source } = this;
    const { visits, firstRows, rows } = this.picked;
    const ofVisits = gather(source.integers(name), visits);
    const lengths = source.visitLengths;
    const results = Uint8Array.from([
      0,
      ...source.dictionary("event.name").map((event) => +test(event)),
    ]);
    for (let v = 0; v < visits.length; v++) {
      if (firstRows[v + 1] - firstRows[v] === lengths[visits[v]]) continue;
      const names = source.codes("event.name")!;
      let combined = 0;
      for (let i = firstRows[v]; i < firstRows[v + 1]; i++) {
        combined = combine(combined, results[names[rows[i]]]);
      }
      ofVisits[v] = combined;
    }
    return ofVisits;
  }

  private timesOfVisits(): { readonly starts: Uint32Array; readonly durations: Uint32Array } {
    const { firstRows, visits } = this.picked;
    const times = timesOf(this.source, this.picked);
    const starts = Uint32Array.from(visits, (_, v) => times[firstRows[v]]);
    const durations = Uint32Array.from(visits, (_, v) => times[firstRows[v + 1] - 1] - starts[v]);
    return { starts, durations };
  }
  private gaps(): Uint32Array {
    const { firstRows } = this.picked;
    const gaps = timesOf(this.source, this.picked);
    for (let v = 0; v + 1 < firstRows.length; v++) {
      for (let i = firstRows[v + 1] - 1; i > firstRows[v]; i--) gaps[i] -= gaps[i - 1];
      gaps[firstRows[v]] = 0;
    }
    return gaps;
  }
  private ticketColumn(name: string): Column | null {
    const { source } = this;
    const { firstTime, rows } = this.picked;
    const times = timesOf(source, this.picked);
    const column = ticketColumns(firstTime, times, gather(source.tickets, rows)).get(name);
    return column?.codes === undefined ? null : { codes: column.codes };
  }
}

/** Tells whether a column has values of rows or visits, and not counts of a whole segment. */
const isOfRows = (name: string): boolean =>
  /^(visit|event|property)\./.test(name) || name === overflowColumn;

const bytesOfPicked = ({ rows, visits, firstRows }: PickedRows): number =>
  rows.byteLength + visits.byteLength + firstRows.byteLength;
const bytesPerId = 80;
const bytesOfIds = (ids: readonly unknown[]): number => ids.length * bytesPerId;

function pickRows(source: Segment, marks: Uint8Array): PickedRows {
  const { firstRows: wholeRows, visitCount } = source;
  let times: Uint32Array | null = null;
  const rows = new Uint32Array(marks.length);
  const visits = new Uint32Array(visitCount);
  const firstRows = new Uint32Array(visitCount + 1);
  let [rowCount, count] = [0, 0];
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let v = 0; v < visitCount; v++) {
    const before = rowCount;
    for (let row = wholeRows[v]; row < wholeRows[v + 1]; row++) {
      if (marks[row] !== 0) rows[rowCount++] = row;
    }
    if (rowCount === before) continue;
    visits[count++] = v;
    firstRows[count] = rowCount;
    times ??= source.times;
    first = Math.min(first, times[rows[before]]);
    last = Math.max(last, times[rows[rowCount - 1]]);
  }
  return {
    rows: rows.slice(0, rowCount),
    visits: visits.slice(0, count),
    firstRows: firstRows.slice(0, count + 1),
    firstTime: source.firstTime + first,
    lastTime: source.firstTime + last,
  };
}

/** Returns a new array with the times of the picked rows, in ms after the first of them. */
function timesOf(source: Segment, { rows, firstTime }: PickedRows): Uint32Array {
  const times = gather(source.times, rows);
  const shift = firstTime - source.firstTime;
  for (let i = 0; i < times.length; i++) times[i] -= shift;
  return times;
}

/** Returns a new array of the same type with the values at some places. */
function gather<Values extends Integers | Float64Array>(
  values: Values,
  places: Uint32Array,
): Values {
  const own = values.slice(0, places.length);
  for (let i = 0; i < places.length; i++) own[i] = values[places[i]];
  return own as Values;
}
