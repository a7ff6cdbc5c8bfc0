import { jsonOfProperties } from "../../../domain/event";
import type { AutomatedEntry, Entry, EventsEntry, IdentityEntry } from "../../port";
import { rowLine, rowSeparator } from "../event-line";

/**
 * A group of requests on its way to the writer: one string, because a string crosses threads without being copied
 * twice. A first line of JSON says what the writer must look at; each event is a line more, already in the form in
 * which a segment of rows keeps it. The writer joins these lines and never parses them.
 */
export interface WireEvents {
  readonly kind: "events";
  readonly projectId: string;
  readonly receivedAtMs: number;
  readonly firstTime: number;
  readonly lastTime: number;
  readonly userIds: readonly (string | null)[];
  readonly eventIds: readonly (string | null)[];
  readonly choosesSessions?: true;
}
type WireEntry = WireEvents | IdentityEntry | AutomatedEntry;

export interface Group {
  /** Entries of each request. */
  readonly requests: readonly (readonly WireEntry[])[];
  /** Lines of all events, in order. */
  readonly lines: readonly string[];
}

/** A request as text, made when it arrives: how large it is, is known then, and a group is only joined. */
export interface PackedRequest {
  readonly head: string;
  readonly lines: string;
  /** What its lines are about, in order. */
  readonly parts: readonly PackedPart[];
}
export interface PackedPart {
  readonly projectId: string;
  readonly receivedAtMs: number;
  /** The latest own time of its events. */
  readonly lastTime: number;
  /** The user id of each line. */
  readonly userIds: readonly (string | null)[];
}

export function packRequest(entries: readonly Entry[]): PackedRequest {
  const lines: string[] = [];
  const parts: PackedPart[] = [];
  const head = entries.map((entry) => {
    if (entry.kind !== "events") return entry;
    const packed = packEvents(entry, lines);
    parts.push(packed);
    return packed;
  });
  return { head: JSON.stringify(head), lines: lines.join(rowSeparator), parts };
}

type Texts = Pick<PackedRequest, "head" | "lines">;

export function joinGroup(requests: readonly Texts[]): string {
  const heads = requests.map(({ head }) => head);
  const lines = requests.map((request) => request.lines).filter((text) => text !== "");
  return `[${heads.join(",")}]\n${lines.join(rowSeparator)}`;
}

export const packGroup = (requests: readonly (readonly Entry[])[]): string =>
  joinGroup(requests.map(packRequest));

export function parseGroup(text: string): Group {
  const headEnd = text.indexOf("\n");
  const requests = JSON.parse(text.slice(0, headEnd)) as Group["requests"];
  return { requests, lines: text.slice(headEnd + 1).split(rowSeparator) };
}

function packEvents(entry: EventsEntry, lines: string[]): WireEvents {
  const { projectId, receivedAtMs, events, choosesSessions } = entry;
  let firstTime = Number.POSITIVE_INFINITY;
  let lastTime = Number.NEGATIVE_INFINITY;
  for (const { timeMs, name, sessionId, country, properties } of events) {
    firstTime = Math.min(firstTime, timeMs);
    lastTime = Math.max(lastTime, timeMs);
    const text = properties === null ? null : jsonOfProperties(properties);
    lines.push(rowLine(timeMs, name, sessionId, country, text));
  }
  return {
    kind: "events",
    projectId,
    receivedAtMs,
    firstTime,
    lastTime,
    userIds: events.map(({ userId }) => userId),
    eventIds: events.map(({ eventId }) => eventId),
    ...(choosesSessions && { choosesSessions }),
  };
}
