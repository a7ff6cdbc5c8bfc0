import { ApiError } from "../../../domain/errors";
import { rowsWaitingMax } from "../../../domain/limits";
import type { Entry } from "../../port";
import type { Backlog } from "./questions";

/** With so many, it no longer matters whose they are. */
const everybodysMax = 2 * rowsWaitingMax;

/**
 * Compaction is slower than a flood of events can be. What it owes is bounded here: first the projects that cause it
 * are held back, so that the others go on.
 */
export class Backpressure {
  private heavy: ReadonlySet<string> = new Set();
  private events = 0;

  /** What the compactor found; and what was stored since then counts as well. */
  report({ events, heavyProjectIds }: Backlog): void {
    this.events = events;
    this.heavy = new Set(heavyProjectIds);
  }
  stored(events: number): void {
    this.events += events;
  }

  get isOn(): boolean {
    return this.events >= everybodysMax || this.heavy.size > 0;
  }

  /** Why the entries cannot be taken now, or null. Identities and sums leave nothing to compact. */
  refusal(entries: readonly Entry[]): ApiError | null {
    if (!this.isOn) return null;
    const isHeld = entries.some(
      ({ kind, projectId }) =>
        kind === "events" && (this.events >= everybodysMax || this.heavy.has(projectId)),
    );
    if (!isHeld) return null;
    return new ApiError(
      "UNAVAILABLE",
      "Events come in faster than they can be sorted. Send them again in a second.",
      { retry_after_seconds: 1 },
    );
  }
}
