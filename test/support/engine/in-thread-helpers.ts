import type { Helpers, PartRequest } from "../../../src/store/events/parts/helpers";
import { buffersOf, type PartName, type PartResult } from "../../../src/store/events/parts/parts";
import { Helping } from "../../../src/store/events/read/helping";
import { openSnapshots } from "../../../src/store/events/read/snapshot";
import type { Sizes } from "./engine";

/** After this number of questions it is as if the helper had just been ended. */
const usualAsksPerDeath = 5;

/**
 * The helpers of a reader, in the thread of the test: each with a snapshot of its own, which it takes later than the
 * read has its own. What is asked and found is copied as between threads.
 */
export class InThreadHelpers implements Helpers {
  private readonly opened: {
    readonly snapshots: ReturnType<typeof openSnapshots>;
    readonly helping: Helping;
  }[];
  readonly declined = new Set<string>();
  private turn = 1;
  private asks = 0;
  /** The number of parts that were answered. */
  answered = 0;

  constructor(
    readonly count: number,
    file: string,
    private readonly sizes: Sizes,
    isCancelled: () => boolean,
  ) {
    this.opened = Array.from({ length: count }, () => {
      const snapshots = openSnapshots(file, sizes.cacheBytes, isCancelled, sizes);
      return { snapshots, helping: new Helping(snapshots) };
    });
  }

  async ask<Name extends PartName>(
    helper: number,
    request: PartRequest<Name>,
  ): Promise<PartResult<Name> | null> {
    const { turn } = this;
    const { asksPerDeath = usualAsksPerDeath } = this.sizes;
    if (++this.asks % asksPerDeath === 0) return null;
    try {
      const asked = structuredClone(request) as PartRequest<PartName>;
      const found = await this.opened[helper].helping.answer({ turn, request: asked });
      if (found !== null) this.answered++;
      return structuredClone(found, { transfer: buffersOf(found) }) as PartResult<Name> | null;
    } catch {
      return null;
    }
  }
  endRead(): void {
    this.turn++;
    for (const { helping } of this.opened) void helping.over();
  }
  close(): void {
    for (const { snapshots } of this.opened) snapshots.close();
  }
}
