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
 * The sessions of several visits by the visits of each segment: whoever goes through the visits of segments in order
 * need not look each one up by its session. It takes eight bytes for each such visit, and few are.
 */
export class SeveralBySegment {
  readonly count: number;
  private readonly segments = new Map<number, VisitsOfSeveral>();

  constructor(numbers: Pick<SessionNumbers, "count" | "of">, budget: Budget) {
    const { places: placeOf, count } = severalVisitsIn(numbers, budget);
    this.count = count;
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
      this.segments.set(segment, { visits, places });
    }
    budget.giveBack(placeOf.byteLength);
  }

  get bytes(): number {
    return this.segments.values().reduce((sum, { visits }) => sum + 2 * visits.byteLength, 0);
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
