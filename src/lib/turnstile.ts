/** Lets so many through at once, and so many wait; whoever comes beyond that is told at once. */
export class Turnstile {
  readonly #atOnceMax: number;
  readonly #waitingMax: number;
  #inside = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnceMax: number, waitingMax: number) {
    this.#atOnceMax = atOnceMax;
    this.#waitingMax = waitingMax;
  }

  /** Null when too many wait already: the work was not begun. */
  async pass<T>(work: () => Promise<T>): Promise<{ readonly value: T } | null> {
    if (this.#inside < this.#atOnceMax) this.#inside += 1;
    else if (this.#waiting.length >= this.#waitingMax) return null;
    // Whoever leaves hands its place over, so that nobody slips in between.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return { value: await work() };
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#inside -= 1;
      else next();
    }
  }
}
