import type { ErrorCode } from "../domain/errors";
import { arrivalKindsMax, arrivalTextCharsMax } from "../domain/limits";
import { minuteMs } from "../lib/clock";

/** What arrived and was not stored is told for this long. */
export const arrivalsKeptMs = 15 * minuteMs;
export const arrivalProjectsMax = 1_000;

/** Something that came more than once and was not stored. */
interface Turned<What> {
  readonly what: What;
  readonly requests: number;
  readonly lastSeenAtMs: number;
}

export interface AutomatedArrival {
  readonly category: string;
  readonly actor: string;
}
interface RefusedEvent {
  readonly code: ErrorCode;
  readonly field: string | null;
}

/**
 * What the start page and the project's page say about one project. It is kept in memory, hence since the start at
 * most.
 */
export interface ProjectArrivals {
  readonly firstEventAtMs: number | null;
  readonly lastEventAtMs: number | null;
  /** Events stored since the start of the process. */
  readonly stored: number;
  readonly automated: readonly Turned<AutomatedArrival>[];
  readonly refusedOrigins: readonly Turned<string>[];
  readonly refusedEvents: readonly Turned<RefusedEvent>[];
}

/**
 * Keeps what arrived lately for which project, and why it was not stored, so that an owner sees why there is no data.
 * It is bounded in projects, kinds and text; of a request it keeps a category, a code, or the origin it named, in
 * printable ASCII.
 */
export class IngestDiagnostics {
  /**
   * The projects in the order of what arrived last, so that the first is the one that was silent for the longest time.
   */
  readonly #projects = new Map<string, Arrived>();

  countStored(projectId: string, events: number, nowMs: number): void {
    const record = this.#record(projectId);
    record.firstEventAtMs ??= nowMs;
    record.lastEventAtMs = nowMs;
    record.stored += events;
  }

  noteAutomated(projectId: string, arrival: AutomatedArrival, nowMs: number): void {
    const { category, actor } = arrival;
    note(this.#record(projectId).automated, `${category} ${actor}`, { category, actor }, nowMs);
  }

  noteRefusedOrigin(projectId: string, origin: string, nowMs: number): void {
    const text = shownOrigin(origin);
    note(this.#record(projectId).refusedOrigins, text, text, nowMs);
  }

  noteRefusedEvent(projectId: string, code: ErrorCode, field: string | null, nowMs: number): void {
    note(this.#record(projectId).refusedEvents, `${code} ${field}`, { code, field }, nowMs);
  }

  of(projectId: string, nowMs: number): ProjectArrivals {
    const record = this.#projects.get(projectId) ?? new Arrived();
    const { firstEventAtMs, lastEventAtMs, stored } = record;
    return {
      firstEventAtMs,
      lastEventAtMs,
      stored,
      automated: recent(record.automated, nowMs),
      refusedOrigins: recent(record.refusedOrigins, nowMs),
      refusedEvents: recent(record.refusedEvents, nowMs),
    };
  }

  #record(projectId: string): Arrived {
    const record = this.#projects.get(projectId) ?? new Arrived();
    this.#projects.delete(projectId);
    this.#projects.set(projectId, record);
    if (this.#projects.size > arrivalProjectsMax) dropFirst(this.#projects);
    return record;
  }
}

/** Shows an origin, or what a browser sends for none. Any other text is not shown, as anybody may have written it. */
function shownOrigin(sent: string): string {
  if (sent === "null") return sent;
  const isOrigin = originForm.test(sent) && sent.length <= arrivalTextCharsMax;
  return isOrigin ? sent.toLowerCase() : unreadableOrigin;
}
/** Scheme, host and port: also those of apps and extensions. */
const originForm = /^[a-z][a-z0-9+.-]*:\/\/([a-z0-9.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i;
/** This is shown in place of a text that is no origin. */
const unreadableOrigin = "(no origin)";

class Arrived {
  firstEventAtMs: number | null = null;
  lastEventAtMs: number | null = null;
  stored = 0;
  readonly automated: Kinds<AutomatedArrival> = new Map();
  readonly refusedOrigins: Kinds<string> = new Map();
  readonly refusedEvents: Kinds<RefusedEvent> = new Map();
}

/** What was refused by its kind, in the order in which kinds came last. */
type Kinds<What> = Map<string, Turned<What>>;

function note<What>(kinds: Kinds<What>, key: string, what: What, nowMs: number): void {
  const before = kinds.get(key);
  const requests = before !== undefined && isRecent(before, nowMs) ? before.requests + 1 : 1;
  kinds.delete(key);
  kinds.set(key, { what, requests, lastSeenAtMs: nowMs });
  if (kinds.size > arrivalKindsMax) dropFirst(kinds);
}

function dropFirst(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}

/** Returns what came lately, the newest first. */
const recent = <What>(kinds: Kinds<What>, nowMs: number): readonly Turned<What>[] =>
  [...kinds.values()].filter((one) => isRecent(one, nowMs)).reverse();

/** Something older has been dealt with, or will come again. */
const isRecent = (turned: Turned<unknown>, nowMs: number): boolean =>
  nowMs - turned.lastSeenAtMs <= arrivalsKeptMs;
