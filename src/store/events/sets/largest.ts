import { type Budget, valuesPerCheck } from "./budget";

/**
 * The members with the `count` largest values, and others as large as the last of them, in the order they came. Values
 * are looked at several times.
 */
export function largest(
  members: readonly number[],
  count: number,
  worthOf: (member: number) => number,
  budget: Budget,
): readonly number[] {
  if (members.length <= count) return members;
  const worths = budget.doubles(members.length);
  budget.each(members.length, (i) => {
    worths[i] = worthOf(members[i]);
  });
  const least = nthLargestOf(worths, count, budget);
  budget.giveBack(worths.byteLength);
  const found: number[] = [];
  budget.each(members.length, (i) => {
    if (worthOf(members[i]) >= least) found.push(members[i]);
  });
  return found;
}

type Numbers = Uint32Array | Float64Array;

/** Up to here one pass that keeps the largest so far is faster than a copy that is put in order. */
const fewMax = 64;

/** The n-th largest of values that stay in their order; `n` is 1 at least, and at most their number. */
export function nthLargestOf(values: Numbers, n: number, budget: Budget): number {
  if (n <= fewMax) return nthOfFew(values, n, budget);
  const copy = budget.doubles(values.length);
  copy.set(values);
  const found = nthLargest(copy, n, budget.check);
  budget.giveBack(copy.byteLength);
  return found;
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

/** The n-th largest of the values (n from 1), found without sorting them all. Changes the order of `values`. */
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
      const kept = values[i];
      values[i++] = values[j];
      values[j--] = kept;
    }
    if (at <= j) right = j;
    else if (at >= i) left = i;
    else break;
  }
  return values[at];
}

/** Digits that one number holds exactly: 257 ** 6 is below 2 ** 53. */
const digitsAtOnce = 6;
/** Candidates that are looked at together: what a selection takes does not depend on how many there are in all. */
export const membersAtOnce = 65_536;

interface First {
  readonly first: readonly number[];
  readonly undecided: readonly number[];
}

/**
 * The first `count` of the members in order of their texts, not sorted. `byteAt` is −1 behind the end of a text. Some
 * bytes of each are looked at a time, so that no two texts are compared. What is undecided are members of one text, of
 * which there are more than places left.
 */
export function firstInOrder(
  members: ArrayLike<number>,
  count: number,
  byteAt: (member: number, place: number) => number,
  { check }: Budget,
  atOnce = membersAtOnce,
): First {
  let found: First = { first: [], undecided: [] };
  /** The first digits of the last of these, once there are enough: what comes behind it is not among the first. */
  let lastDigits = Number.POSITIVE_INFINITY;
  for (let from = 0; from < members.length; from += atOnce) {
    check();
    const candidates = [...found.first, ...found.undecided];
    const to = Math.min(members.length, from + atOnce);
    for (let at = from; at < to; at++) {
      if (digitsOf(members[at], 0, byteAt) <= lastDigits) candidates.push(members[at]);
    }
    found = firstOf(candidates, count, byteAt, check);
    const chosen = [...found.first, ...found.undecided];
    if (chosen.length >= count)
      lastDigits = chosen.reduce((last, one) => Math.max(last, digitsOf(one, 0, byteAt)), 0);
  }
  return found;
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

/** Reads some bytes as one number; a text that has ended comes first. */
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
 * The members with the largest counts above 0, of equal ones the first in order of their texts: at most `limit` of
 * them, not sorted.
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

/** Places of the values above a bound, and of those that are equal to it. There may be millions of the latter. */
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
