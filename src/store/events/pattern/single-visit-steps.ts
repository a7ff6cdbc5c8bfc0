import type { Budget } from "../sets/budget";
import type { FunnelSums } from "./funnel-sums";
import { nextOfStep, type StepRows } from "./step-rows";

/** The steps of each visit of a segment. */
interface Visits {
  /** The number of steps that the visit took. */
  readonly steps: Uint8Array;
  /** The rows of its first step, and of the last step that it took. */
  readonly begun: Uint32Array;
  readonly last: Uint32Array;
}

/**
 * The steps that sessions of one visit took. Most sessions have one visit, and then no other visit can have an earlier
 * event of a step. The rows of a visit are in order, so these arrays are by visit, and need no table of sessions.
 */
export class SingleVisitSteps {
  private readonly segments: (Visits | undefined)[] = [];

  constructor(
    private readonly windowMs: number,
    private readonly sums: FunnelSums,
    private readonly budget: Budget,
  ) {}

  /**
   * Returns a function that lets a visit take the step; null if no visit of the segment took the step before. It reads
   * only the rows of visits that took the step before.
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
