import type { StoredEvent, StoredEvents } from "../../port";
import { rowSeparator } from "../event-line";
import { memberOf, parseString, quote, stringEnd, valueEnd } from "../json-text";
import { ulid } from "../ticket";
import type { Committed, LinkedLine } from "./committed";
import type { PackedRequest } from "./wire";

/** The bytes of the objects that hold a request's text. */
const requestBytes = 250;

/** The new events of a group by request and project, in order of their tickets. */
export function storedEvents(group: readonly Sent[], committed: Committed): StoredEvents[] {
  const { places, repeats, linked } = committed;
  const projects = new Map<string, Place>();
  const found: StoredEvents[] = [];
  let groupLine = 0;
  for (const { lines, parts, bytes } of group) {
    let line = 0;
    for (const { projectId, receivedAtMs, lastTime, userIds } of parts) {
      let place = projects.get(projectId);
      if (place === undefined) {
        const at = 2 * projects.size;
        place = { number: places[at], nextTicket: places[at + 1] };
        projects.set(projectId, place);
      }
      const count = userIds.length;
      const from = groupLine + line;
      const left = repeats === null ? null : unrepeated(repeats, from, count);
      const stored = left === null ? count : left.length;
      if (stored > 0) {
        const names = renamed(linked, from, count);
        const { number, nextTicket } = place;
        const size = requestBytes + memoryOf(lines, bytes);
        const of = {
          projectId,
          receivedAtMs,
          lastTimeMs: lastTime,
          number,
          firstTicket: nextTicket,
          lines,
          line,
          userIds,
        };
        found.push(new Stored(of, stored, size, left, names));
      }
      place.nextTicket += stored;
      line += count;
    }
    groupLine += line;
  }
  return found;
}

/** A request as it was packed. */
interface Sent extends PackedRequest {
  /** The bytes in UTF-8. */
  readonly bytes: number;
}

interface Place {
  readonly number: number;
  nextTicket: number;
}

/** The places of events in the text of their request. */
interface PlaceOfEvents {
  readonly projectId: string;
  readonly receivedAtMs: number;
  readonly lastTimeMs: number;
  /** The number of the project. */
  readonly number: number;
  readonly firstTicket: number;
  readonly lines: string;
  /** The first of them. */
  readonly line: number;
  readonly userIds: readonly (string | null)[];
}

/** Lives as long as it is buffered, so it is one object and no more. */
class Stored implements StoredEvents {
  readonly projectId: string;
  readonly receivedAtMs: number;
  readonly lastTimeMs: number;
  private readonly projectNumber: number;
  private readonly firstTicket: number;
  private readonly lines: string;
  private readonly line: number;
  private readonly userIds: readonly (string | null)[];

  constructor(
    {
      projectId,
      receivedAtMs,
      lastTimeMs,
      number,
      firstTicket,
      lines,
      line,
      userIds,
    }: PlaceOfEvents,
    readonly count: number,
    readonly bytes: number,
    /** Counted from `line`, those that are new; null is all. */
    private readonly left: readonly number[] | null,
    /** User ids that stand for another, by place. */
    private readonly linked: ReadonlyMap<number, string> | null,
  ) {
    this.projectId = projectId;
    this.receivedAtMs = receivedAtMs;
    this.lastTimeMs = lastTimeMs;
    this.projectNumber = number;
    this.firstTicket = firstTicket;
    this.lines = lines;
    this.line = line;
    this.userIds = userIds;
  }

  get lastId(): string {
    return ulid(this.projectNumber, this.firstTicket + this.count - 1);
  }

  read(): StoredEvent[] {
    const { lines, line, userIds, left, linked } = this;
    const all = lines.split(rowSeparator);
    const events: StoredEvent[] = [];
    for (let at = 0; at < this.count; at++) {
      const place = left === null ? at : left[at];
      const userId = linked?.get(place) ?? userIds[place];
      const ticket = this.firstTicket + at;
      const text = JSON.stringify(userId);
      events.push(new EventOfLine(all[line + place], this.projectNumber, ticket, text));
    }
    return events;
  }
}

/** A line of rows.ts in its parts. */
class EventOfLine implements StoredEvent {
  readonly timeMs: number;
  readonly name: string;
  readonly sessionId: string;
  readonly country: string;
  readonly properties: string;

  constructor(
    line: string,
    private readonly projectNumber: number,
    private readonly ticket: number,
    readonly userId: string,
  ) {
    const timeEnd = line.indexOf(",");
    const nameEnd = stringEnd(line, timeEnd + 1);
    const sessionEnd = valueEnd(line, nameEnd + 1);
    const countryEnd = valueEnd(line, sessionEnd + 1);
    this.timeMs = Number(line.slice(1, timeEnd));
    this.name = line.slice(timeEnd + 1, nameEnd);
    this.sessionId = line.slice(nameEnd + 1, sessionEnd);
    this.country = line.slice(sessionEnd + 1, countryEnd);
    this.properties = line.slice(countryEnd + 1, -1);
  }

  get id(): string {
    return ulid(this.projectNumber, this.ticket);
  }

  property(key: string): string | null {
    const value = memberOf(this.properties, JSON.stringify(key));
    if (value === null || value === "null") return null;
    return value.charCodeAt(0) === quote ? parseString(value) : value;
  }
}

/** One character beyond Latin-1 makes a text twice as large. The ids of its users take about half of the head. */
const memoryOf = (lines: string, bytes: number): number =>
  Buffer.byteLength(lines) === lines.length ? bytes : 2 * bytes;

/** Returns null, as nearly always, when no line from `from` on has another user id than it came with. */
function renamed(
  linked: readonly LinkedLine[] | null,
  from: number,
  count: number,
): ReadonlyMap<number, string> | null {
  if (linked === null) return null;
  const at = lowerBound(linked, from, ([line]) => line);
  const own = linked.slice(
    at,
    lowerBound(linked, from + count, ([line]) => line),
  );
  return own.length === 0 ? null : new Map(own.map(([line, userId]) => [line - from, userId]));
}

/** Returns null, as nearly always, when all lines from `from` on are new. */
function unrepeated(repeats: Uint32Array, from: number, count: number): readonly number[] | null {
  const own = repeats.subarray(
    lowerBound(repeats, from, (line) => line),
    lowerBound(repeats, from + count, (line) => line),
  );
  if (own.length === 0) return null;
  const repeated = new Set(own);
  return Array.from({ length: count }, (_, at) => at).filter((at) => !repeated.has(from + at));
}

/** Returns the index of the first item, in ascending order of lines, that is about this line or a later one. */
function lowerBound<T>(items: ArrayLike<T>, line: number, lineOf: (item: T) => number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lineOf(items[middle]) < line) low = middle + 1;
    else high = middle;
  }
  return low;
}
