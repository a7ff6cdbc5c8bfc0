import type { Segment } from "../segment/segment";
import type { Budget } from "../sets/budget";

/** The place of an event is the index of its segment times this, plus its row. */
const rowsPerSegment = 2 ** 32;
/** The time and the place of an event lie together, because each look-up of one of many entities is dear. */
const numbersPerEntity = 2;

/** The earliest event of each entity, for a step of a funnel or to enter an experiment: its time and its place. */
export class UsedEvents {
  private constructor(
    /** The time and the place of each entity. */
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
  /** The time of the event that the entity used; Infinity if it used none. */
  timeOf(entity: number): number {
    return this.numbers[entity * numbersPerEntity];
  }
  /** Reads the times of the first `count` entities of a list. */
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
  /** Takes the event in place of a later one. Returns false if the entity has an earlier event. */
  offer(entity: number, timeMs: number, segment: number, row: number): boolean {
    if (this.has(entity) && this.isBefore(entity, timeMs, segment, row)) return false;
    this.numbers[entity * numbersPerEntity] = timeMs;
    this.numbers[entity * numbersPerEntity + 1] = segment * rowsPerSegment + row;
    return true;
  }
  /** Counts the entities that used an event, and sums the times since their events of the step before. */
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
