import type { ChangeDimension } from "../../../../domain/changes/change-counts";
import type { Segment } from "../../segment/segment";
import type { Context } from "../context";
import { asItIs } from "../sessions/first-values";
import type { SessionValues } from "../sessions/kept-values";
import { type SessionValueName, versionColumns } from "../sessions/session-values";
import type { Sessions } from "../sessions/sessions";
import { type CodedRows, RowValues, type ValueColumn } from "../sets/row-values";
import { TextTable } from "../sets/text-table";

/** Values have numbers from 1 that hold across segments; 0 is no value. */
export interface NumberedValues {
  readonly count: number;
  text(number: number): string;
  byteAt(number: number, place: number): number;
}

/** The values of a dimension that events have. */
export interface ValuesOfEvents extends NumberedValues {
  /** Names what a segment's codes are, for what is kept of it; null where other segments may change them. */
  readonly name: string | null;
  /** Names which codes stand for one value. */
  readonly grouping: string;
  in(segment: Segment): CodedRows;
  /** Returns the most texts that a segment has of it. */
  textsIn(segment: Segment): number;
  /** Values that were not seen until now need not be told apart: they get a number above all others. */
  close?(): void;
}

/** `sources` are those of the sessions of all segments. */
export const valuesOfEvents = (
  context: Context,
  dimension: ChangeDimension | null,
  sources: ValuesOfEvents | null,
): ValuesOfEvents =>
  dimension === "source" && sources !== null ? sources : new EventValues(context, dimension);

/** The values of a dimension that single events have. */
class EventValues implements ValuesOfEvents {
  private readonly table: TextTable;
  private readonly columns: readonly ValueColumn[];

  /** `dimension` is null for all events alike. */
  constructor(
    private readonly context: Context,
    dimension: ChangeDimension | null,
  ) {
    this.table = new TextTable(context.secret, context.budget);
    this.columns = columnsOf(dimension, this.table);
  }

  get count(): number {
    return this.table.size;
  }
  get name(): string {
    return this.columns.map(({ name }) => name).join(", else ");
  }
  in(segment: Segment): RowValues {
    return new RowValues(segment, this.columns, this.context.budget);
  }
  get grouping(): string {
    return this.name;
  }
  textsIn(segment: Segment): number {
    let count = 0;
    for (const { name } of this.columns) {
      const codes = segment.visitCodes(name) ?? segment.codes(name);
      if (codes === null) continue;
      const texts = segment.texts(name);
      count += texts.length;
      // Then columns behind it are not asked (row-values.ts).
      if (!codes.includes(0) && texts.areStrings) break;
    }
    return count;
  }
  close(): void {
    this.table.close();
  }
  text(number: number): string {
    return this.table.text(number - 1);
  }
  byteAt(number: number, place: number): number {
    return this.table.byteAt(number - 1, place);
  }
}

function columnsOf(dimension: ChangeDimension | null, table: TextTable): readonly ValueColumn[] {
  const read = asItIs(table);
  switch (dimension) {
    case null:
      return [];
    case "event":
    case "country":
      return [anyTextOf(dimension === "event" ? "event.name" : "event.country", table)];
    case "page":
      return ["property.path", "property.url"].map((name) => ({ name, read, isOfStrings: true }));
    case "version":
      return versionColumns.map((name) => ({ name, read }));
    default:
      return [anyTextOf(`property.${dimension.replace(/^properties\./, "")}`, table)];
  }
}

/** The empty text is a value like any other. */
const anyTextOf = (name: string, table: TextTable): ValueColumn => ({
  name,
  read: (bytes, from, to) => table.numberOf(bytes, from, to) + 1,
});

/** The values of a dimension that sessions have; null is all sessions alike. */
export function sessionValues(
  sessions: Sessions,
  dimension: ChangeDimension | null,
): SessionValues {
  return dimension === null ? allAlike : sessions.values.of(fieldOf(dimension));
}

function fieldOf(dimension: ChangeDimension): SessionValueName {
  switch (dimension) {
    case "event":
      return "first event";
    case "version":
      return "first version";
    case "source":
      return "session.source";
    case "page":
      return "first page";
    default:
      return dimension.startsWith("properties.")
        ? (dimension as `properties.${string}`)
        : (`session.${dimension}` as SessionValueName);
  }
}

const allAlike: SessionValues = {
  count: 0,
  numberOf: () => 0,
  copyInto: (numbers) => void numbers.fill(0),
  text: () => "",
  byteAt: () => -1,
};
