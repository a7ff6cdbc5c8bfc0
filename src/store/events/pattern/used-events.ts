import type { Segment } from "../segment/segment";
import type { Budget } from "../sets/budget";

/** The place of an event: the index of its segment times this, and its row. */
const rowsPerSegment = 2 ** 32;
/** The time of the event that an entity used, and its place, which lie together: of many entities each look is dear. */
const numbersPerEntity = 2;

/**
 * The event that each entity used, for one step of a funnel or to enter an experiment: its time (Infinity: none) and
 * where it is.
 */
export class UsedEvents {
  private constructor(
    /** Both numbers of each entity. */
    private readonly numbers: Float64Array,
    private readonly segments: readonly Segment[],
  ) {}

  /** Entities are numbers up to `entityMax`. */
  static none(entityMax: number, segments: readonly Segment[], budget: Budget): UsedEvents {
    const numbers = budget.doubles((entityMax + 1) * numbersPerEntity);
    return new UsedEvents(numbers.fill(Number.POSITIVE_INFINITY), segments);
  }

  get entityMax(): number {
    return this.numbers.length / numbersPerEntity - 1;
  }
  /** The time of the event that the entity used; Infinity when it used none. */
  timeOf(entity: number): number {
    return this.numbers[entity * numbersPerEntity];
  }
  /** Reads the times of the first `count` of some entities. */
  readTimes(entities: Uint32Array, count: number, times: Float64Array): void {
    for (let place = 0; place < count; place++) times[place] = this.timeOf(entities[place]);
  }
  has(entity: number): boolean {
    return this.timeOf(entity) !== Number.POSITIVE_INFINITY;
  }
  /** Tells whether the entity used an event before this one. Tickets decide within a millisecond. */
  isBefore(entity: number, timeMs: number, segment: number, row: number): boolean {
    const known = this.timeOf(entity);
    if (timeMs !== known) return timeMs > known;
    return this.segments[segment].ticketAt(row) > this.ticketOf(entity);
  }
  /** Takes the event in place of a later one. False when the one it has is the earlier. */
  offer(entity: number, timeMs: number, segment: number, row: number): boolean {
    if (this.has(entity) && this.isBefore(entity, timeMs, segment, row)) return false;
    this.numbers[entity * numbersPerEntity] = timeMs;
    this.numbers[entity * numbersPerEntity + 1] = segment * rowsPerSegment + row;
    return true;
  }
  /** Counts the entities that used an event, and sums the times that passed since what they used of the step before. */
  sums(before: UsedEvents | null, budget: Budget): { count: number; gapMs: number } {
    const { numbers } = this;
    const earlier = before?.numbers ?? numbers;
    let [count, gapMs] = [0, 0];
    for (let from = numbersPerEntity, until = 0; from < numbers.length; from = until) {
      until = budget.checkedUntil(from, numbers.length);
      for (let at = from; at < until; at += numbersPerEntity) {
        if (numbers[at] === Number.POSITIVE_INFINITY) continue;
        count++;
        gapMs += numbers[at] - earlier[at];
      }
    }
    return { count, gapMs };
  }

  private ticketOf(entity: number): number {
    const place = this.numbers[entity * numbersPerEntity + 1];
    const segment = Math.floor(place / rowsPerSegment);
    return this.segments[segment].ticketAt(place - segment * rowsPerSegment);
  }
}
