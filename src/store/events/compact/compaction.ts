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
  /** Up to this segment no more rows are coming. */
  readonly quietId?: number;
  readonly tuning?: Tuning;
}

/**
 * What to merge next in a project, or null.
 *
 * Segments of like size and place are merged eight (fanIn) at a time, so an event is rewritten once per power of eight.
 * Rows are merged earlier when they add up, since reads take them apart event by event, and still earlier up to the
 * segment `quietId`, as no more are coming to those; a day that is over is merged down to few segments. Each merge
 * leaves fewer segments, or fewer rows, in its place than it found, so planning comes to an end. `what` can leave out
 * rows, of which more are about to come.
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

/** Rows that `plan` would take: the projects that have such, how many events and how much text. */
export function due(db: Database, { mergeFanIn, waitingRowsMax }: Tuning): Due[] {
  return db.query(dueProjects).all(mergeFanIn, waitingRowsMax) as Due[];
}

export interface Due {
  readonly projectId: number;
  readonly events: number;
  readonly bytes: number;
}

/** Projects with rows that `plan` would take because the newest of their place is not above `quietId`. */
export function quietProjects(
  db: Database,
  quietId: number,
  { columnEventsMin }: Tuning,
): number[] {
  const found = db.query(projectsWithQuietRows).values(columnEventsMin, quietId) as [number][];
  return found.map(([projectId]) => projectId);
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

/** Most events first. */
const dueProjects = `
  ${placesOfRows}
  select project_id as projectId, sum(events) as events, sum(bytes) as bytes from place
  where segments >= ?1 or events >= ?2
  group by project_id order by events desc`;

const projectsWithQuietRows = `
  ${placesOfRows}
  select distinct project_id from place where events >= ?1 and newest_id <= ?2`;

/** The first segments that together stay within the bounds, at least one; full when there are more. */
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

/** Segments of an import are merged with each other alone, so that it can be removed. */
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
 * Reads the inputs and builds what replaces them. Pure: it writes nothing, so it can run in any thread. Events that the
 * project no longer retains are left out.
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
  // Segments that came as rows will be merged again; those that came as columns may stay for long.
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
  /** The effort of compression. */
  readonly level: number;
  /** Events before it are left out. */
  readonly retainedFromMs?: number;
}

/** Builds segments by day and month from all events of some inputs. */
export function columnsOf(
  opened: readonly Input[],
  { projectId, eventCount, seed, tuning, level, retainedFromMs = 0 }: ColumnsOptions,
): EncodedSegment[] {
  const fillWith = (keys: ColumnKeys | null): SegmentBuilder =>
    filled(new SegmentBuilder(projectId, eventCount, seed, { keys, tuning }), opened);
  // Keys that had no column before are too many once more.
  const hasOverflow = opened.some((input) => typeof input !== "string" && input.overflow !== null);
  const first = hasOverflow ? null : fillWith(null);
  const builder =
    first === null || first.isOverfull ? fillWith(frequentKeys(opened, eventCount, tuning)) : first;
  return builder
    .buildByDay(retainedFromMs)
    .map((built) => encode(built, level, tuning.countedEventsMin));
}

/** What lies ahead of the clock was set by one that was wrong: it may be set back, so nothing is left out for it. */
const retainedFrom = `
  select retained_from_ms as retainedFromMs from project where id = ? and retained_from_ms <= ?`;
interface Retained {
  readonly retainedFromMs: number;
}

function filled(builder: SegmentBuilder, inputs: readonly Input[]): SegmentBuilder {
  for (const input of inputs) {
    if (typeof input === "string") builder.addRows(input);
    else builder.addSegment(input);
    // It will be filled again, with the frequent keys as columns.
    if (builder.isOverfull) break;
  }
  return builder;
}
