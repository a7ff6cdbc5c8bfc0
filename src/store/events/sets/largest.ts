import { type Budget, valuesPerCheck } from "./budget";

/**
 * Returns the members with the `count` largest values and all that tie with the last of these, in the order of
 * `members`. It calls `measure` twice for each member.
 */
export function largest(
  members: readonly number[],
  count: number,
  measure: (member: number) => number,
  budget: Budget,
): readonly number[] {
  if (members.length <= count) return members;
  const values = budget.doubles(members.length);
  budget.each(members.length, (i) => {
    values[i] = measure(members[i]);
  });
  const least = nthLargestOf(values, count, budget);
  budget.giveBack(values.byteLength);
  const result: number[] = [];
  budget.each(members.length, (i) => {
    if (measure(members[i]) >= least) result.push(members[i]);
  });
  return result;
}

type Numbers = Uint32Array | Float64Array;

/** Up to this `n`, one pass with a list of the largest values so far is faster than a selection on a copy. */
const fewMax = 64;

/** Returns the n-th largest value, with n between 1 and the number of values. It leaves `values` as they are. */
export function nthLargestOf(values: Numbers, n: number, budget: Budget): number {
  if (n <= fewMax) return nthOfFew(values, n, budget);
  const copy = budget.doubles(values.length);
  copy.set(values);
  const result = nthLargest(copy, n, budget.check);
  budget.giveBack(copy.byteLength);
  return result;
}

function nthOfFew(values: Numbers, n: number, budget: Budget): number {
  const largest = new Float64Array(n).fill(Number.NEGATIVE_INFINITY);
  let least = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; ) {
    const end = budget.checkedUntil(i, values.length);
    for (; i < end; i++) {
      const value = values[i];
      if (value <= least) continue;
      let at = n - 1;
      for (; at > 0 && largest[at - 1] < value; at--) largest[at] = largest[at - 1];
      largest[at] = value;
      least = largest[n - 1];
    }
  }
  return least;
}

/** Returns the n-th largest value (n from 1) by quickselect, which changes the order of `values`. */
export function nthLargest(values: Float64Array, n: number, check: () => void): number {
  let left = 0;
  let right = values.length - 1;
  const at = n - 1;
  while (left < right) {
    if (right - left > valuesPerCheck) check();
    const pivot = values[(left + right) >>> 1];
    let i = left;
    let j = right;
    while (i <= j) {
      while (values[i] > pivot) i++;
      while (values[j] < pivot) j--;
      if (i > j) break;
      const swapped = values[i];
      values[i++] = values[j];
      values[j--] = swapped;
    }
    if (at <= j) right = j;
    else if (at >= i) left = i;
    else break;
  }
  return values[at];
}

/** One number can have six digits, as 257 ** 6 is below 2 ** 53. */
const digitsAtOnce = 6;
/** Members are selected in batches of this size, so that the memory does not depend on their number. */
export const membersAtOnce = 65_536;

interface First {
  readonly first: readonly number[];
  readonly undecided: readonly number[];
}

/**
 * Returns the first `count` members in order of their texts, unsorted. `byteAt` returns −1 behind the end of a text. It
 * selects by a few bytes of each text at a time, without comparing two texts. If more members with equal texts remain
 * than there are places, they are the undecided ones.
 */
export function firstInOrder(
  members: ArrayLike<number>,
  count: number,
  byteAt: (member: number, place: number) => number,
  { check }: Budget,
  atOnce = membersAtOnce,
): First {
  let result: First = { first: [], undecided: [] };
  /** The leading digits of the last of `count` members. Members with larger digits are not among the first. */
  let lastDigits = Number.POSITIVE_INFINITY;
  for (let from = 0; from < members.length; from += atOnce) {
    check();
    const candidates = [...result.first, ...result.undecided];
    const to = Math.min(members.length, from + atOnce);
    for (let at = from; at < to; at++) {
      if (digitsOf(members[at], 0, byteAt) <= lastDigits) candidates.push(members[at]);
    }
    result = firstOf(candidates, count, byteAt, check);
    const chosen = [...result.first, ...result.undecided];
    if (chosen.length >= count)
      lastDigits = chosen.reduce((last, one) => Math.max(last, digitsOf(one, 0, byteAt)), 0);
  }
  return result;
}

function firstOf(
  members: number[],
  count: number,
  byteAt: (member: number, place: number) => number,
  check: () => void,
): First {
  const first: number[] = [];
  let left = members;
  for (let place = 0; left.length > count - first.length; place += digitsAtOnce) {
    if (count === first.length) return { first, undecided: [] };
    const values = new Float64Array(left.length);
    for (let i = 0; i < left.length; i++) values[i] = -digitsOf(left[i], place, byteAt);
    const last = nthLargest(values.slice(), count - first.length, check);
    const open: number[] = [];
    for (let i = 0; i < left.length; i++) {
      if (values[i] > last) first.push(left[i]);
      else if (values[i] === last) open.push(left[i]);
    }
    left = open;
    if (-last % 257 === 0 && left.length > count - first.length) return { first, undecided: left };
  }
  return { first: [...first, ...left], undecided: [] };
}

/** Returns some bytes of a text as one number, with 0 for places behind its end. */
function digitsOf(
  member: number,
  place: number,
  byteAt: (member: number, place: number) => number,
): number {
  let number = 0;
  for (let at = place; at < place + digitsAtOnce; at++)
    number = number * 257 + byteAt(member, at) + 1;
  return number;
}

/**
 * Returns up to `limit` members with the largest counts above 0, unsorted. Among equal counts it takes the first in
 * order of their texts.
 */
export function mostFrequent(
  counts: Uint32Array,
  limit: number,
  byteAt: (member: number, place: number) => number,
  budget: Budget,
): readonly number[] {
  if (limit === 0) return [];
  const least = limit >= counts.length ? 0 : nthLargestOf(counts, limit, budget);
  const { better, tied } = around(counts, least, budget);
  if (least === 0) return better;
  return [...better, ...firstInOrder(tied, limit - better.length, byteAt, budget).first];
}

/** Returns the places of values above a bound, and the places of values equal to it, of which there may be millions. */
export function around(
  values: Numbers,
  bound: number,
  budget: Budget,
): { readonly better: number[]; readonly tied: Uint32Array } {
  const better: number[] = [];
  let ties = 0;
  for (let place = 0; place < values.length; ) {
    const end = budget.checkedUntil(place, values.length);
    for (; place < end; place++) {
      const value = values[place];
      if (value > bound) better.push(place);
      else if (value === bound) ties++;
    }
  }
  const tied = budget.words(ties);
  for (let place = 0, next = 0; next < ties; ) {
    const end = budget.checkedUntil(place, values.length);
    for (; place < end; place++) if (values[place] === bound) tied[next++] = place;
  }
  return { better, tied };
}
