import type { Budget } from "../budget";
import type { SessionNumbers } from "./session-numbers";
import { severalVisitsIn } from "./several-visits";

/** The visits of a segment that belong to sessions of several, ascending, and behind them one that there is not. */
interface VisitsOfSeveral {
  readonly visits: Uint32Array;
  /** The place of each one's session among those of several visits, from 1. */
  readonly places: Uint32Array;
}
const noVisit = 0xffff_ffff;
const none: VisitsOfSeveral = { visits: Uint32Array.of(noVisit), places: Uint32Array.of(0) };

/**
 * The sessions of several visits, and single ones that are added, by the visits of each segment: whoever goes through
 * the visits of segments in order need not look each one up by its session. It takes eight bytes for each such visit,
 * and few are.
 */
export class SeveralBySegment {
  constructor(
    readonly count: number,
    /** By the id of the segment, in memory that threads share. */
    readonly segments: ReadonlyMap<number, VisitsOfSeveral>,
  ) {}

  get bytes(): number {
    return this.segments.values().reduce((sum, { visits }) => sum + 2 * visits.byteLength, 0);
  }

  /** The place of the session of each of a segment's visits, or 0. */
  placesOf(segment: number, visitCount: number): Uint32Array<ArrayBuffer> {
    const all = new Uint32Array(visitCount);
    const { visits, places } = this.segments.get(segment) ?? none;
    for (let at = 0; visits[at] < visitCount; at++) all[visits[at]] = places[at];
    return all;
  }
  /** Makes a function that returns the place of a visit's session, or 0. It is asked of visits in ascending order. */
  placesIn(segment: number): (visit: number) => number {
    const { visits, places } = this.segments.get(segment) ?? none;
    let next = 0;
    return (visit) => {
      while (visits[next] < visit) next++;
      return visits[next] === visit ? places[next] : 0;
    };
  }
}

export function severalBySegment(
  numbers: Pick<SessionNumbers, "count" | "of">,
  budget: Budget,
): SeveralBySegment {
  const { places: placeOf, count } = severalVisitsIn(numbers, budget);
  const segments = new Map<number, VisitsOfSeveral>();
  for (const [segment, sessions] of numbers.of) {
    budget.check();
    let size = 0;
    for (let visit = 0; visit < sessions.length; visit++)
      if (placeOf[sessions[visit]] !== 0) size++;
    const [visits, places] = [budget.words(size + 1), budget.words(size + 1)];
    let next = 0;
    for (let visit = 0; visit < sessions.length; visit++) {
      const place = placeOf[sessions[visit]];
      if (place === 0) continue;
      visits[next] = visit;
      places[next++] = place;
    }
    visits[size] = noVisit;
    segments.set(segment, { visits, places });
  }
  budget.giveBack(placeOf.byteLength);
  return new SeveralBySegment(count, segments);
}
