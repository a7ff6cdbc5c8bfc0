import { ApiError } from "../../domain/errors";
import { FairQueue } from "../../lib/queue";

export const largeBodiesWaitingMax = 128;

/**
 * Large bodies are taken apart one at a time: in between, the server looks at all that has come meanwhile, so that
 * small requests never wait for more than one of them. Networks take turns; of too many, the one with most loses its
 * newest.
 */
export class LargeBodies {
  readonly #waiting = new FairQueue<string, (isRefused: boolean) => void>();
  #isPlanned = false;

  /** Resolves when the body may be taken apart, which must be done at once. Throws UNAVAILABLE. */
  async turn(network: string): Promise<void> {
    if (this.#waiting.size >= largeBodiesWaitingMax) {
      const displaced = this.#waiting.displaceFor(network);
      if (displaced === undefined) throw tooMany();
      displaced(true);
    }
    const isRefused = await new Promise<boolean>((resolve) => {
      this.#waiting.push(network, resolve);
      this.#plan();
    });
    if (isRefused) throw tooMany();
  }

  #plan(): void {
    if (this.#isPlanned || this.#waiting.size === 0) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#waiting.take()?.(false);
      this.#plan();
    });
  }
}

const tooMany = (): ApiError =>
  new ApiError("UNAVAILABLE", "Too many large bodies at once. Send this one again in a second.", {
    retry_after_seconds: 1,
  });
