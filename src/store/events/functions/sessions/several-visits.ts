import type { Budget } from "../budget";
import type { SessionNumbers } from "./session-numbers";

/** The sessions of more than one visit, which are few. */
export interface SeveralVisits {
  /** The place of each session among them, from 1; 0 for one of a single visit. */
  readonly places: Uint32Array;
  readonly count: number;
  /** The session of each place. */
  readonly sessions: readonly number[];
}

export function severalVisitsIn(
  { count: sessions, of }: Pick<SessionNumbers, "count" | "of">,
  budget: Budget,
): SeveralVisits {
  const places = budget.words(sessions + 1);
  const isSeen = new Uint8Array(sessions + 1);
  const several = [0];
  for (const numbers of of.values()) {
    budget.check();
    for (let visit = 0; visit < numbers.length; visit++) {
      const n = numbers[visit];
      if (n === 0) continue;
      if (isSeen[n] === 0) isSeen[n] = 1;
      else if (places[n] === 0) places[n] = several.push(n) - 1;
    }
  }
  return { places, count: several.length - 1, sessions: several };
}

/** The sessions of several visits after some sessions have changed. Null when these are too many. */
export function severalAfter(
  { places: before, count: countBefore, sessions: known }: SeveralVisits,
  changed: readonly number[],
  sessions: number,
  budget: Budget,
): SeveralVisits | null {
  if (countBefore + changed.length > before.length / manyShare) return null;
  let places = before;
  if (sessions >= places.length) {
    places = budget.words(sessions + 1 + (sessions >>> 4));
    places.set(before);
  }
  const several = known.slice();
  for (const n of changed) if (places[n] === 0) places[n] = several.push(n) - 1;
  return { places, count: several.length - 1, sessions: several };
}
/** With a larger share of the sessions, all of them are looked through again for those of several visits. */
const manyShare = 4;
