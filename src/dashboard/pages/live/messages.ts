import type { Message } from "./connection";

export interface LiveEvent {
  readonly id: string;
  readonly event: string;
  readonly properties: Readonly<Record<string, unknown>> | null;
  readonly user_id: string | null;
  readonly timestamp: number;
  readonly country: string | null;
}
export interface Snapshot extends Message {
  readonly timestamp: number;
  readonly events_per_minute: number;
  readonly recent_events: readonly LiveEvent[];
}

const isTrack = (message: Message): message is Message & LiveEvent => message.type === "track";
const isSnapshot = (message: Message): message is Snapshot => message.type === "snapshot";

export interface Point {
  readonly atMs: number;
  readonly value: number;
}

/** What has been said so far; a new one for every message, so that what shows it is drawn again. */
export interface Heard {
  readonly snapshot: Snapshot | null;
  /** Newest first. */
  readonly feed: readonly LiveEvent[];
  readonly points: readonly Point[];
}

export const nothingSaid: Heard = { snapshot: null, feed: [], points: [] };
/** More than are shown, for those that are hidden are kept too. */
const feedMax = 200;
export const chartMs = 5 * 60_000;

/** With what the line would show had the page been open before. */
export const withPast = (said: Heard, past: readonly Point[]): Heard => ({
  ...said,
  points: [...past.filter(({ atMs }) => atMs < (said.points[0]?.atMs ?? 0)), ...said.points],
});

export function afterMessage(said: Heard, message: Message): Heard {
  if (isTrack(message)) return { ...said, feed: [message, ...said.feed].slice(0, feedMax) };
  if (!isSnapshot(message)) return said;
  const known = new Set(said.feed.map(({ id }) => id));
  const missed = message.recent_events.filter(({ id }) => !known.has(id));
  const { timestamp: atMs, events_per_minute: value } = message;
  return {
    snapshot: message,
    // Ids ascend with storing.
    feed: [...said.feed, ...missed].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, feedMax),
    points: [...said.points.filter((one) => one.atMs > atMs - chartMs), { atMs, value }],
  };
}
