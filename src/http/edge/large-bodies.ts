/*
 * Large bodies are walked over first, and one at a time.
 * Decision: a body over 64 KiB waits for its turn, one per turn of the event loop, networks in turn, 128 at most. Its
 * JSON is checked by one walk that parses lazily (`ingest/lazy-body.ts`): fields that are judged, and of
 * properties only their text, unless they are certainly too large or too deep. The lazy body is refused as the body
 * would be; only for a token that somebody has its properties are parsed. So it is for bodies over 12 KiB that name no
 * such token.
 * Because: 1 MB of ever new keys, brackets or empty objects takes 20 to 400 ms to parse, and anybody may send it.
 * Cost: the walk, 4 to 20 ms a MB. A key that comes again and again, and a list of 100 events with 8 KiB each, obey
 * the bounds and are parsed: that keeps others waiting for one such body, and not for all.
 * Revisit: if ingestion gets threads of its own.
 */

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
  new ApiError(
    "UNAVAILABLE",
    "The server is reading too many large requests at the same time. Send this one again in a second.",
    {
      retry_after_seconds: 1,
    },
  );
