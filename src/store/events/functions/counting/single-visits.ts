import type { Segment } from "../../segment/segment";
import type { Sessions } from "../sessions/sessions";
import { lowestBit } from "./visit-masks";

/** Sets of groups, as bits, whose sums have a place of their own: those of some ten groups. */
const setsMax = 4_096;

/** What is summed of the sessions that had an event of a group. */
export interface SingleVisitSums {
  readonly group: number;
  readonly sessions: number;
  readonly bounces: number;
  readonly durationMs: number;
}

/**
 * Sums over the sessions of a segment that have no other visit, by the groups which the visit has. Most sessions are
 * such ones: that they are new to their groups is known, and what they are is what the visit is, so that neither is
 * looked up by session. There are fewer sets of groups than visits; groups get their sums at the end.
 */
export class SingleVisits {
  private readonly sessions = new Uint32Array(setsMax);
  private readonly bounces = new Uint32Array(setsMax);
  private readonly durationsMs = new Float64Array(setsMax);
  private readonly sets: number[] = [];

  /** Columns of what is not wanted are not opened, and its sums stay 0. */
  constructor(
    private readonly wantsBounces: boolean,
    private readonly wantsDurations: boolean,
  ) {}

  /**
   * `numbers` are the sessions of the visits of a whole segment, and `bitsOf` tells the groups of each. Calls `other`
   * for the visits that are not added.
   */
  add(
    segment: Segment,
    numbers: Uint32Array,
    { severalVisits: { places } }: Sessions,
    bitsOf: (visit: number) => number,
    other: (groups: number, session: number) => void,
  ): void {
    const { sessions, bounces, durationsMs, sets } = this;
    const interactive = this.wantsBounces ? segment.integers("visit.interactive") : null;
    const durations = this.wantsDurations ? segment.integers("visit.duration") : null;
    for (let v = 0; v < numbers.length; v++) {
      const session = numbers[v];
      if (session === 0) continue;
      const groups = bitsOf(v);
      if (groups === 0) continue;
      if (places[session] !== 0 || groups < 0 || groups >= setsMax) {
        other(groups, session);
        continue;
      }
      if (sessions[groups] === 0) sets.push(groups);
      sessions[groups]++;
      if (interactive !== null) bounces[groups] += 1 - interactive[v];
      if (durations !== null) durationsMs[groups] += durations[v];
    }
  }

  /** Calls for each group of each set with what was added. */
  each(see: (sums: SingleVisitSums) => void): void {
    const { sessions, bounces, durationsMs } = this;
    for (const set of this.sets) {
      const sums = { bounces: bounces[set], durationMs: durationsMs[set] };
      for (let bits = set; bits !== 0; bits &= bits - 1)
        see({ group: lowestBit(bits), sessions: sessions[set], ...sums });
    }
  }
}
