/*
 * A flood is held back by project.
 * Decision: when 200,000 rows wait for compaction, projects with more than 20,000 of them get 503; at 400,000 all
 * projects do. Between two reports of the compactor each project may add another 20,000. Only at the second limit
 * /health/ready fails, as the refusal of one project concerns only this project.
 * Because: one project's flood must not stop the others, nor make the load balancer remove the server.
 * Cost: the limit of all projects together is twice as high.
 * Revisit: with more compactors.
 */

import { ApiError } from "../../../domain/errors";
import { rowsWaitingMax } from "../../../domain/limits";
import type { Entry } from "../../port";
import type { Backlog } from "../protocol/messages";

/** Beyond this number of waiting events all projects are refused. */
const everybodysMax = 2 * rowsWaitingMax;
/** A tenth of all rows that may wait. Projects with more are refused first. */
export const heavyEventsMin = rowsWaitingMax / 10;

/**
 * Limits the rows that wait for compaction, as a flood of events can be faster than the compactor. First it refuses the
 * projects that cause the flood, so that the others can continue.
 */
export class Backpressure {
  private heavy: ReadonlySet<string> = new Set();
  private events = 0;
  /**
   * The events of each project that were accepted since the last report, if many wait. The next report may be seconds
   * away, and the flood of one project in this time must not block all others.
   */
  private readonly taken = new Map<string, number>();

  /** The waiting rows of the last report, and those stored since then. */
  report({ events, heavyProjectIds }: Backlog): void {
    this.events = events;
    this.heavy = new Set(heavyProjectIds);
    this.taken.clear();
  }
  stored(events: number): void {
    this.events += events;
  }

  /**
   * Tells whether the events of all projects are refused. The refusal of single projects is no failure of the server.
   */
  get isOnForAll(): boolean {
    return this.events >= everybodysMax;
  }

  /** Returns the reason to refuse entries, or null. Identities and counts never wait for compaction. */
  refusal(entries: readonly Entry[]): ApiError | null {
    if (this.events < rowsWaitingMax && this.heavy.size === 0) return null;
    if (entries.some((entry) => entry.kind === "events" && this.isHeld(entry.projectId))) {
      return new ApiError(
        "UNAVAILABLE",
        "Events arrive faster than the server can process them. Send them again in a second.",
        { retry_after_seconds: 1 },
      );
    }
    for (const entry of entries) if (entry.kind === "events") this.take(entry);
    return null;
  }

  private isHeld(projectId: string): boolean {
    if (this.isOnForAll || this.heavy.has(projectId)) return true;
    return (this.taken.get(projectId) ?? 0) > heavyEventsMin;
  }

  private take({ projectId, events }: Extract<Entry, { kind: "events" }>): void {
    this.taken.set(projectId, (this.taken.get(projectId) ?? 0) + events.length);
  }
}
