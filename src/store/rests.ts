import { setPriority } from "node:os";

const restPerWork = 4;
/** Shorter pieces are worked through one after the other: a timer is no more exact than this. */
const workMsMin = 5;
/** A longer rest would only delay the check: a large table is one piece of work, and would cause minutes of rest. */
const restMsMax = 5_000;

/** Returns the processor time that this thread has used. */
export function threadTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * Others go first, where a thread can have a priority of its own. At 10 it gets a tenth of a processor that somebody
 * else would take whole; at 19 it gets a seventieth, and a check beside a busy server would last for hours.
 */
const niceness = 10;

export function letOthersGoFirst(): void {
  if (process.platform === "linux") setPriority(niceness);
}

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
