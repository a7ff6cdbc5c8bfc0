import { type Asked, type PartName, type Parts, partsOf } from "../parts/parts";
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
    if (!isLaterStep(request)) this.endQuestion(snapshot);
    try {
      const answer = partsOf(snapshot)[name] as (...asked: Parameters<Parts[PartName]>) => unknown;
      return answer(...asked);
    } finally {
      if (snapshot.walk === null) context.endQuestion();
    }
  }

  /** Lets go of the snapshot. */
  async over(): Promise<void> {
    const { held } = this;
    this.held = null;
    if (held !== null) this.endQuestion(held.snapshot);
    held?.letGo();
    await held?.ended;
  }

  /** What a funnel has looked at is kept from one of its steps to the next. */
  private endQuestion(snapshot: OpenSnapshot): void {
    if (snapshot.walk === null) return;
    snapshot.walk = null;
    snapshot.context.endQuestion();
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

const isLaterStep = ({ name, asked }: PartQuestion["request"]): boolean =>
  name === "funnelStep" && (asked as Asked<"funnelStep">)[2] > 0;
