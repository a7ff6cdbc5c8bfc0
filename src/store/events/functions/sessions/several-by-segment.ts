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
  constructor(
    readonly count: number,
    /** By the id of the segment. Threads share what it holds. */
    readonly segments: ReadonlyMap<number, VisitsOfSeveral>,
  ) {}

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

  /** The same with visits more, of sessions of one visit, ascending in each segment: they get the next places. */
  withMore(more: ReadonlyMap<number, readonly number[]>): SeveralBySegment {
    const segments = new Map(this.segments);
    let { count } = this;
    for (const [segment, added] of more) {
      const { visits, places } = segments.get(segment) ?? none;
      const all = [
        ...Array.from(visits, (visit, at) => [visit, places[at]] as const),
        ...added.map((visit) => [visit, ++count] as const),
      ].sort(([one], [other]) => one - other);
      segments.set(segment, {
        visits: Uint32Array.from(all, ([visit]) => visit),
        places: Uint32Array.from(all, ([, place]) => place),
      });
    }
    return new SeveralBySegment(count, segments);
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
    const [visits, places] = [budget.sharedWords(size + 1), budget.sharedWords(size + 1)];
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
