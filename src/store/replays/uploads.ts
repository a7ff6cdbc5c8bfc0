import { ApiError } from "../../domain/errors";
import {
  segmentGroupBytesMax,
  segmentGroupMax,
  segmentQueueBytesMax,
} from "../../domain/replay/limits";
import { errorOf } from "../protocol/failure";
import type { SegmentOutcome, SentSegment } from "../replay-port";
import type { GroupOutcome } from "./questions";

interface Waiting {
  readonly sent: SentSegment;
  readonly bytes: number;
  resolve(outcome: SegmentOutcome): void;
  reject(error: Error): void;
}

interface UploadsParts {
  commit(group: readonly SentSegment[]): Promise<readonly GroupOutcome[]>;
  /** A replay was closed by what came. */
  closed(): void;
}

/**
 * Segments on their way to the disk. A group is sent at once when the writer is idle; while it is busy the next one
 * gathers, so that they share a sync.
 */
export class Uploads {
  #waiting: Waiting[] = [];
  /** Waiting and in flight. */
  #bytes = 0;
  #isBusy = false;
  #whenIdle: (() => void) | null = null;
  #isClosed = false;

  constructor(private readonly parts: UploadsParts) {}

  /** Resolves after the commit. */
  add(sent: SentSegment): Promise<SegmentOutcome> {
    const bytes = sent.body.byteLength;
    if (this.#isClosed) return Promise.reject(unavailable("The server is stopping."));
    if (this.#bytes + bytes > segmentQueueBytesMax) {
      return Promise.reject(unavailable("Too many segments wait to be stored."));
    }
    this.#bytes += bytes;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ sent, bytes, resolve, reject });
      // What comes in the same turn of the loop goes in the same group.
      setImmediate(() => void this.#send());
    });
  }

  /** Refuses what comes from now on; resolves when all that came before is answered. */
  close(): Promise<void> {
    this.#isClosed = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenIdle = resolve;
    if (this.#bytes === 0) resolve();
    return promise;
  }

  async #send(): Promise<void> {
    if (this.#isBusy || this.#waiting.length === 0) return;
    this.#isBusy = true;
    const group = this.#nextGroup();
    try {
      this.#answer(group, await this.parts.commit(group.map(({ sent }) => sent)));
    } catch (error) {
      for (const { reject } of group) reject(error as Error);
    }
    for (const { bytes } of group) this.#bytes -= bytes;
    this.#isBusy = false;
    if (this.#bytes === 0) this.#whenIdle?.();
    void this.#send();
  }

  #nextGroup(): Waiting[] {
    let count = 0;
    for (let bytes = 0; count < Math.min(this.#waiting.length, segmentGroupMax); count++) {
      bytes += this.#waiting[count].bytes;
      if (count > 0 && bytes > segmentGroupBytesMax) break;
    }
    return this.#waiting.splice(0, count);
  }

  #answer(group: readonly Waiting[], outcomes: readonly GroupOutcome[]): void {
    outcomes.forEach((outcome, index) => {
      const { resolve, reject } = group[index];
      if (outcome.kind === "refused") reject(errorOf(outcome.failure));
      else resolve(outcome);
    });
    if (outcomes.some((one) => one.kind === "taken" && one.isClosed)) this.parts.closed();
  }
}

const unavailable = (why: string): ApiError =>
  new ApiError("UNAVAILABLE", `${why} Send the segment again in a second.`, {
    retry_after_seconds: 1,
  });
