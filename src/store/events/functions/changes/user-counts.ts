/*
 * Users of past dates are counted once.
 * Decision: how many users of a period, or of a date, have each value of a dimension is kept by the segments that this
 * follows from, and by who stands for whom.
 * Because: what changed is asked of 56 dates and two periods, and asked again they are the same, a day later all but
 * three: counting them took 130 of 160 ms (10M events, 7 days).
 * Cost: some 4 KB for a date and dimension in the cache. After a new link between ids all of them are counted again.
 * Revisit: if projects link ids all the time and ask all the time.
 */

import type { Segment } from "../../segment/segment";
import type { Context } from "../context";
import { DistinctPerGroup } from "../sets/distinct";
import type { CodedRows } from "../sets/row-values";
import type { ValuesOfEvents } from "./dimension-values";
import { placesIn } from "./event-changes";
import type { UsersOfDates } from "./numbered-users";
import { noPlace } from "./period-dates";
import { bytesOfBits, UserBits } from "./user-bits";

/** The users of each value on some dates. Values have places, which say nothing outside of these. */
interface KeptCounts {
  /** The place of each code's value, by range and code. */
  readonly placesOf: readonly Uint32Array[];
  /** The number of users by place. */
  readonly counts: Int32Array;
}

/** Counts how many users have each value of a dimension, on one set of dates after the other. */
export class UserCounts {
  private readonly known = new Map<Segment, CodedRows>();
  private readonly bits: UserBits;
  /** Dates on which few values occur: they can all be told apart, asked for or not. */
  private readonly few: ReadonlySet<UsersOfDates>;

  /** The values of periods are known from now on, and those of other dates where they are few. */
  constructor(
    private readonly context: Context,
    private readonly values: ValuesOfEvents,
    periods: readonly UsersOfDates[],
    others: readonly UsersOfDates[],
  ) {
    this.bits = new UserBits(context.budget);
    this.few = new Set([...periods, ...others].filter((users) => this.areFew(users)));
    for (const users of [...periods, ...this.few]) this.valuesOn(users);
  }

  /** Counts the users of one of the periods, by number of a value. */
  inPeriod(users: UsersOfDates): Float64Array {
    const { budget, tuning } = this.context;
    const size = this.values.count + 1;
    const counts = budget.doubles(size);
    const isKept = this.eachKept(users, (number, count) => {
      counts[number] = count;
    });
    if (isKept) return counts;
    if (bytesOfBits(size, users.numbered().count) <= tuning.userBitsBytesMax) {
      counts.set(this.countBits(users, size, ({ numbers }) => Int32Array.from(numbers)));
      return counts;
    }
    const sets = this.setsOf(users);
    for (let number = 0; number < size; number++) counts[number] = sets.count(number);
    return counts;
  }
  /** Counts the users of a date by the places of values, for those that have one. */
  onDate(users: UsersOfDates, places: Int32Array, size: number): ArrayLike<number> {
    const counts = new Int32Array(size);
    const isKept = this.eachKept(users, (number, count) => {
      if (places[number] !== noPlace) counts[places[number]] = count;
    });
    return isKept ? counts : this.countBits(users, size, (read) => placesIn(read, places));
  }

  private areFew({ ranges }: UsersOfDates): boolean {
    const { keptUserTextsMax } = this.context.tuning;
    return ranges.every(
      ({ stretches: { selection, segment } }) =>
        selection.isAll && this.values.textsIn(segment) <= keptUserTextsMax,
    );
  }
  /** Range by range. */
  private valuesOn({ ranges }: UsersOfDates): CodedRows[] {
    return ranges.map(({ stretches: { segment } }) => {
      const found = this.known.get(segment) ?? this.values.in(segment);
      this.known.set(segment, found);
      return found;
    });
  }

  /** Calls `see` with each value of theirs, once or more often. False where these are too many to be kept. */
  private eachKept(users: UsersOfDates, see: (number: number, count: number) => void): boolean {
    if (!this.few.has(users)) return false;
    const segments = users.ranges.map(({ stretches }) => stretches.segment);
    const name = `users ${users.when} by ${this.values.grouping}`;
    const kept = this.context.kept(name, segments, bytesOf, () => this.count(users));
    if (kept === null) return false;
    this.valuesOn(users).forEach(({ numbers }, range) => {
      const places = kept.placesOf[range];
      for (let code = 0; code < places.length; code++)
        see(numbers[code], kept.counts[places[code]]);
    });
    return true;
  }
  private count(users: UsersOfDates): KeptCounts | null {
    const known = new Map<number, number>();
    const ordinalOf = (number: number): number => {
      const place = known.get(number) ?? known.size;
      known.set(number, place);
      return place;
    };
    const placesOf = this.valuesOn(users).map(({ numbers }) =>
      Uint32Array.from(numbers, ordinalOf),
    );
    const { userBitsBytesMax } = this.context.tuning;
    if (bytesOfBits(known.size, users.numbered().count) > userBitsBytesMax) return null;
    const counts = this.countBits(users, known.size, ({ numbers }) =>
      Int32Array.from(numbers, ordinalOf),
    );
    return { placesOf, counts };
  }

  /** Counts the values that `placesOfCodes` gives the codes: places below a size, −1 for what is not counted. */
  private countBits(
    users: UsersOfDates,
    size: number,
    placesOfCodes: (values: CodedRows) => Int32Array,
  ): Int32Array {
    const { bits, values } = this;
    const { count, ranges, numbers } = users.numbered();
    const read = this.valuesOn(users);
    // All are alike: nobody has anything else.
    if (size === 1 && read.every((found) => found.size === 1 && placesOfCodes(found)[0] === 0))
      return Int32Array.of(count);
    bits.begin(size, count);
    ranges.forEach((range, index) => {
      this.context.check();
      const places = placesOfCodes(read[index]);
      const ofUsers = { range, users: numbers[index], valueNumbers: places };
      const masks = range.stretches.masksOf(read[index], values.name);
      if (masks !== null) bits.addMasks(ofUsers, masks);
      else if (read[index].codes !== null) bits.addRows(ofUsers, read[index].codes);
    });
    return bits.counts;
  }
  private setsOf(users: UsersOfDates): DistinctPerGroup {
    const { count, ranges, numbers: userNumbers } = users.numbered();
    const read = this.valuesOn(users);
    const sets = new DistinctPerGroup(this.context.budget, count + 1);
    ranges.forEach(({ stretches, first, end }, index) => {
      this.context.check();
      const { from, to } = stretches;
      const { rows } = stretches.selection;
      const { codes, numbers } = read[index];
      for (let at = first; at < end; at++) {
        const user = userNumbers[index][at - first];
        if (user === 0) continue;
        for (let row = from[at]; row < to[at]; row++) {
          if (rows === null || rows[row] === 1)
            sets.add(numbers[codes === null ? 0 : codes[row]], user);
        }
      }
    });
    return sets;
  }
}

const bytesOf = (kept: KeptCounts | null): number =>
  kept === null
    ? 0
    : kept.placesOf.reduce((sum, { byteLength }) => sum + byteLength, kept.counts.byteLength);
