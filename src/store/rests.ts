const restPerWork = 4;
/** Shorter pieces are worked through one after the other: a timer is no more exact than this. */
const workMsMin = 5;
/** Of a large table, which is one piece, nobody is helped by a rest of minutes: the check would only end later. */
const restMsMax = 5_000;

/**
 * How long a thread rests after what it worked, so that it works a fifth of the time. Work is told in time of the
 * processor: what the thread waited for while others had it was rest already, and most of the time of a busy machine.
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
