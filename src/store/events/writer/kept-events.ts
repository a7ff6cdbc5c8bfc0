import type { Database } from "bun:sqlite";
import { earliest } from "../../../domain/shown-days";
import { ByteBoundedCache } from "../../../lib/cache";
import { DamagedBlob } from "../../damage";
import { SegmentReader } from "../segment/segment-reader";

/** Counts the segments that lie wholly within retention, without opening them. */
const wholeSegments = `
  select coalesce(sum(event_count) filter (where import_id = ?2), 0) as events, min(first_time) as firstMs
  from current_segment
  where project_id = ?1 and first_time >= (select retained_from_ms from project where id = ?1)`;
const clippedSegments = `
  select segment.id, import_id as importId, retained_from_ms as retainedFromMs
  from current_segment as segment join project on project.id = project_id
  where project_id = ? and first_time < retained_from_ms and last_time >= retained_from_ms`;

/** The events within retention. */
interface KeptEvents {
  /** The number of those of one import. */
  readonly events: number;
  /** The time of the project's first event; null if it has none. */
  readonly firstMs: number | null;
}

/** Counts the events of an import that reads see. */
export function keptEvents(db: Database, projectId: number, importId: number): KeptEvents {
  let { events, firstMs } = db.query(wholeSegments).get(projectId, importId) as KeptEvents;
  const reader = new SegmentReader(db, new ByteBoundedCache(0));
  for (const clipped of db.query(clippedSegments).all(projectId) as ClippedSegment[]) {
    const kept = keptOf(reader, clipped);
    if (clipped.importId === importId) events += kept.events;
    firstMs = earliest(firstMs, kept.firstMs);
  }
  return { events, firstMs };
}

interface ClippedSegment {
  readonly id: number;
  readonly importId: number;
  readonly retainedFromMs: number;
}

function keptOf(reader: SegmentReader, { id, retainedFromMs }: ClippedSegment): KeptEvents {
  let events = 0;
  let firstMs = Number.POSITIVE_INFINITY;
  try {
    const segment = reader.open(id);
    for (let row = 0; row < segment.eventCount; row++) {
      const timeMs = segment.timeAt(row);
      if (timeMs < retainedFromMs) continue;
      events++;
      firstMs = Math.min(firstMs, timeMs);
    }
  } catch (error) {
    // An import with a damaged segment can still be removed.
    if (!(error instanceof DamagedBlob)) throw error;
  }
  return { events, firstMs: events === 0 ? null : firstMs };
}
