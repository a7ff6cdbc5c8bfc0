import { dayOf } from "../../../domain/event";
import { dayMs } from "../../../lib/clock";
import type { Committed, LinkedLine } from "../../shared/append/committed";
import type { WireEvents } from "../../shared/append/wire";
import { sentFieldsOf, timeOfLine } from "../../shared/event-line";
import { monthOf } from "../segment/builder";
import { type EncodedSegment, encodeRows } from "../segment/encode";
import { joinRows } from "../segment/rows";
import type { WriterMemory } from "./writer-memory";

/** More text than this is divided into several segments, so that no segment of rows is large. */
const rowsBytesMax = 8 * 1024 * 1024;
/** Columns count milliseconds from a segment's first event in 32 bits: 49 days. A longer span is divided by months. */
const rowsSpanMsMax = 45 * dayMs;

/** The new events of one project in one commit. */
interface Fresh {
  readonly lines: string[];
  readonly users: number[];
  firstTime: number;
  lastTime: number;
  bytes: number;
  firstTicket: number;
}

/** Collects the events of one commit: the new lines of each project, and the counts of days. */
export class Commit {
  private readonly fresh = new Map<number, Fresh>();
  private readonly received = new Map<string, [projectId: number, atMs: number, events: number]>();
  private readonly repeats: number[] = [];
  private readonly linked: LinkedLine[] = [];
  private nextLine = 0;

  constructor(
    private readonly memory: WriterMemory,
    private readonly lines: readonly string[],
    private readonly nowMs: number,
  ) {}

  /** Adds the next lines, which belong to an entry. Returns how many of them are new. */
  addEvents({ projectId: name, receivedAtMs, ...entry }: WireEvents): number {
    const { keys, projects } = this.memory;
    const { userIds, eventIds, choosesSessions = false } = entry;
    const projectId = projects.numberOf(name);
    const fresh = this.freshOf(projectId);
    const before = fresh.lines.length;
    for (let i = 0; i < userIds.length; i++) {
      const at = this.nextLine++;
      const line = this.lines[at];
      const eventId = eventIds[i];
      if (eventId !== null) {
        const others = sentFieldsOf(line, userIds[i], choosesSessions);
        if (!keys.accept(projectId, eventId, others, this.nowMs)) {
          this.repeats.push(at);
          continue;
        }
      }
      fresh.users.push(this.userOf(projectId, userIds[i], at));
      fresh.lines.push(line);
      fresh.bytes += line.length;
    }
    const count = fresh.lines.length - before;
    if (count === 0) return 0;
    const isWhole = count === userIds.length;
    const times = isWhole
      ? [entry.firstTime, entry.lastTime]
      : fresh.lines.slice(before).map(timeOfLine);
    for (const timeMs of times) {
      fresh.firstTime = Math.min(fresh.firstTime, timeMs);
      fresh.lastTime = Math.max(fresh.lastTime, timeMs);
    }
    this.countReceived(projectId, receivedAtMs, count);
    return count;
  }

  /** Returns the facts for the answers to the requests. Call it after `finish`. */
  committed(stored: readonly number[]): Committed {
    const { repeats, linked } = this;
    const places = [...this.fresh].flatMap(([projectId, { firstTicket }]) => [
      projectId,
      firstTicket,
    ]);
    return {
      stored: new Uint32Array(stored),
      places: new Float64Array(places),
      repeats: repeats.length === 0 ? null : new Uint32Array(repeats),
      linked: linked.length === 0 ? null : linked,
    };
  }

  /** Returns the segments to insert. */
  finish(): EncodedSegment[] {
    const { counters, keys } = this.memory;
    const segments = [...this.fresh].flatMap(([projectId, fresh]) =>
      this.segments(projectId, fresh),
    );
    for (const [projectId, atMs, events] of this.received.values()) {
      counters.received(projectId, atMs, events);
    }
    keys.store(this.nowMs);
    return segments;
  }

  private segments(projectId: number, fresh: Fresh): EncodedSegment[] {
    const { lines, bytes, firstTime, lastTime } = fresh;
    if (lines.length === 0) return [];
    const first = this.memory.tickets.take(lines.length, this.nowMs);
    fresh.firstTicket = first;
    const isWide = lastTime - firstTime > rowsSpanMsMax;
    if (!isWide && bytes <= rowsBytesMax) {
      return [segmentOf(projectId, { ...fresh, tickets: first })];
    }
    return cut(fresh, first, isWide).map((part) => segmentOf(projectId, part));
  }

  /** Returns the number of a user id. If the id is linked to another one, it notes this for the answer. */
  private userOf(projectId: number, userId: string | null, line: number): number {
    if (userId === null) return 0;
    const { users } = this.memory;
    const number = users.numberOf(projectId, userId);
    const name = users.linkedName(projectId, number);
    if (name !== null) this.linked.push([line, name]);
    return number;
  }
  private freshOf(projectId: number): Fresh {
    const existing = this.fresh.get(projectId);
    if (existing !== undefined) return existing;
    const fresh = emptyFresh();
    this.fresh.set(projectId, fresh);
    return fresh;
  }
  private countReceived(projectId: number, receivedAtMs: number, events: number): void {
    const key = `${projectId} ${dayOf(receivedAtMs)}`;
    const counted = this.received.get(key);
    if (counted === undefined) this.received.set(key, [projectId, receivedAtMs, events]);
    else counted[2] += events;
  }
}

const emptyFresh = (): Fresh => ({
  lines: [],
  users: [],
  firstTime: Number.POSITIVE_INFINITY,
  lastTime: Number.NEGATIVE_INFINITY,
  bytes: 0,
  firstTicket: 0,
});

/** Lines with their tickets. A single number is the first of consecutive tickets. */
interface Ticketed extends Fresh {
  readonly tickets: number | number[];
}

function segmentOf(projectId: number, part: Ticketed): EncodedSegment {
  const { tickets, users, lines, firstTime, lastTime } = part;
  return encodeRows(
    { projectId, firstTime, lastTime, eventCount: lines.length, encoding: "rows" },
    joinRows({ tickets, users, lines }),
  );
}

/** Divides lines into parts of limited size. If `isWide`, each part has one month. Each line keeps its ticket. */
function cut(fresh: Fresh, firstTicket: number, isWide: boolean): Ticketed[] {
  const done: Ticketed[] = [];
  const open = new Map<number, Ticketed & { readonly tickets: number[] }>();
  fresh.lines.forEach((line, i) => {
    const timeMs = timeOfLine(line);
    const month = isWide ? monthOf(dayOf(timeMs)) : 0;
    const part = open.get(month) ?? { ...emptyFresh(), tickets: [] };
    part.lines.push(line);
    part.users.push(fresh.users[i]);
    part.tickets.push(firstTicket + i);
    part.bytes += line.length;
    part.firstTime = Math.min(part.firstTime, timeMs);
    part.lastTime = Math.max(part.lastTime, timeMs);
    open.set(month, part);
    if (part.bytes > rowsBytesMax) {
      done.push(part);
      open.delete(month);
    }
  });
  return [...done, ...open.values()];
}
