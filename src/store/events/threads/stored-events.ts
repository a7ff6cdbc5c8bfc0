import type { StoredEvent, StoredEvents } from "../../port";
import { stringEnd, valueEnd } from "../segment/json-text";
import { rowSeparator } from "../segment/rows";
import { ulid } from "../segment/ticket";
import type { LinkedLine } from "../writer/commit";
import { type PackedRequest, userIdsOf } from "../writer/wire";
import type { Committed } from "./questions";

/** Of the objects and the texts' heads, per request. */
const requestBytes = 200;

/** The new events of a group by request and project, in order of their tickets. */
export function storedEvents(group: readonly Sent[], committed: Committed): StoredEvents[] {
  const { places, repeats, linked } = committed;
  const projects = new Map<string, Place>();
  const found: StoredEvents[] = [];
  let groupLine = 0;
  for (const { head, lines, parts, bytes } of group) {
    let line = 0;
    for (const { projectId, receivedAtMs, count } of parts) {
      let place = projects.get(projectId);
      if (place === undefined) {
        const at = 2 * projects.size;
        place = { number: places[at], nextTicket: places[at + 1] };
        projects.set(projectId, place);
      }
      const from = groupLine + line;
      const left = repeats === null ? null : unrepeated(repeats, from, count);
      const stored = left === null ? count : left.length;
      if (stored > 0) {
        const names = linked === null ? null : linked.filter(isWithin(from, count));
        const firstTicket = place.nextTicket;
        const source = { head, lines, bytes, line, from, left, linked: names };
        found.push(new Stored(projectId, receivedAtMs, stored, place.number, firstTicket, source));
      }
      place.nextTicket += stored;
      line += count;
    }
    groupLine += line;
  }
  return found;
}

interface Sent extends PackedRequest {
  /** Of head and lines in UTF-8. */
  readonly bytes: number;
}

interface Place {
  readonly number: number;
  nextTicket: number;
}

/** Where the events are in the texts of their request. */
interface Source {
  readonly head: string;
  readonly lines: string;
  readonly bytes: number;
  /** The first of them among the lines of the request, and of the group. */
  readonly line: number;
  readonly from: number;
  /** Counted from `line`, those that are new; null is all. */
  readonly left: readonly number[] | null;
  readonly linked: readonly LinkedLine[] | null;
}

class Stored implements StoredEvents {
  readonly bytes: number;

  constructor(
    readonly projectId: string,
    readonly receivedAtMs: number,
    readonly count: number,
    private readonly projectNumber: number,
    private readonly firstTicket: number,
    private readonly source: Source,
  ) {
    const characters = source.head.length + source.lines.length;
    // One character beyond Latin-1 makes all of a text twice as large.
    this.bytes = requestBytes + (source.bytes === characters ? characters : 2 * characters);
  }

  get lastId(): string {
    return ulid(this.projectNumber, this.firstTicket + this.count - 1);
  }

  read(): StoredEvent[] {
    const { head, lines, line, from, left, linked } = this.source;
    const all = lines.split(rowSeparator);
    const userIds = userIdsOf(head);
    const names = new Map(linked);
    return Array.from({ length: this.count }, (_, at) => {
      const offset = left === null ? at : left[at];
      const userId = names.get(from + offset) ?? userIds[line + offset];
      const id = ulid(this.projectNumber, this.firstTicket + at);
      return eventOf(all[line + offset], id, JSON.stringify(userId));
    });
  }
}

/** A line of rows.ts in its parts. */
function eventOf(text: string, id: string, userId: string): StoredEvent {
  const timeEnd = text.indexOf(",");
  const nameEnd = stringEnd(text, timeEnd + 1);
  const sessionEnd = valueEnd(text, nameEnd + 1);
  const countryEnd = valueEnd(text, sessionEnd + 1);
  return {
    id,
    timeMs: Number(text.slice(1, timeEnd)),
    name: text.slice(timeEnd + 1, nameEnd),
    userId,
    sessionId: text.slice(nameEnd + 1, sessionEnd),
    country: text.slice(sessionEnd + 1, countryEnd),
    properties: text.slice(countryEnd + 1, -1),
  };
}

const isWithin =
  (from: number, count: number) =>
  ([line]: LinkedLine): boolean =>
    line >= from && line < from + count;

/** Null when all lines from `from` on are new, as nearly always. */
function unrepeated(repeats: Uint32Array, from: number, count: number): readonly number[] | null {
  if (!repeats.some((line) => line >= from && line < from + count)) return null;
  const repeated = new Set(repeats);
  return Array.from({ length: count }, (_, at) => at).filter((at) => !repeated.has(from + at));
}
