import type { ChangeDimension } from "../../../domain/changes/change-counts";
import { ColumnKey, SessionFieldKey } from "../aggregate/keys";
import type { Context } from "../filter/context";
import { rowsWithCodes } from "../filter/dictionary-predicate";
import type { Identity } from "../scan/identity";
import { Selection } from "../scan/selection";
import { constant, type Key, ofAll, type Piece } from "../scan/vector";
import type { Segment } from "../segment/segment";
import { noText, stringText } from "../segment/texts";
import type { SessionValues } from "../session/field-values";
import { type SessionValueName, versionColumns } from "../session/session-values";
import type { Sessions } from "../session/sessions";
import { visitField } from "../session/visit-field";
import { TextTable } from "../sets/text-table";
import type { NamedKey } from "./value-changes";

/**
 * The values of a dimension that events have; null puts all events in one group. `sessions` are those of the events,
 * for the dimension "source": a visit has the source of its session.
 */
export function eventKey(
  context: Context,
  dimension: ChangeDimension | null,
  sessions: Sessions | null,
  identity: Identity,
): NamedKey {
  const name = dimension ?? "";
  switch (dimension) {
    case null:
      return { key: allEvents, name };
    case "event":
    case "country":
      return {
        key: new ColumnKey(`event.${dimension === "event" ? "name" : dimension}`, context),
        name,
      };
    case "page":
      return { key: new FirstColumnKey(["property.path", "property.url"], context, true), name };
    case "version":
      return { key: new FirstColumnKey(versionColumns, context, false), name };
    case "source": {
      const field = sessions && visitField(sessions, "session.source", identity, undefined);
      const key = new SessionFieldKey(field, sessions?.count ?? 0, context);
      return { key, name: `${name} ${field === null ? "" : stampOf(field.values)}` };
    }
    default: {
      const column = `property.${dimension.replace(/^properties\./, "")}`;
      return { key: new ColumnKey(column, context), name };
    }
  }
}

const allEvents: Key = {
  pieces: (segment) => ofAll(segment, constant(0)),
  label: () => null,
  first: (numbers) => new Set(numbers),
};

/** Numbers that identify the values of sessions, which are the same object until a session changes. */
const stamps = new WeakMap<SessionValues, number>();
let stampsGiven = 0;
function stampOf(values: SessionValues): number {
  const known = stamps.get(values) ?? ++stampsGiven;
  stamps.set(values, known);
  return known;
}

/**
 * Groups a row by the first of several columns that has a non-empty text in it. It makes a piece for
 * each column. A visit may then be in several pieces, so this key suits sets of users, and events.
 */
class FirstColumnKey implements Key {
  private readonly keys: readonly (readonly [column: string, key: ColumnKey])[];

  constructor(
    columns: readonly string[],
    context: Context,
    private readonly isOfStrings: boolean,
  ) {
    const table = new TextTable(context.secret, context.budget);
    this.keys = columns.map((column) => [column, new ColumnKey(column, context, table)]);
  }

  pieces(segment: Segment): readonly Piece[] {
    const pieces: Piece[] = [];
    let rest = Selection.all(segment);
    for (const [column, key] of this.keys) {
      if (rest.isNone || segment.column(column) === null) continue;
      const selection = rest.and(this.rowsWithText(segment, column));
      rest = rest.and(this.rowsWithText(segment, column).not());
      for (const { vector } of key.pieces(segment)) pieces.push({ selection, vector });
    }
    return [...pieces, { selection: rest, vector: constant(0) }];
  }
  private rowsWithText(segment: Segment, column: string): Selection {
    const name = `${this.isOfStrings ? "strings" : "texts"} of ${column}`;
    return Selection.cached(segment, name, () => {
      const { kinds, starts, length } = segment.texts(column);
      const verdicts = new Uint8Array(length + 1);
      for (let code = 1; code <= length; code++) {
        const isWanted = this.isOfStrings
          ? kinds[code - 1] === stringText
          : kinds[code - 1] !== noText;
        if (isWanted && starts[code - 1] < starts[code]) verdicts[code] = 1;
      }
      return rowsWithCodes(segment, column, verdicts);
    });
  }

  close(): void {
    // The keys share a table.
    this.keys[0][1].close();
  }
  label(number: number) {
    return this.keys[0][1].label(number);
  }
  first(numbers: Uint32Array, count: number): ReadonlySet<number> {
    return this.keys[0][1].first(numbers, count);
  }
}

/** The values of a dimension that sessions have; null puts all sessions in one group. */
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
      return "session.entry_page";
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
