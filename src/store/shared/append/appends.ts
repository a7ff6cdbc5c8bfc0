/*
 * Groups clock themselves.
 * Decision: a group of requests is committed as soon as the writer is free; under load groups start at least 2 ms
 * apart; a second one is prepared when 500 events wait.
 * Because: a quiet server adds no wait, and each commit costs 0.2 ms and its pages whatever its size.
 * Cost: up to 2 ms of wait under load.
 * Revisit: with another engine.
 */

import { ApiError } from "../../../domain/errors";
import { describeFault } from "../../../lib/fault";
import { log } from "../../../lib/log";
import { StorageDamaged } from "../../damage";
import type { Appended, Entry, StoredEvents } from "../../port";
import { StorageFailed } from "../../protocol/failure";
import { ThreadDied } from "../../protocol/thread";
import type { Committed } from "./committed";
import { storedEvents } from "./stored-events";
import { joinGroup, type PackedPart, packRequest } from "./wire";

/** The wait of a group under load, for a writer that has nothing else to do. The contract allows 5. */
const groupWaitMsMax = 2;
export const ingestQueueEventsMax = 100_000;
export const ingestQueueBytesMax = 256 * 1024 * 1024;

/** A larger group would be answered later, and stores no faster. */
const groupEventsMax = 2_000;
const groupBytesMax = 8 * 1024 * 1024;
/**
 * Each group costs some 0.2 ms whatever its size, on threads that requests need as well: so under load they start no
 * closer than `groupWaitMsMax`. After a smaller group than this there is no load to speak of, and nobody waits.
 */
const loadEventsMin = 8;
/** Beyond this number of events a second group is prepared for the writer, so that it need not wait for this thread. */
const readyEventsMin = 500;
const groupsInFlightMax = 2;

interface AppendsParts {
  commit(group: string): Promise<Committed>;
  /** Returns why the entries cannot be taken now, or null. */
  refusal(entries: readonly Entry[]): ApiError | null;
  stored(events: number): void;
  /** Announces each project's events in order of storing, before any request is answered. */
  readonly announce: ((stored: StoredEvents) => void) | null;
  storageFailed(error: StorageFailed | StorageDamaged): void;
}

interface PendingAppend {
  readonly head: string;
  readonly lines: string;
  readonly parts: readonly PackedPart[];
  readonly events: number;
  readonly bytes: number;
  resolve(appended: Appended): void;
  reject(error: Error): void;
}

/**
 * Requests on their way to the disk. A group is sent at once when the writer is idle; while it is busy the next one
 * gathers, so that groups grow with the load and a quiet server waits for nothing.
 */
export class Appends {
  private gathered: PendingAppend[] = [];
  /** Parts of a group that failed as a whole, to be tried by themselves. */
  private readonly again: PendingAppend[][] = [];
  private inFlight = 0;
  private isPlanned = false;
  private nextGroupAt = 0;
  private gatheredEvents = 0;
  /** Gathered and in flight. */
  private events = 0;
  private bytes = 0;
  private closed: (() => void) | null = null;

  constructor(private readonly parts: AppendsParts) {}

  get queuedEvents(): number {
    return this.events;
  }
  get isFull(): boolean {
    return this.events >= ingestQueueEventsMax || this.bytes >= ingestQueueBytesMax;
  }

  /** Resolves after the commit. */
  append(entries: readonly Entry[]): Promise<Appended> {
    const refusal = this.closed === null ? this.parts.refusal(entries) : closing();
    if (refusal !== null) return Promise.reject(refusal);
    const events = entries.reduce((sum, entry) => sum + weightOf(entry), 0);
    if (this.events + events > ingestQueueEventsMax) return Promise.reject(queueFull());
    const { head, lines, parts } = packRequest(entries);
    const bytes = Buffer.byteLength(head) + Buffer.byteLength(lines);
    if (this.bytes + bytes > ingestQueueBytesMax) return Promise.reject(queueFull());
    this.events += events;
    this.bytes += bytes;
    this.gatheredEvents += events;
    return new Promise((resolve, reject) => {
      this.gathered.push({ head, lines, parts, events, bytes, resolve, reject });
      this.plan();
    });
  }

  /** Refuses what comes from now on; resolves when all that came before is answered. */
  close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = resolve;
    if (this.events === 0) resolve();
    return promise;
  }

  private plan(): void {
    const waitMs = this.waitMs();
    if (this.isPlanned || waitMs === null) return;
    this.isPlanned = true;
    const begin = (): void => {
      this.isPlanned = false;
      this.sendOrPlan();
    };
    // What comes in the same turn of the loop goes in the same group.
    if (waitMs === 0) setImmediate(begin);
    else setTimeout(begin, waitMs);
  }

  /**
   * Returns the time until the next group may be sent; null when there is nothing to send, or an answer to wait for.
   */
  private waitMs(): number | null {
    const isReady = this.gatheredEvents >= readyEventsMin;
    if (this.inFlight > 0) return isReady && this.inFlight < groupsInFlightMax ? 0 : null;
    if (this.again.length === 0 && this.gathered.length === 0) return null;
    return isReady ? 0 : Math.max(0, this.nextGroupAt - performance.now());
  }

  /** Timers may be early: what could not go is planned again, or it would wait for the next request. */
  private sendOrPlan(): void {
    if (this.waitMs() === 0) this.send();
    else this.plan();
  }

  private send(): void {
    const group = this.again.pop() ?? this.nextGroup();
    const events = group.reduce((sum, request) => sum + request.events, 0);
    this.nextGroupAt = events < loadEventsMin ? 0 : performance.now() + groupWaitMsMax;
    this.inFlight++;
    Promise.try(() => this.parts.commit(joinGroup(group))).then(
      (committed) => this.answered(group, committed),
      (error: Error) => this.failed(group, error),
    );
  }

  private nextGroup(): PendingAppend[] {
    let count = 0;
    for (let events = 0, bytes = 0; count < this.gathered.length; count++) {
      const next = this.gathered[count];
      events += next.events;
      bytes += next.bytes;
      if (count > 0 && (events > groupEventsMax || bytes > groupBytesMax)) break;
    }
    const group = this.gathered.splice(0, count);
    for (const { events } of group) this.gatheredEvents -= events;
    return group;
  }

  private answered(group: readonly PendingAppend[], committed: Committed): void {
    // First the next group, so that the writer works while these are answered.
    this.ended();
    const { stored } = committed;
    this.announce(group, committed);
    this.settle(group, (request, index) => request.resolve({ stored: stored[index] }));
    this.parts.stored(stored.reduce((sum, count) => sum + count, 0));
  }

  /** The events are stored whatever happens here, and whoever sent them waits to hear it. */
  private announce(group: readonly PendingAppend[], committed: Committed): void {
    const { announce } = this.parts;
    if (announce === null) return;
    const attempt = (work: () => void): void => {
      try {
        work();
      } catch (error) {
        log("error", "stored events were not announced", describeFault(error));
      }
    };
    attempt(() => {
      for (const stored of storedEvents(group, committed)) attempt(() => announce(stored));
    });
  }

  private failed(group: PendingAppend[], error: Error): void {
    const isOfStorage = error instanceof StorageFailed || error instanceof StorageDamaged;
    if (isOfStorage) this.parts.storageFailed(error);
    const isOfAll = isOfStorage || error instanceof ThreadDied;
    if (isOfAll || group.length === 1) {
      this.settle(group, (request) => request.reject(error));
    } else {
      // One of them cannot be stored, for a reason of its own. Halving finds it, and the others are stored.
      const half = group.length >> 1;
      this.again.push(group.slice(half), group.slice(0, half));
    }
    this.ended();
  }

  /** What has gathered goes at once: its wait is over. */
  private ended(): void {
    this.inFlight--;
    this.sendOrPlan();
  }

  private settle(
    group: readonly PendingAppend[],
    answer: (request: PendingAppend, index: number) => void,
  ): void {
    group.forEach((request, index) => {
      this.events -= request.events;
      this.bytes -= request.bytes;
      answer(request, index);
    });
    if (this.events === 0) this.closed?.();
  }
}

/** Identities and sums take a place as well, so that their number is bounded too. */
const weightOf = (entry: Entry): number => (entry.kind === "events" ? entry.events.length : 1);

const queueFull = (): ApiError =>
  new ApiError("UNAVAILABLE", "Too many events wait to be stored. Send them again in a second.", {
    retry_after_seconds: 1,
  });
const closing = (): ApiError =>
  new ApiError("UNAVAILABLE", "The server is stopping. Send the request again in a second.", {
    retry_after_seconds: 1,
  });
