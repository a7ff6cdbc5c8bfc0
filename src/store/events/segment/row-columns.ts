/*
 * Columns of rows are built in three parts.
 * Decision: a read that counts builds the columns of visits, times, names and countries. A read that shows ids adds
 * those of sessions and events, and a read that needs a property adds all properties.
 * Because: while the server receives events at full rate, a read builds columns from some ten thousand rows that are
 * newer than the read before, and this takes most of its time. Properties take two thirds of it, ids a third of the
 * rest.
 * Cost: a read that needs all three parts goes through the rows three times.
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

interface MemoryColumns {
  readonly columns: ReadonlyMap<string, Column>;
}
/** A segment that was built in memory from rows, or from the rest of a segment that a clip cut. */
export interface MemorySegment extends MemoryColumns {
  readonly info: SegmentInfo;
  /** The number of each event in the order of adding, by row. */
  readonly order: Uint32Array;
}

const entryBytes = 100;

/** The text of a segment of rows, and the settings that turn it into columns. */
interface RowsInput {
  readonly rows: () => string;
  readonly keep: Keep;
  readonly seed: bigint;
  readonly tuning: Tuning;
}

/** Returns the columns of a segment of rows. It builds each part at the first use of one of its columns. */
export function columnsOfRows(info: SegmentInfo, input: RowsInput): ColumnSource {
  const { rows, keep, tuning } = input;
  let forCounting: MemorySegment | null = null;
  let ids: MemoryColumns | null = null;
  let properties: MemoryColumns | null = null;
  return (name) => {
    forCounting ??= keep("made", bytesOfColumns, () =>
      buildInMemory(info, input, (builder) => builder.addRowsForCounting(rows())),
    );
    const all = name === "*";
    const base = forCounting;
    if (all || isOfIds(name)) ids ??= keep("ids", bytesOfColumns, () => idsOf(rows(), base));
    if (all || isOfProperties(name)) {
      properties ??= keep("properties", bytesOfColumns, () =>
        propertiesOf(rows(), base.order, tuning),
      );
    }
    const parts = [forCounting, ids, properties].filter((part) => part !== null);
    if (all) return { dictionary: [...new Set(parts.flatMap(namesIn))] };
    // The columns for counting include those of properties, in which no row has a value.
    const part = isOfProperties(name) ? properties : isOfIds(name) ? ids : forCounting;
    return part === null ? null : columnOf(part, name);
  };
}

/** Builds a segment from the events that `fill` adds, without those before a time. */
export function buildInMemory(
  info: SegmentInfo,
  { seed, tuning }: Pick<RowsInput, "seed" | "tuning">,
  fill: (builder: SegmentBuilder) => void,
  retainedFromMs?: number,
): MemorySegment {
  const builder = new SegmentBuilder(info.projectId, info.eventCount, seed, { tuning });
  fill(builder);
  const built = builder.buildWhole(retainedFromMs);
  return {
    info: { ...built.info, id: info.id, overlap: info.overlap },
    columns: decodedAll(built.columns),
    order: built.order,
  };
}

/** Builds the columns of ids: those of sessions, in the order of visits, and those of events. */
function idsOf(text: string, { info, order, columns: base }: MemorySegment): MemoryColumns {
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
    for (const length of base.get("visit.events")!.codes!) {
      yield sessionIds[order[row]];
      row += length;
    }
  };
  addSessionIds(columns, idsOfVisits());
  addTicketColumns(columns, { times, tickets }, info.firstTime, order);
  return { columns: decodedAll(columns) };
}

/** Builds the columns of properties, with the rows in the order of the columns for counting. */
function propertiesOf(text: string, order: Uint32Array, tuning: Tuning): MemoryColumns {
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

export const columnOf = (built: MemoryColumns, name: string): Column | null =>
  name === "*" ? { dictionary: namesIn(built) } : (built.columns.get(name) ?? null);
const namesIn = ({ columns }: MemoryColumns): string[] => [...columns.keys()];

export function bytesOfColumns({ columns }: MemoryColumns): number {
  let bytes = entryBytes;
  for (const column of columns.values()) bytes += entryBytes + bytesOfColumn(column);
  return bytes;
}

/** Returns the codes that a column stores. Some sorted columns store differences. */
export const codesOf = (name: string, stored: Integers): Integers =>
  name === sessionHighColumn ? addUp(stored) : stored;

/**
 * Some columns of visits need four bytes in nearly every segment, and get them in all segments: the compiler makes much
 * slower code for a loop that meets arrays of several types.
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
