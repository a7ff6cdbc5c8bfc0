import type { Budget } from "../budget";
import type { FunnelSums } from "./funnel-sums";
import { nextMarked, type RowsLookedAt } from "./rows-looked-at";

/** What is known of each visit of a segment. */
interface Visits {
  /** The number of steps that it took. */
  readonly steps: Uint8Array;
  /** Its rows of the first step, and of the one that it took last. */
  readonly begun: Uint32Array;
  readonly last: Uint32Array;
}

/**
 * The steps that sessions of one visit took. Most sessions are such ones, and no other visit can have an earlier event
 * of a step: rows of a visit are in order, so that what it used lies beside the visit, and no table of sessions is
 * looked into.
 */
export class SingleVisitSteps {
  private readonly segments: (Visits | undefined)[] = [];

  constructor(
    private readonly windowMs: number,
    private readonly sums: FunnelSums,
    private readonly budget: Budget,
  ) {}

  /** Returns what looks whether a visit of a segment takes a step. */
  taker(step: number, rows: RowsLookedAt, firstRows: Uint32Array): (visit: number) => void {
    const { windowMs, sums } = this;
    const { steps, begun, last } = this.visitsOf(rows.index, firstRows.length - 1);
    const { times, index } = rows;
    if (step === 0) {
      return (visit) => {
        const end = firstRows[visit + 1];
        const row = nextMarked(rows, firstRows[visit], end);
        if (row === end) return;
        steps[visit] = 1;
        begun[visit] = row;
        last[visit] = row;
        sums.sumsOf(sums.groupAt(index, row)).users[0]++;
      };
    }
    return (visit) => {
      if (steps[visit] !== step) return;
      const before = last[visit];
      const row = nextMarked(rows, before + 1, firstRows[visit + 1]);
      if (row === firstRows[visit + 1] || times[row] - times[begun[visit]] > windowMs) return;
      steps[visit] = step + 1;
      last[visit] = row;
      const group = sums.groupAt(index, begun[visit]);
      const { users, total_gap_ms: gaps } = sums.sumsOf(group);
      users[step]++;
      gaps[step - 1] += times[row] - times[before];
    };
  }

  private visitsOf(index: number, count: number): Visits {
    const { budget } = this;
    this.segments[index] ??= {
      steps: budget.bytesOf(count),
      begun: budget.words(count),
      last: budget.words(count),
    };
    return this.segments[index];
  }
}
