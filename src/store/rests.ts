const restPerWork = 4;
/** Shorter pieces are worked through one after the other: a timer is no more exact than this. */
const workMsMin = 5;
/** A longer rest would only delay the check: a large table is one piece of work, and would cause minutes of rest. */
const restMsMax = 5_000;

/**
 * Makes a thread rest after work, so that it works a fifth of the time. Work is measured in processor time: while the
 * thread waited for others on a busy machine it has rested already.
 */
export class Rests {
  private restedAt: number;

  constructor(private readonly workedMs: () => number) {
    this.restedAt = workedMs();
  }

  due(): number {
    const worked = this.workedMs() - this.restedAt;
    if (worked < workMsMin) return 0;
    this.restedAt += worked;
    return Math.min(worked * restPerWork, restMsMax);
  }
}
