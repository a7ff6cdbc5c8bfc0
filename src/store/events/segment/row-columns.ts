/*
 * Columns of rows are made in three parts.
 * Decision: a read that counts makes those of visits, times, names and countries; the ids of sessions and of events
 * are added for a read that shows them, properties for one that asks of one.
 * Because: while events come in at full rate, a read makes columns of some ten thousand rows that came since the one
 * before, and this is most of its time. Properties are two thirds of it, ids a third of what is left.
 * Cost: a read that wants all goes through the rows three times.
 * Revisit: when rows are stored in parts.
 */

import type { Tuning } from "../tuning";
import { SegmentBuilder, targetOf } from "./builder";
import { addUp, asUnpacked, type Integers } from "./codec";
import type { BuiltColumn, Column, ColumnSource, Keep, SegmentInfo } from "./column";
import { bytesOfColumn } from "./column-bytes";
import { overflowColumn } from "./overflow";
import { PropertyCollector } from "./properties";
import { lastOfLine, readRows } from "./rows";
import { sessionHighColumn, sessionIdColumn } from "./segment";
import { addSessionIds, addTicketColumns } from "./visit-columns";

interface MadeColumns {
  readonly columns: ReadonlyMap<string, Column>;
}
/** A segment that was made in memory, from rows or from what a clip left. */
export interface MadeSegment extends MadeColumns {
  readonly info: SegmentInfo;
  /** The order of its events, in terms of the rows. */
  readonly order: Uint32Array;
}

const madeBytes = 100;

/** The way in which a segment of rows is made into columns. */
interface Making {
  readonly rows: () => string;
  readonly keep: Keep;
  readonly seed: bigint;
  readonly tuning: Tuning;
}

/** The columns of a segment of rows. Each part is made when the first of its columns is asked for. */
export function columnsOfRows(info: SegmentInfo, making: Making): ColumnSource {
  const { rows, keep, tuning } = making;
  let counted: MadeSegment | null = null;
  let ids: MadeColumns | null = null;
  let properties: MadeColumns | null = null;
  return (name) => {
    counted ??= keep("made", bytesOfMade, () =>
      madeSegment(info, making, (builder) => builder.addRowsForCounting(rows())),
    );
    const all = name === "*";
    const known = counted;
    if (all || isOfIds(name)) ids ??= keep("ids", bytesOfMade, () => idsOf(rows(), known));
    if (all || isOfProperties(name)) {
      properties ??= keep("properties", bytesOfMade, () =>
        propertiesOf(rows(), known.order, tuning),
      );
    }
    const parts = [counted, ids, properties].filter((part) => part !== null);
    if (all) return { dictionary: [...new Set(parts.flatMap(namesIn))] };
    // The columns for counting include those of properties, in which no row has a value.
    const part = isOfProperties(name) ? properties : isOfIds(name) ? ids : counted;
    return part === null ? null : columnOf(part, name);
  };
}

/** What `fill` adds, from a time on. */
export function madeSegment(
  info: SegmentInfo,
  { seed, tuning }: Pick<Making, "seed" | "tuning">,
  fill: (builder: SegmentBuilder) => void,
  retainedFromMs?: number,
): MadeSegment {
  const builder = new SegmentBuilder(info.projectId, info.eventCount, seed, { tuning });
  fill(builder);
  const built = builder.buildWhole(retainedFromMs);
  return {
    info: { ...built.info, id: info.id, overlap: info.overlap },
    columns: decodedAll(built.columns),
    order: built.order,
  };
}

/** Makes the columns of ids: of sessions, in the order of visits, and of events. */
function idsOf(text: string, { info, order, columns: counted }: MadeSegment): MadeColumns {
  const times = new Float64Array(order.length);
  const tickets = new Float64Array(order.length);
  const sessionIds: (string | null)[] = [];
  readRows(text, {
    add: (ticket, timeMs, _user, _name, sessionId) => {
      times[sessionIds.length] = timeMs;
      tickets[sessionIds.length] = ticket;
      sessionIds.push(sessionId);
    },
    addProperties: (all, at) => lastOfLine(all, at),
  });
  const columns = new Map<string, BuiltColumn>();
  const idsOfVisits = function* () {
    let row = 0;
    for (const length of counted.get("visit.events")!.codes!) {
      yield sessionIds[order[row]];
      row += length;
    }
  };
  addSessionIds(columns, idsOfVisits());
  addTicketColumns(columns, { times, tickets }, info.firstTime, order);
  return { columns: decodedAll(columns) };
}

/** The columns of properties of rows whose other columns were made before, in this order. */
function propertiesOf(text: string, order: Uint32Array, tuning: Tuning): MadeColumns {
  const properties = new PropertyCollector(order.length, null, tuning);
  let row = -1;
  readRows(text, {
    add: () => {
      row++;
    },
    addProperties: (all, at) => properties.add(row, all, at),
  });
  const columns = new Map<string, BuiltColumn>();
  properties.build(order.length, [targetOf(order, columns)]);
  return { columns: decodedAll(columns) };
}

const isOfProperties = (name: string): boolean =>
  name.startsWith("property.") || name === "event.shape" || name === overflowColumn;

const isOfIds = (name: string): boolean =>
  name === sessionIdColumn || name.startsWith("event.ticket") || name === "event.counter";

export const columnOf = (made: MadeColumns, name: string): Column | null =>
  name === "*" ? { dictionary: namesIn(made) } : (made.columns.get(name) ?? null);
const namesIn = ({ columns }: MadeColumns): string[] => [...columns.keys()];

export function bytesOfMade({ columns }: MadeColumns): number {
  let bytes = madeBytes;
  for (const column of columns.values()) bytes += madeBytes + bytesOfColumn(column);
  return bytes;
}

/** Sorted, hence stored as differences. */
export const codesOf = (name: string, stored: Integers): Integers =>
  name === sessionHighColumn ? addUp(stored) : stored;

/**
 * The columns of visits that are wide in nearly every segment are so in all of them, whatever their values: a loop that
 * meets arrays of several kinds is compiled to run at a fraction of its speed.
 */
export const isWide = (name: string): boolean => wideColumns.has(name);
const wideColumns: ReadonlySet<string> = new Set([
  ...["visit.user", "visit.session_high", "visit.session_low", "visit.start", "visit.duration"],
]);

const decodedAll = (columns: ReadonlyMap<string, BuiltColumn>): Map<string, Column> =>
  new Map([...columns].map(([name, column]) => [name, decoded(name, column)]));

function decoded(name: string, { texts, lines, codes, sameCodesAs }: BuiltColumn): Column {
  const dictionary = lines === undefined ? texts && JSON.parse(`[${texts.join(",")}]`) : [lines];
  return {
    ...(dictionary && { dictionary }),
    ...(codes && { codes: codesOf(name, asUnpacked(codes, isWide(name))) }),
    ...(sameCodesAs !== undefined && { sameCodesAs }),
  };
}
