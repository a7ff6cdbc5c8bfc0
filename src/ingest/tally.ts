import type { ApiError, ErrorCode } from "../domain/errors";
import type { Deps } from "../http/deps";
import type { AutomatedCounts } from "./automated-counts";
import type { Automated } from "./bots";
import type { ExcludedEvent, Submission } from "./submission";

/** What is told of a submission: whose it was, who sent it, and when. */
export type Arrival = Pick<Submission, "project" | "origin" | "receivedAtMs">;

type TallyDeps = Pick<Deps, "metrics" | "ingestDiagnostics" | "excludedCounts" | "blockedSessions">;

/** Counts what became of submissions: for the metrics, for automated traffic, and for what an owner is shown. */
export class Tally {
  constructor(
    private readonly deps: TallyDeps,
    private readonly counts: AutomatedCounts,
  ) {}

  countStored({ project: { id }, receivedAtMs }: Arrival, events: number): void {
    this.deps.metrics.countIngested(events);
    this.deps.ingestDiagnostics.countStored(id, events, receivedAtMs);
  }

  /** One request of an automated sender, of which no event was stored. */
  countAutomated(
    { project: { id }, receivedAtMs }: Arrival,
    sender: Automated,
    droppedEvents: number,
  ): void {
    this.counts.add(id, sender, droppedEvents, receivedAtMs);
    this.deps.metrics.countFiltered(sender.category, droppedEvents);
    this.deps.ingestDiagnostics.noteAutomated(id, sender, receivedAtMs);
  }

  /** Events that rules of the project exclude. Sessions of blocked people are not recorded either. */
  countExcluded(
    { project: { id }, receivedAtMs }: Arrival,
    events: readonly ExcludedEvent[] = [],
  ): void {
    if (events.length === 0) return;
    const { excludedCounts, blockedSessions } = this.deps;
    const reasons = events.map(({ reason }) => reason);
    excludedCounts.add(id, reasons, receivedAtMs);
    for (const { reason, sessionId } of events) {
      if (reason === "blocked" && sessionId !== null) blockedSessions.add(id, sessionId);
    }
  }

  noteError(arrival: Arrival, { code, extras }: ApiError): void {
    // The operator mends the clock: the project's owner can do nothing about it.
    if (extras.reason === "clock") return;
    this.noteRefused(arrival, code, extras.field ?? null);
  }

  noteRefused(arrival: Arrival, code: ErrorCode, field: string | null): void {
    const { project, origin, receivedAtMs } = arrival;
    const { ingestDiagnostics } = this.deps;
    if (code === "ORIGIN_NOT_ALLOWED")
      ingestDiagnostics.noteRefusedOrigin(project.id, origin ?? "", receivedAtMs);
    else ingestDiagnostics.noteRefusedEvent(project.id, code, field, receivedAtMs);
  }
}
