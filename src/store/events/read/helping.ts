import { type PartName, type PartResult, type Parts, partsOf } from "../parts/parts";
import type { PartQuestion } from "../protocol/messages";
import type { OpenSnapshot } from "../questions/open-snapshot";
import { VERSION } from "../questions/told";
import type { Snapshots } from "./snapshot";

/** The snapshot that is kept for one read. */
interface Held {
  readonly turn: number;
  readonly snapshot: OpenSnapshot;
  letGo(): void;
  readonly ended: Promise<void>;
}

/**
 * Answers parts of what a read asks, all of them from one snapshot: if it is not of the same data as that of the read,
 * it is of no use to it.
 */
export class Helping {
  private held: Held | null = null;

  constructor(private readonly snapshots: Pick<Snapshots, "within">) {}

  async answer({ turn, request }: Pick<PartQuestion, "turn" | "request">): Promise<unknown> {
    if (this.held?.turn !== turn) {
      await this.over();
      this.held = await this.hold(turn);
    }
    const { snapshot } = this.held;
    const { name, asked, projectId, version, ownHosts } = request;
    if (snapshot.value(VERSION, JSON.stringify([projectId])) !== version) return null;
    const { context } = snapshot;
    context.ownHosts = ownHosts;
    let found: unknown = null;
    try {
      const answer = partsOf(snapshot)[name] as (...asked: Parameters<Parts[PartName]>) => unknown;
      found = answer(...asked);
      return found;
    } finally {
      if (!goesOn(name, found)) endQuestion(snapshot);
    }
  }

  /** Lets go of the snapshot. */
  async over(): Promise<void> {
    const { held } = this;
    this.held = null;
    if (held !== null) endQuestion(held.snapshot);
    held?.letGo();
    await held?.ended;
  }

  private async hold(turn: number): Promise<Held> {
    const opened = Promise.withResolvers<OpenSnapshot>();
    const over = Promise.withResolvers<void>();
    const ended = this.snapshots
      .within(async (snapshot) => {
        opened.resolve(snapshot);
        await over.promise;
      })
      .catch((error: unknown) => opened.reject(error));
    return { turn, snapshot: await opened.promise, letGo: over.resolve, ended };
  }
}

/** What a funnel has looked at is kept from step to step, until its last one or until it is given up. */
function goesOn(name: PartName, found: unknown): boolean {
  if (name !== "funnelStep") return false;
  const step = found as PartResult<"funnelStep">;
  return step !== null && step !== "too many groups" && step.sums === null;
}

function endQuestion(snapshot: OpenSnapshot): void {
  snapshot.walk = null;
  snapshot.context.endQuestion();
}
