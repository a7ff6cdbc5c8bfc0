import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import type { Texts } from "../segment/texts";
import { type Edge, OutermostRow } from "../sets/outermost-row";
import type { Reading, ValueColumn } from "../sets/row-values";
import { TextTable } from "../sets/text-table";
import type { Workspace } from "../sets/workspace";
import type { CachedValues } from "./field-values";
import { SessionColumn } from "./session-column";
import type { SessionLinks } from "./session-links";
import { RowsOfValues, type VisitValues, visitValues } from "./visit-values";

/** A text is its own value. The empty text is no value. */
const ownText =
  (table: TextTable): Reading =>
  (bytes, from, to) =>
    from === to ? 0 : table.numberOf(bytes, from, to) + 1;

/**
 * The texts of a field with their numbers. It remembers the numbers of each segment's texts as long as the cache keeps
 * these texts, so that entry and exit pages, and a table that extends another, read them once.
 */
class FieldTexts {
  readonly table: TextTable;
  readonly known = new WeakMap<Texts, Uint32Array>();

  constructor({ secret, budget }: Workspace) {
    this.table = new TextTable(secret, budget);
  }
}

/** A field of sessions that has the value of an event: of the first or the last one that has a value. */
export interface EdgeField extends Pick<ValueColumn, "isOfStrings"> {
  readonly edge: Edge;
  /** An event has the value of the first of these columns that has one. */
  readonly columns: readonly string[];
  /** Returns a function that numbers the value of a text in a table. */
  readonly readingInto?: (table: TextTable) => Reading;
}

/** The sessions whose values are computed, by numbers from 1. */
export interface EdgeSource {
  readonly count: number;
  /** By segment, the numbers of the visits of these sessions; 0 for other visits. */
  readonly visits: Iterable<readonly [segment: number, numbers: Uint32Array]>;
  readonly links: Pick<SessionLinks, "count" | "places">;
  /** The texts of the table that another table extends, or of another field with the same columns. */
  readonly texts?: FieldTexts | undefined;
}

/** The values of the table that another table extends, and the sessions that changed. */
interface Base {
  readonly values: EdgeValues;
  readonly changed: Uint32Array;
}

/** A table may keep texts that no session has any more: as many as it had at first, and this number. */
const spareTexts = 4_096;

/**
 * The value of each session in its first or last event that has one: a value that is neither null nor an empty text.
 * Each text of a segment is read once. Cost: one look at each visit if its first code is stored, else at its events
 * from the edge on.
 */
export class EdgeValues implements CachedValues {
  private readonly column: SessionColumn<Integers>;
  readonly texts: FieldTexts;
  private readonly textsMax: number;

  constructor(
    source: EdgeSource,
    private readonly workspace: Workspace,
    { edge, columns: names, readingInto = ownText, isOfStrings }: EdgeField,
    base: Base | null = null,
  ) {
    const { budget } = workspace;
    const { count, links, visits } = source;
    this.texts = base?.values.texts ?? source.texts ?? new FieldTexts(workspace);
    const { table, known } = this.texts;
    this.column =
      base?.values.column.extended(count, base.changed, budget) ??
      SessionColumn.of<Integers>(Uint8Array, 0, count, budget);
    const read = readingInto(table);
    const columns = names.map((name) => ({ name, read, isOfStrings, known }));
    const { rowOf } = new RowsOfValues(columns, edge, budget);
    const outermost = new OutermostRow(links.count + 1, edge, budget, rowOf);
    for (const [id, numbers] of visits) {
      workspace.check();
      const segment = workspace.open(id);
      const values = visitValues(segment, columns, edge, numbers, budget);
      if (values === null) continue;
      this.widen(base);
      this.look(segment, values, numbers, links, outermost);
    }
    outermost.release();
    this.textsMax = base?.values.textsMax ?? 2 * this.count + spareTexts;
  }

  get bytes(): number {
    return this.column.bytes + this.texts.table.byteLength;
  }
  /** Tells whether the table has more texts than `textsMax`: then the values are computed again without a base. */
  get isOvergrown(): boolean {
    return this.count > this.textsMax;
  }
  /** Restores the values from before the extension. */
  takeBack(): void {
    this.column.takeBack();
  }
  get count(): number {
    return this.texts.table.size;
  }
  numberOf(session: number): number {
    return this.column.values[session];
  }
  copyInto(numbers: Uint32Array, from: number): void {
    const { values } = this.column;
    for (let at = 0; at < numbers.length; at++) numbers[at] = values[from + at];
  }
  text(number: number): string {
    return this.texts.table.text(number - 1);
  }
  byteAt(number: number, place: number): number {
    return this.texts.table.byteAt(number - 1, place);
  }

  /** Most fields have few values: a byte for each of millions of sessions tells them apart. */
  private widen(base: Base | null): void {
    const { column, count } = this;
    const type = count < 1 << 8 ? Uint8Array : count < 1 << 16 ? Uint16Array : Uint32Array;
    if (column.values.BYTES_PER_ELEMENT >= type.BYTES_PER_ELEMENT) return;
    column.widen(type, this.workspace.budget);
    base?.values.column.share(column);
  }

  private look(
    segment: Segment,
    { codes, numbers: numberOfCode, areAtEdge, edge }: VisitValues,
    numbers: Uint32Array,
    { places, count }: EdgeSource["links"],
    outermost: OutermostRow,
  ): void {
    const { values } = this.column;
    // The columns are looked up when the first visit needs them, as most sessions have one visit.
    let starts: Integers | null = null;
    let durations: Integers | null = null;
    const isStart = areAtEdge && edge === "first";
    const isEnd = areAtEdge && edge === "last";
    for (let visit = 0; visit < numbers.length; visit++) {
      const n = numbers[visit];
      const value = numberOfCode[codes[visit]];
      if (n === 0 || value === 0) continue;
      // A table that extends this one gives higher places to sessions that have one visit here.
      if (places[n] > 0 && places[n] <= count) {
        starts ??= segment.integers("visit.start");
        if (!isStart) durations ??= segment.integers("visit.duration");
        const startMs = segment.firstTime + starts[visit];
        const toMs = startMs + (durations?.[visit] ?? 0);
        const candidate = { segment, visit, fromMs: isEnd ? toMs : startMs, toMs };
        if (!outermost.moves(places[n], candidate)) continue;
      }
      values[n] = value;
    }
  }
}
