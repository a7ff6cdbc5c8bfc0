/*
 * A share sees segments of its own.
 * Decision: of each segment a share with filters has the rows that pass, as a segment whose columns are picked out of
 * the whole one when they are asked for. Whatever is counted, sessions and users included, is made of these.
 * Because: as conditions on counts the filters left out events, and not what follows from the others: sessions had
 * pages, sources and goals that the share must not see. Each question would have had to be mended by itself.
 * Cost: the columns that such reads ask for are in the cache a second time, as are tables of sessions. What is stored
 * counted of whole segments is of no use to them.
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

/** Some rows of a segment by their numbers there, ascending, and the visits that have one. */
interface Picked {
  readonly rows: Uint32Array;
  readonly visits: Uint32Array;
  /** The first row of each of the visits among those that were picked, and the end of the last one. */
  readonly firstRows: Uint32Array;
  /** The times of the earliest and the latest one. */
  readonly firstTime: number;
  readonly lastTime: number;
}

/** The events of a segment that are marked, as a whole segment: nothing shows that there are others. */
export class PickedSegment extends Segment {
  readonly #source: Segment;
  readonly #picked: Picked;

  private constructor(source: Segment, key: string, keep: Keep, picked: Picked) {
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

  /** `key` tells these marks of this segment from any others. */
  static of(source: Segment, marks: () => Uint8Array, key: string, keep: Keep): PickedSegment {
    const picked = keep("picked", bytesOfPicked, () => pickedOf(source, marks()));
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
      picked(this.#source.tickets, this.#picked.rows),
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

/** The columns of a segment as far as its rows were picked. */
class PickedColumns {
  constructor(
    private readonly source: Segment,
    private readonly picked: Picked,
  ) {}

  /** What is stored beside columns, such as counts of their values, is of all rows: it is as if it were not there. */
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
    if (isOfVisits === true) return { codes: picked(codes!, visits), isOfVisits };
    return { codes: picked(codes!, rows) };
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
    return { dictionary: [texts.join("\n")], codes: picked(marks, rows) };
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
        return this.judged(name, (value) => !nonInteractiveEvents.has(String(value)), Math.max);
      case "visit.page_views":
        return this.judged(
          name,
          (value) => value === "page_view",
          (sum, is) => sum + is,
        );
      default:
        return picked(source.integers(name), visits);
    }
  }
  /** Joins what is thought of the events of each visit: of a visit that was picked as a whole it is stored. */
  private judged(
    name: string,
    is: (event: unknown) => boolean,
    join: (before: number, one: number) => number,
  ): Integers {
    const { source } = this;
    const { visits, firstRows, rows } = this.picked;
    const ofVisits = picked(source.integers(name), visits);
    const lengths = source.visitLengths;
    const verdicts = Uint8Array.from([
      0,
      ...source.dictionary("event.name").map((one) => +is(one)),
    ]);
    for (let v = 0; v < visits.length; v++) {
      if (firstRows[v + 1] - firstRows[v] === lengths[visits[v]]) continue;
      const names = source.codes("event.name")!;
      let joined = 0;
      for (let i = firstRows[v]; i < firstRows[v + 1]; i++) {
        joined = join(joined, verdicts[names[rows[i]]]);
      }
      ofVisits[v] = joined;
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
    const column = ticketColumns(firstTime, times, picked(source.tickets, rows)).get(name);
    return column?.codes === undefined ? null : { codes: column.codes };
  }
}

/** Tells columns that have a value for each row or visit, and the overflow, from what is stored beside them. */
const isOfRows = (name: string): boolean =>
  /^(visit|event|property)\./.test(name) || name === overflowColumn;

const bytesOfPicked = ({ rows, visits, firstRows }: Picked): number =>
  rows.byteLength + visits.byteLength + firstRows.byteLength;
const bytesPerId = 80;
const bytesOfIds = (ids: readonly unknown[]): number => ids.length * bytesPerId;

function pickedOf(source: Segment, marks: Uint8Array): Picked {
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

/** The times of the rows that were picked, in ms after the first of them; the caller may change them. */
function timesOf(source: Segment, { rows, firstTime }: Picked): Uint32Array {
  const times = picked(source.times, rows);
  const shift = firstTime - source.firstTime;
  for (let i = 0; i < times.length; i++) times[i] -= shift;
  return times;
}

/** The values at some places, in an array of the same kind that nobody else has. */
function picked<Values extends Integers | Float64Array>(
  values: Values,
  places: Uint32Array,
): Values {
  const own = values.slice(0, places.length);
  for (let i = 0; i < places.length; i++) own[i] = values[places[i]];
  return own as Values;
}
