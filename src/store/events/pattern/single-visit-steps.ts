import type { Budget } from "../sets/budget";
import type { FunnelSums } from "./funnel-sums";
import { nextOfStep, type StepRows } from "./step-rows";

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

  /**
   * Returns what looks whether a visit takes a step; null where none of the segment has come so far. Rows are looked at
   * of those alone that have.
   */
  taker(
    step: number,
    index: number,
    firstRows: Uint32Array,
    lookedAt: () => StepRows,
  ): ((visit: number) => void) | null {
    return step === 0
      ? this.beginner(index, firstRows, lookedAt())
      : this.follower(step, index, firstRows, lookedAt);
  }

  private beginner(index: number, firstRows: Uint32Array, rows: StepRows) {
    const { sums } = this;
    const { steps, begun, last } = this.visitsOf(index, firstRows.length - 1);
    return (visit: number): void => {
      const end = firstRows[visit + 1];
      const row = nextOfStep(rows, firstRows[visit], end);
      if (row === end) return;
      steps[visit] = 1;
      begun[visit] = row;
      last[visit] = row;
      sums.sumsOf(sums.groupAt(index, row)).users[0]++;
    };
  }

  private follower(step: number, index: number, firstRows: Uint32Array, lookedAt: () => StepRows) {
    const { windowMs, sums } = this;
    const known = this.segments[index];
    if (known === undefined) return null;
    const { steps, begun, last } = known;
    let rows: StepRows | null = null;
    return (visit: number): void => {
      if (steps[visit] !== step) return;
      rows ??= lookedAt();
      const { times } = rows;
      const end = firstRows[visit + 1];
      const before = last[visit];
      const row = nextOfStep(rows, before + 1, end);
      if (row === end || times[row] - times[begun[visit]] > windowMs) return;
      steps[visit] = step + 1;
      last[visit] = row;
      const { users, total_gap_ms: gaps } = sums.sumsOf(sums.groupAt(index, begun[visit]));
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
