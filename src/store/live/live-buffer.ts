/*
 * The live buffer keeps texts.
 * Decision: what is buffered of a request is the text that went to the writer and the tickets it came back with; ids,
 * fields and properties are cut out of it when a listener or /live asks.
 * Because: a server without listeners pays one object per request, and live ids are those of /events.
 * Cost: /live over a full buffer of 10,000 events takes the main thread some 15 ms.
 * Revisit: if many dashboards watch large projects.
 */

import { minuteMs } from "../../lib/clock";
import type { StoredEvent, StoredEvents } from "../port";

/** Events stay in the buffer of a project for this long; their age counts from the time of receipt. */
export const liveKeptMs = 5 * minuteMs;
export const liveEventsMax = 10_000;

/**
 * The events of the last minutes by project, in order of storing, for live reads: in memory only, and bounded over all
 * projects. What is kept of a request is the text that it became on its way to the disk.
 */
export class LiveBuffer {
  /** The longest idle project first. */
  readonly #projects = new Map<string, ProjectBuffer>();
  #bytes = 0;
  /** Grows with each request that is added. */
  additions = 0;

  constructor(readonly bytesMax: number) {}

  get bytes(): number {
    return this.#bytes;
  }
  has(projectId: string): boolean {
    return this.#projects.has(projectId);
  }

  add(stored: StoredEvents, nowMs: number): void {
    this.additions += 1;
    const { projectId } = stored;
    const buffer = this.#projects.get(projectId) ?? new ProjectBuffer();
    // Inserting it again moves the project to the young end of the map.
    this.#projects.delete(projectId);
    this.#projects.set(projectId, buffer);
    this.#bytes += stored.bytes - buffer.add(stored, nowMs);
    this.#shrink(nowMs);
  }

  /** Returns the buffered events whose own time is at least the given one, in order of storing. */
  datedFrom(projectId: string, fromMs: number, nowMs: number): StoredEvent[] {
    return this.#projects.get(projectId)?.datedFrom(fromMs, nowMs - liveKeptMs) ?? [];
  }

  /** Returns the newest buffered events that were received after a time, in order of storing. */
  receivedAfter(projectId: string, afterMs: number, eventsMax: number): StoredEvent[] {
    return this.#projects.get(projectId)?.receivedAfter(afterMs, eventsMax) ?? [];
  }

  /** Events stored after the one with this id; none when it is not in the buffer. */
  storedAfter(projectId: string, id: string, nowMs: number): StoredEvent[] {
    return this.#projects.get(projectId)?.storedAfter(id, nowMs - liveKeptMs) ?? [];
  }

  /** Forgets the events of some users. */
  erase(projectId: string, userIds: readonly string[]): void {
    const texts = new Set(userIds.map((id) => JSON.stringify(id)));
    this.#projects.get(projectId)?.erase(texts);
  }

  drop(projectId: string): void {
    this.#bytes -= this.#projects.get(projectId)?.bytes ?? 0;
    this.#projects.delete(projectId);
  }
  projectIds(): IterableIterator<string> {
    return this.#projects.keys();
  }

  /** Drops projects that have been idle for the whole time; beyond the bound, those that were idle the longest. */
  #shrink(nowMs: number): void {
    for (const [projectId, buffer] of this.#projects) {
      const isOver = this.#bytes > this.bytesMax;
      if (!isOver && buffer.lastReceivedMs > nowMs - liveKeptMs) return;
      // Only the one that has just got something is left.
      if (this.#projects.size === 1) {
        this.#bytes -= buffer.shrink(this.#bytes - this.bytesMax);
        return;
      }
      this.drop(projectId);
    }
  }
}

class ProjectBuffer {
  /** The events of requests. Those before `#first` are gone, and are cut off now and then. */
  #stored: (StoredEvents | undefined)[] = [];
  #first = 0;
  #count = 0;
  bytes = 0;
  lastReceivedMs = 0;

  /** Returns the bytes of what had to go. */
  add(stored: StoredEvents, nowMs: number): number {
    this.#stored.push(stored);
    this.#count += stored.count;
    this.bytes += stored.bytes;
    this.lastReceivedMs = Math.max(this.lastReceivedMs, stored.receivedAtMs);
    return this.#dropWhile(
      (oldest) =>
        oldest.receivedAtMs <= nowMs - liveKeptMs || this.#count - oldest.count >= liveEventsMax,
    );
  }

  /** Frees at least the given number of bytes, or all but the newest. Returns how many. */
  shrink(bytes: number): number {
    const goal = this.bytes - bytes;
    return this.#dropWhile(() => this.bytes > goal && this.#first + 1 < this.#stored.length);
  }

  /** The bytes still count: they go with the others of their request. */
  erase(userIds: ReadonlySet<string>): void {
    for (const [at, stored] of this.#stored.entries()) {
      if (stored === undefined) continue;
      const left = stored.read().filter(({ userId }) => !userIds.has(userId));
      if (left.length === stored.count) continue;
      this.#count -= stored.count - left.length;
      this.#stored[at] = { ...stored, count: left.length, read: () => left };
    }
  }

  datedFrom(fromMs: number, receivedAfterMs: number): StoredEvent[] {
    const events: StoredEvent[] = [];
    for (let at = this.#first; at < this.#stored.length; at++) {
      const stored = this.#stored[at];
      if (stored === undefined || stored.receivedAtMs <= receivedAfterMs) continue;
      if (stored.lastTimeMs < fromMs) continue;
      for (const event of this.#eventsOf(stored, at)) {
        if (event.timeMs >= fromMs) events.push(event);
      }
    }
    return events;
  }

  receivedAfter(afterMs: number, eventsMax: number): StoredEvent[] {
    let events: StoredEvent[] = [];
    for (let at = this.#stored.length - 1; at >= this.#first && events.length < eventsMax; at--) {
      const stored = this.#stored[at];
      if (stored === undefined || stored.receivedAtMs <= afterMs) continue;
      events = [...this.#eventsOf(stored, at), ...events];
    }
    return events.slice(-eventsMax);
  }

  /** Returns the events of a request without those of the oldest one that are beyond the bound. */
  #eventsOf(stored: StoredEvents, at: number): StoredEvent[] {
    const events = stored.read();
    return at === this.#first ? events.slice(this.#surplus) : events;
  }

  storedAfter(id: string, afterMs: number): StoredEvent[] {
    const at = this.#positionOf(id);
    const holder = this.#stored[at];
    if (holder === undefined || holder.receivedAtMs <= afterMs) return [];
    const events = holder.read();
    const place = events.findIndex((event) => event.id === id);
    if (place < (at === this.#first ? this.#surplus : 0)) return [];
    const later = this.#stored.slice(at + 1).flatMap((stored) => stored?.read() ?? []);
    return [...events.slice(place + 1), ...later];
  }

  /** Events of the oldest request that are beyond the bound: requests come and go as a whole. */
  get #surplus(): number {
    return Math.max(0, this.#count - liveEventsMax);
  }

  /** Returns the index of the first request whose last event is not before this id. */
  #positionOf(id: string): number {
    let low = this.#first;
    let high = this.#stored.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#stored[middle]?.lastId ?? "") < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #dropWhile(isDue: (oldest: StoredEvents) => boolean): number {
    const before = this.bytes;
    for (;;) {
      const oldest = this.#stored[this.#first];
      if (oldest === undefined || !isDue(oldest)) break;
      this.#stored[this.#first] = undefined;
      this.#first++;
      this.#count -= oldest.count;
      this.bytes -= oldest.bytes;
    }
    if (this.#first > this.#stored.length / 2) {
      this.#stored = this.#stored.slice(this.#first);
      this.#first = 0;
    }
    return before - this.bytes;
  }
}
