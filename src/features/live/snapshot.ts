import type { TrustPolicy } from "../../domain/trust/flagged";
import { shownLive } from "../../domain/trust/mask";
import { minuteMs, secondMs } from "../../lib/clock";
import { compareText } from "../../lib/text";
import type { StoredEvent } from "../../store/port";
import type { LiveEvent, LiveResponse } from "./schema";
import { liveCountriesMax, liveNamesMax, livePagesMax } from "./schema";

export type Snapshot = Omit<LiveResponse, "project" | "project_context">;

/** The buffered events of a window, in order of storing: those dated in it, and the newest received in it. */
interface Buffered {
  readonly dated: readonly StoredEvent[];
  readonly received: readonly StoredEvent[];
}

/** Counts what happened in the window, whenever it was sent; the last events are those that came last. */
export function snapshotOf(
  { dated: events, received }: Buffered,
  windowSeconds: number,
  nowMs: number,
): Snapshot {
  // Texts are compared as JSON: equal values have equal texts, and few of them have to be parsed.
  const pages = new Groups();
  const names = new Groups();
  const countries = new Groups();
  const all = new Group();
  for (const event of events) {
    all.add(event);
    names.of(event.name).add(event);
    if (event.country !== none) countries.of(event.country).add(event);
    const path = event.property("path");
    if (path !== null) pages.of(path).add(event);
  }
  return {
    window_seconds: windowSeconds,
    timestamp: nowMs,
    active_visitors: all.users.size,
    active_sessions: all.sessions.size,
    events_per_minute: Math.round((events.length * minuteMs) / (windowSeconds * secondMs)),
    top_pages: pages
      .ranked((group) => [group.users.size])
      .slice(0, livePagesMax)
      .map(([path, { users }]) => ({ path, visitors: users.size })),
    top_events: names
      .parsed()
      .ranked((group) => [group.events])
      .slice(0, liveNamesMax)
      .map(([event, group]) => ({ event, count: group.events })),
    countries: countries
      .parsed()
      .ranked((group) => [group.users.size, group.sessions.size, group.events])
      .slice(0, liveCountriesMax)
      .map(([country, { users, sessions, events: count }]) => ({
        country,
        visitors: users.size,
        sessions: sessions.size,
        events: count,
      })),
    recent_events: received.map(liveEvent).reverse(),
  };
}

const none = "null";

class Group {
  readonly users = new Set<string>();
  readonly sessions = new Set<string>();
  events = 0;

  add({ userId, sessionId }: StoredEvent): void {
    if (userId !== none) this.users.add(userId);
    if (sessionId !== none) this.sessions.add(sessionId);
    this.events += 1;
  }
}

class Groups {
  readonly #groups = new Map<string, Group>();

  of(label: string): Group {
    const group = this.#groups.get(label) ?? new Group();
    this.#groups.set(label, group);
    return group;
  }

  /** Returns the groups with labels that are JSON texts replaced by the values that they stand for. */
  parsed(): Groups {
    const parsed = new Groups();
    for (const [text, group] of this.#groups) parsed.#groups.set(String(JSON.parse(text)), group);
    return parsed;
  }

  /** Sorts groups by these numbers descending, of which the first that differs decides; then by label. */
  ranked(numbersOf: (group: Group) => readonly number[]): [string, Group][] {
    const rows = [...this.#groups].map((row) => ({ row, numbers: numbersOf(row[1]) }));
    rows.sort((a, b) => {
      const at = a.numbers.findIndex((number, index) => number !== b.numbers[index]);
      if (at < 0) return compareText(a.row[0], b.row[0]);
      return (b.numbers[at] ?? 0) - (a.numbers[at] ?? 0);
    });
    return rows.map(({ row }) => row);
  }
}

const liveEvent = (event: StoredEvent): LiveEvent => JSON.parse(`{${fieldsOf(event)}}`);

/** Writes the fields of an event as its listeners see them. */
export function fieldsShown(event: StoredEvent, policy: TrustPolicy): string {
  const fields = fieldsOf(event);
  return policy.flagged === "mask" ? shownLive(fields, policy).json : fields;
}

/** The fields of a Live event, as the text of an object without its braces. */
const fieldsOf = (event: StoredEvent): string =>
  `"id":"${event.id}","event":${event.name},"properties":${event.properties},"user_id":${event.userId},` +
  `"session_id":${event.sessionId},"timestamp":${event.timeMs},"country":${event.country}`;
