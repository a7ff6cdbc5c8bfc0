/*
 * Sums are exact, and rounded once.
 * Decision: each group stores a few numbers whose exact sum is that of all its numbers. Math.sumPrecise rounds them.
 * Because: the order of additions then never changes a digit, so that a sum does not need the ids of events, and
 * segments can come in any order.
 * Cost: 16 bytes a group, and six additions for each number.
 */

import type { Budget } from "../sets/budget";

declare global {
  interface Math {
    /** The exact sum of numbers, rounded once; −0 for none. */
    sumPrecise(numbers: Iterable<number>): number;
  }
}

/** Numbers from here on are divided by 2^100 before the addition, so that no intermediate sum overflows. */
const hugeMin = 2 ** 970;
const hugePart = 2 ** -100;
const halfOfWhole = 2 ** 99;

/** Veltkamp's constant, which splits a number into two halves of its bits. */
const splitter = 2 ** 27 + 1;

/** The bytes of a group's list, with its entry in the map. */
const bytesPerRest = 64;

/** The exact sum of the numbers of each group. */
export class ExactSums {
  private readonly high: Float64Array;
  /** The rounding errors of `high`. */
  private readonly low: Float64Array;
  /** The rounding errors of `low`: none in most groups. The bits of a list's numbers do not overlap. */
  private readonly rest = new Map<number, number[]>();
  private huge: ExactSums | null = null;

  constructor(
    private readonly groups: number,
    private readonly budget: Budget,
  ) {
    this.high = budget.doubles(groups);
    this.low = budget.doubles(groups);
  }

  /** Adds a number `times` times, which is below 2^26. */
  add(group: number, value: number, times = 1): void {
    if (Math.abs(value) >= hugeMin) {
      this.huge ??= new ExactSums(this.groups, this.budget);
      this.huge.add(group, value * hugePart, times);
    } else if (times === 1) this.addOne(group, value);
    else {
      const large = splitter * value;
      const upper = large - (large - value);
      this.addOne(group, upper * times);
      this.addOne(group, (value - upper) * times);
    }
  }
  private addOne(group: number, value: number): void {
    const { high, low } = this;
    const sum = high[group] + value;
    const lost = lostOf(high[group], value, sum);
    high[group] = sum;
    if (lost === 0) return;
    const lowSum = low[group] + lost;
    const lostAgain = lostOf(low[group], lost, lowSum);
    low[group] = lowSum;
    if (lostAgain !== 0) this.addToRest(group, lostAgain);
  }
  private addToRest(group: number, value: number): void {
    const rest = this.rest.get(group) ?? [];
    const lengthBefore = rest.length;
    let sum = value;
    let next = 0;
    for (let at = 0; at < lengthBefore; at++) {
      const part = rest[at];
      const lost = lostOf(part, sum, part + sum);
      sum += part;
      if (lost !== 0) rest[next++] = lost;
    }
    rest[next++] = sum;
    rest.length = next;
    if (next > lengthBefore) this.budget.take(bytesPerRest);
    this.rest.set(group, rest);
  }

  /** Returns the sum, rounded once; infinite if it is too large for a number. */
  of(group: number): number {
    const parts = this.partsOf(group);
    const sum = Math.sumPrecise(parts);
    // Bun 1.4 rounds some negative sums in the wrong direction.
    return sum < 0 ? -Math.sumPrecise(parts.map((part) => -part)) : sum;
  }
  /** Returns numbers whose exact sum is the group's. */
  private partsOf(group: number): number[] {
    const huge = this.huge?.partsOf(group) ?? [];
    const halves = huge.map((part) => part * halfOfWhole);
    return [
      this.high[group],
      this.low[group],
      ...(this.rest.get(group) ?? []),
      ...halves,
      ...halves,
    ];
  }
}

/** The rounding error of a sum (Knuth). */
const lostOf = (a: number, b: number, sum: number): number => {
  const ofB = sum - a;
  return a - (sum - ofB) + (b - ofB);
};
