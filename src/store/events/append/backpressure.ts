/*
 * A flood is held back by project.
 * Decision: when 200,000 rows wait for compaction, projects with over 20,000 of them get 503; at 400,000 everyone.
 * Between two reports of the compactor each project may add another 20,000. Only the second bound is a failure of
 * /health/ready: a project that is held back is its own trouble.
 * Because: one project's flood must not stop the others, nor take the server out of its load balancer.
 * Cost: the bound is twice as high for the sum.
 * Revisit: with more compactors.
 */

import { ApiError } from "../../../domain/errors";
import { rowsWaitingMax } from "../../../domain/limits";
import type { Entry } from "../../port";
import type { Backlog } from "../protocol/messages";

/** Beyond this number of waiting events all projects are refused. */
const everybodysMax = 2 * rowsWaitingMax;
/** A tenth of all that may wait: a project with more is asked to slow down first. */
export const heavyEventsMin = rowsWaitingMax / 10;

/**
 * Compaction is slower than a flood of events can be. What it owes is bounded here: first the projects that cause it
 * are held back, so that the others go on.
 */
export class Backpressure {
  private heavy: ReadonlySet<string> = new Set();
  private events = 0;
  /**
   * Events taken of each project since the last report, once many wait. A report can be seconds away, and a flood of
   * one project in that time must not be what holds back everybody.
   */
  private readonly taken = new Map<string, number>();

  /** The rows that the compactor found; those stored since then count as well. */
  report({ events, heavyProjectIds }: Backlog): void {
    this.events = events;
    this.heavy = new Set(heavyProjectIds);
    this.taken.clear();
  }
  stored(events: number): void {
    this.events += events;
  }

  /** Tells whether events of every project are refused. That one project is held back is no failure of the server. */
  get isOnForAll(): boolean {
    return this.events >= everybodysMax;
  }

  /** Returns why the entries cannot be taken now, or null. Identities and sums leave nothing to compact. */
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
