import { textOf } from "../../../../domain/filter";
import type { Segment } from "../../segment/segment";
import type { Budget } from "../budget";

/**
 * The event that each entity used, for one step of a funnel or to enter an experiment: its time (Infinity: none) and
 * where it is.
 */
export class UsedEvents {
  readonly time: Float64Array;
  private readonly segment: Uint32Array;
  private readonly row: Uint32Array;

  constructor(
    entityCount: number,
    private readonly segments: readonly Segment[],
    budget: Budget,
  ) {
    this.time = budget.doubles(entityCount + 1).fill(Number.POSITIVE_INFINITY);
    this.segment = budget.words(entityCount + 1);
    this.row = budget.words(entityCount + 1);
  }

  /** Tells whether the entity used an event before this one. Tickets decide within a millisecond. */
  isBefore(entity: number, timeMs: number, segment: number, row: number): boolean {
    const known = this.time[entity];
    if (timeMs !== known) return timeMs > known;
    return this.segments[segment].ticketAt(row) > this.ticketOf(entity);
  }
  /** Takes the event in place of a later one. False when the one it has is the earlier. */
  offer(entity: number, timeMs: number, segment: number, row: number): boolean {
    const isFirst = this.time[entity] === Number.POSITIVE_INFINITY;
    if (!isFirst && this.isBefore(entity, timeMs, segment, row)) return false;
    this.time[entity] = timeMs;
    this.segment[entity] = segment;
    this.row[entity] = row;
    return true;
  }
  /** `country` or `properties.<key>` of the entity's event, as text. */
  valueOf(entity: number, field: string): string | null {
    const segment = this.segments[this.segment[entity]];
    const column =
      field === "country" ? "event.country" : field.replace("properties.", "property.");
    const code = segment.codes(column)?.[this.row[entity]] ?? 0;
    return code === 0 ? null : textOf(segment.dictionary(column)[code - 1]);
  }

  private ticketOf(entity: number): number {
    return this.segments[this.segment[entity]].ticketAt(this.row[entity]);
  }
}
