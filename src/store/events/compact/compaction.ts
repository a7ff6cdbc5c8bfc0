import type { Database } from "bun:sqlite";
import { dayOf } from "../../../domain/event";
import { clock } from "../../../lib/clock";
import { monthOf, SegmentBuilder } from "../segment/builder";
import { settledLevel, thoroughLevel } from "../segment/codec";
import type { ColumnKeys } from "../segment/column-keys";
import { type EncodedSegment, encode } from "../segment/encode";
import { frequentKeys, type Input } from "../segment/frequent-keys";
import type { SegmentReader } from "../segment/segment-reader";
import { type Tuning, usualTuning } from "../tuning";

export type Encoding = "rows" | "columns";

interface Candidate {
  readonly id: number;
  readonly firstTime: number;
  readonly lastTime: number;
  readonly eventCount: number;
  readonly byteCount: number;
  readonly encoding: string;
  readonly importId: number;
}

const candidates = `
  select id, first_time as firstTime, last_time as lastTime, event_count as eventCount,
    byte_count as byteCount, encoding, import_id as importId
  from current_segment
  where project_id = ? and (encoding = 'rows' or (event_count < ? and byte_count < ?))
  order by id`;

interface PlanOptions {
  readonly what?: Encoding | "all";
  /** The rows up to this segment are quiet: the project has received no more for a while. */
  readonly quietId?: number;
  readonly tuning?: Tuning;
}

/**
 * Returns the segments to merge next in a project, or null.
 *
 * The compactor merges segments of the same place and similar size eight (fanIn) at a time, so it rewrites an event
 * once for each power of eight. It merges rows earlier if they have many events, as reads parse each of them, and even
 * earlier if they are quiet. It merges a day that is over into few segments. Each merge leaves fewer segments or fewer
 * rows in a place, so planning ends. `what` can limit the plan to rows or columns.
 */
export function plan(
  db: Database,
  projectId: number,
  today: number,
  { what = "all", quietId = 0, tuning = usualTuning }: PlanOptions = {},
): number[] | null {
  const { mergeFanIn: fanIn, mergeEventsMax: eventsMax, mergeBytesMax: bytesMax } = tuning;
  const segments = db.query(candidates).all(projectId, eventsMax, bytesMax / 2) as Candidate[];
  for (const [place, inPlace] of Map.groupBy(segments, mergeGroupOf)) {
    const isRows = place.startsWith("rows");
    if (what !== "all" && isRows !== (what === "rows")) continue;
    const isPastDay = place.startsWith("day") && dayOf(inPlace[0].lastTime) < today;
    const { inputs, events, isFull } = upTo(inPlace, eventsMax, bytesMax);
    const countMin = isPastDay || isFull ? 2 : fanIn;
    const isQuiet = inPlace[inPlace.length - 1].id <= quietId;
    const eventsMin = isQuiet ? tuning.columnEventsMin : tuning.waitingRowsMax;
    if (inputs.length >= countMin || (isRows && events >= eventsMin)) {
      return inputs.map(({ id }) => id);
    }
  }
  return null;
}

/** Returns the projects with rows that `plan` would merge, with the events and bytes of these rows. */
export function due(db: Database, { mergeFanIn, waitingRowsMax }: Tuning): Due[] {
  return db.query(dueProjects).all(mergeFanIn, waitingRowsMax) as Due[];
}

export interface Due {
  readonly projectId: number;
  readonly events: number;
  readonly bytes: number;
}

/** Returns the projects with quiet rows that `plan` would merge: the newest of their place is not above `quietId`. */
export function quietProjects(
  db: Database,
  quietId: number,
  { columnEventsMin }: Tuning,
): number[] {
  const rows = db.query(projectsWithQuietRows).values(columnEventsMin, quietId) as [number][];
  return rows.map(([projectId]) => projectId);
}

/** Selects the segments of rows by the group that `mergeGroupOf` gives them. */
const placesOfRows = `
  with rows as (
    select id, project_id, import_id, event_count, byte_count,
      strftime('%Y-%m', first_time / 1000, 'unixepoch') as first_month,
      strftime('%Y-%m', last_time / 1000, 'unixepoch') as last_month
    from current_segment where encoding = 'rows'
  ), place as (
    select project_id, count(*) as segments, sum(event_count) as events, sum(byte_count) as bytes, max(id) as newest_id
    from rows group by project_id, import_id, iif(first_month = last_month, first_month, 'several')
  )`;

/** Selects the projects with most events first. */
const dueProjects = `
  ${placesOfRows}
  select project_id as projectId, sum(events) as events, sum(bytes) as bytes from place
  where segments >= ?1 or events >= ?2
  group by project_id order by events desc`;

const projectsWithQuietRows = `
  ${placesOfRows}
  select distinct project_id from place where events >= ?1 and newest_id <= ?2`;

/** Returns the first segments within the limits, at least one. `isFull` tells whether others remain. */
function upTo(
  segments: readonly Candidate[],
  eventsMax: number,
  bytesMax: number,
): { readonly inputs: readonly Candidate[]; readonly events: number; readonly isFull: boolean } {
  let count = 1;
  let { eventCount: events, byteCount: bytes } = segments[0];
  while (count < segments.length) {
    const { eventCount, byteCount } = segments[count];
    if (events + eventCount > eventsMax || bytes + byteCount > bytesMax) break;
    events += eventCount;
    bytes += byteCount;
    count++;
  }
  return { inputs: segments.slice(0, count), events, isFull: count < segments.length };
}

/** Returns the group whose segments are merged with each other. Each import has its own, so that it can be removed. */
function mergeGroupOf({ importId, ...segment }: Candidate): string {
  const place = placeOf(segment);
  return importId === 0 ? place : `${place} of import ${importId}`;
}

function placeOf({
  firstTime,
  lastTime,
  eventCount,
  encoding,
}: Omit<Candidate, "importId">): string {
  const day = dayOf(firstTime);
  const month = monthOf(day);
  const isOneMonth = month === monthOf(dayOf(lastTime));
  if (encoding === "rows") return isOneMonth ? `rows of ${month}` : "rows of several months";
  const size = Math.floor(Math.log2(eventCount) / 3);
  return day === dayOf(lastTime) ? `day ${day} size ${size}` : `month ${month} size ${size}`;
}

/**
 * Builds the segments that replace some others, without the events beyond retention. It writes nothing, so any thread
 * can run it.
 */
export function compact(
  db: Database,
  reader: SegmentReader,
  projectId: number,
  inputs: readonly number[],
): EncodedSegment[] {
  const row = db.query(retainedFrom).get(projectId, clock.nowMs()) as Retained | null;
  const retainedFromMs = row?.retainedFromMs ?? 0;
  const opened = inputs.map((id) =>
    reader.info(id).encoding === "rows" ? reader.rows(id) : reader.open(id),
  );
  const eventCount = inputs.reduce((sum, id) => sum + reader.info(id).eventCount, 0);
  // A segment built from rows will be merged again; one built from columns may stay for long.
  const isOfRows = opened.every((input) => typeof input === "string");
  const level = isOfRows ? thoroughLevel : settledLevel;
  const { seed, tuning } = reader;
  return columnsOf(opened, { projectId, eventCount, seed, tuning, level, retainedFromMs });
}

interface ColumnsOptions {
  readonly projectId: number;
  readonly eventCount: number;
  readonly seed: bigint;
  readonly tuning: Tuning;
  /** The level of compression. */
  readonly level: number;
  /** The new segments have no events before this time. */
  readonly retainedFromMs?: number;
}

/** Builds segments by day and month from all events of some inputs. */
export function columnsOf(
  opened: readonly Input[],
  { projectId, eventCount, seed, tuning, level, retainedFromMs = 0 }: ColumnsOptions,
): EncodedSegment[] {
  const fillWith = (keys: ColumnKeys | null): SegmentBuilder =>
    filled(new SegmentBuilder(projectId, eventCount, seed, { keys, tuning }), opened);
  // If an input had too many keys for its columns, the merged segment has, too.
  const hasOverflow = opened.some((input) => typeof input !== "string" && input.overflow !== null);
  const first = hasOverflow ? null : fillWith(null);
  const builder =
    first === null || first.isOverfull ? fillWith(frequentKeys(opened, eventCount, tuning)) : first;
  return builder
    .buildByDay(retainedFromMs)
    .map((built) => encode(built, level, tuning.countedEventsMin));
}

/**
 * A date of retention ahead of the clock was set by a wrong clock. The server may set it back, so a merge must not drop
 * events because of it.
 */
const retainedFrom = `
  select retained_from_ms as retainedFromMs from project where id = ? and retained_from_ms <= ?`;
interface Retained {
  readonly retainedFromMs: number;
}

function filled(builder: SegmentBuilder, inputs: readonly Input[]): SegmentBuilder {
  for (const input of inputs) {
    if (typeof input === "string") builder.addRows(input);
    else builder.addSegment(input);
    // The caller fills another builder, with the frequent keys as columns.
    if (builder.isOverfull) break;
  }
  return builder;
}
