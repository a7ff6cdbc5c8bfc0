/*
 * Groups clock themselves.
 * Decision: a group of requests is committed as soon as the writer is free; under load groups start at least 2 ms
 * apart; a second one is prepared when 500 events wait.
 * Because: a quiet server adds no wait, and each commit costs 0.2 ms and its pages whatever its size.
 * Cost: up to 2 ms of wait under load.
 * Revisit: with another engine.
 */

import type { ApiError } from "../../../domain/errors";
import { batchEventsMax, bodyBytesMax } from "../../../domain/limits";
import { describeFault } from "../../../lib/fault";
import { log } from "../../../lib/log";
import { StorageDamaged } from "../../damage";
import type { Appended, Entry, StoredEvents } from "../../port";
import { StorageFailed } from "../../protocol/failure";
import { ThreadDied } from "../../protocol/thread";
import { Uncommitted, usualWaits, type Waiting, type Waits } from "../uncommitted";
import type { Committed } from "./committed";
import { ingestQueueEventsMax, noProject, Places, projectOf, weightOf } from "./places";
import { closing, mayBeStored, notStored, queueFull } from "./refusals";
import { storedEvents } from "./stored-events";
import { inTurns } from "./turns";
import { joinGroup, type PackedPart, packRequest } from "./wire";

/** The wait of a group under load, for a writer that has nothing else to do. */
const groupWaitMsMax = 2;

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
/** The pause between two checks whether earlier events are stored. */
const settledLookMs = 5;

interface AppendsParts {
  commit(group: string): Promise<Committed>;
  /** Returns why the entries cannot be taken now, or null. */
  refusal(entries: readonly Entry[]): ApiError | null;
  stored(events: number): void;
  /** Announces each project's events in order of storing, before any request is answered. */
  readonly announce: ((stored: StoredEvents) => void) | null;
  storageFailed(error: StorageFailed | StorageDamaged): void;
  readonly waits?: Waits;
  readonly bytesMax?: number;
}

interface PendingAppend extends Waiting {
  /** Whose places it takes. */
  readonly project: string;
  /** Its project held more than a tenth of the places when it came. */
  readonly isOfFlood: boolean;
  /** Nobody waits for the answer, and a repeat would count twice. */
  readonly isPatient: boolean;
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
 * gathers, so that groups grow with the load and a quiet server waits for nothing. Projects take turns in a group.
 */
export class Appends {
  private gathered: PendingAppend[] = [];
  /** Parts of a group that failed as a whole, to be tried by themselves. */
  private readonly again: PendingAppend[][] = [];
  /** The time at which each group was sent that the writer has not answered, oldest first. */
  private readonly sentAtMs: number[] = [];
  private isPlanned = false;
  private nextGroupAt = 0;
  private gatheredEvents = 0;
  /** What is gathered and in flight holds them. */
  private readonly places: Places;
  private readonly uncommitted: Uncommitted<PendingAppend>;
  private readonly waits: Waits;
  private closed: (() => void) | null = null;

  constructor(private readonly parts: AppendsParts) {
    this.waits = parts.waits ?? usualWaits;
    this.places = new Places(ingestQueueEventsMax, parts.bytesMax);
    this.uncommitted = new Uncommitted(
      "events",
      this.waits,
      (request) => this.overdue(request),
      (request) => this.delaysItself(request),
    );
  }

  get queuedEvents(): number {
    return this.places.events;
  }
  get isOk(): boolean {
    return !this.isFull && !this.isLate;
  }
  /** Tells whether even a project that has nothing in the queue could not store a batch. */
  get isFull(): boolean {
    return !this.places.hasFor(noProject, batchEventsMax, bodyBytesMax);
  }
  /** Tells whether a request has waited for too long, be it answered meanwhile or not. */
  get isLate(): boolean {
    return this.uncommitted.isLate;
  }
  /** Projects take turns in each group: while the storage answers, a flood delays its own project alone. */
  private delaysItself({ isOfFlood }: PendingAppend): boolean {
    const [sentAtMs = Number.POSITIVE_INFINITY] = this.sentAtMs;
    return isOfFlood && performance.now() - sentAtMs <= this.waits.lateMs;
  }

  /** Resolves after the commit. */
  append(entries: readonly Entry[]): Promise<Appended> {
    const sinceMs = performance.now();
    const refusal = this.closed === null ? this.refusal(entries, sinceMs) : closing();
    if (refusal !== null) return Promise.reject(refusal);
    const project = projectOf(entries);
    const events = entries.reduce((sum, entry) => sum + weightOf(entry), 0);
    if (!this.places.hasFor(project, events, 0)) return Promise.reject(queueFull());
    const { head, lines, parts } = packRequest(entries);
    const bytes = Buffer.byteLength(head) + Buffer.byteLength(lines);
    if (!this.places.hasFor(project, events, bytes)) return Promise.reject(queueFull());
    this.places.take(project, events, bytes);
    this.gatheredEvents += events;
    const isPatient = entries[0]?.kind === "automated";
    return new Promise((resolve, reject) => {
      const request: PendingAppend = {
        ...{ project, isOfFlood: this.places.isFlooding(project), sinceMs, isSettled: false },
        ...{ isPatient, head, lines, parts, events, bytes, resolve, reject },
      };
      this.gathered.push(request);
      this.uncommitted.add(request);
      this.plan();
    });
  }

  private refusal(entries: readonly Entry[], nowMs: number): ApiError | null {
    const [sentAtMs = Number.POSITIVE_INFINITY] = this.sentAtMs;
    // The storage hangs: this one would only wait for the same time.
    if (nowMs - sentAtMs >= this.waits.answerMsMax) return notStored();
    return this.parts.refusal(entries);
  }

  /**
   * Answers a request that has waited for too long. It is not stored when it was not sent yet; else the writer may
   * still store it, and it keeps its places until that is known.
   */
  private overdue(request: PendingAppend): void {
    const at = this.gathered.indexOf(request);
    if (at >= 0) {
      this.gathered.splice(at, 1);
      this.gatheredEvents -= request.events;
      this.settle([request], ({ reject }) => reject(notStored()));
    } else if (!request.isPatient) {
      request.reject(mayBeStored());
    }
  }

  /** Resolves when all events that came before this call are stored or refused. */
  async settled(): Promise<void> {
    const nowMs = performance.now();
    while (this.uncommitted.oldestSinceMs <= nowMs) await Bun.sleep(settledLookMs);
  }

  /** Refuses what comes from now on; resolves when all that came before is answered. */
  close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = resolve;
    if (this.uncommitted.size === 0) resolve();
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
    const inFlight = this.sentAtMs.length;
    if (inFlight > 0) return isReady && inFlight < groupsInFlightMax ? 0 : null;
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
    const nowMs = performance.now();
    this.nextGroupAt = events < loadEventsMin ? 0 : nowMs + groupWaitMsMax;
    this.sentAtMs.push(nowMs);
    Promise.try(() => this.parts.commit(joinGroup(group))).then(
      (committed) => this.answered(group, committed),
      (error: Error) => this.failed(group, error),
    );
  }

  private nextGroup(): PendingAppend[] {
    const isOne = this.gatheredEvents <= groupEventsMax;
    const waiting = isOne ? this.gathered : inTurns(this.gathered);
    let count = 0;
    for (let events = 0, bytes = 0; count < waiting.length; count++) {
      const next = waiting[count];
      events += next.events;
      bytes += next.bytes;
      if (count > 0 && (events > groupEventsMax || bytes > groupBytesMax)) break;
    }
    const group = waiting.slice(0, count);
    const taken = new Set(isOne ? [] : group);
    this.gathered = isOne
      ? waiting.slice(count)
      : this.gathered.filter((request) => !taken.has(request));
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
    // The writer answers in the order of the groups.
    this.sentAtMs.shift();
    this.sendOrPlan();
  }

  private settle(
    group: readonly PendingAppend[],
    answer: (request: PendingAppend, index: number) => void,
  ): void {
    group.forEach((request, index) => {
      this.uncommitted.settle(request);
      this.places.giveBack(request.project, request.events, request.bytes);
      answer(request, index);
    });
    if (this.uncommitted.size === 0) this.closed?.();
  }
}
