import { FairQueue } from "./queue";

/**
 * Lets a bounded number through at once and a bounded number wait, whose keys take turns. When all
 * places to wait are taken, the key that has most of them loses its newest to one that has fewer; a caller without a
 * place is told at once.
 */
export class Semaphore {
  readonly #atOnceMax: number;
  readonly #waitingMax: number;
  #inside = 0;
  readonly #waiting = new FairQueue<string, (isLetIn: boolean) => void>();

  constructor(atOnceMax: number, waitingMax: number) {
    this.#atOnceMax = atOnceMax;
    this.#waitingMax = waitingMax;
  }

  /** Runs the work when it is its turn. Null when too many wait already: the work was not begun. */
  async pass<T>(key: string, work: () => Promise<T>): Promise<{ readonly value: T } | null> {
    if (this.#inside < this.#atOnceMax) this.#inside += 1;
    else if (!(await this.#wait(key))) return null;
    try {
      return { value: await work() };
    } finally {
      // The slot is handed to the next one that waits, so that nobody who comes now gets in before.
      const next = this.#waiting.take();
      if (next === undefined) this.#inside -= 1;
      else next(true);
    }
  }

  #wait(key: string): Promise<boolean> {
    if (this.#waiting.size >= this.#waitingMax) {
      const displaced = this.#waiting.displaceFor(key);
      if (displaced === undefined) return Promise.resolve(false);
      displaced(false);
    }
    return new Promise((resolve) => this.#waiting.push(key, resolve));
  }
}
