import { clock } from "../../lib/dates";

export interface Message {
  readonly type: string;
}
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
export const isSnapshot = (message: Message): message is Snapshot => message.type === "snapshot";

export interface Point {
  readonly atMs: number;
  readonly value: number;
}

/** What was before the page was connected. */
export interface Past {
  /**
   * What the line would show if the page had been open for five minutes: events of the minute up to each point, counted
   * by the store. The buffer of the last minutes keeps no history of its rate.
   */
  readonly points: readonly Point[];
  /**
   * Tells whether that buffer was empty although events of those minutes are stored, as after a start of the server.
   */
  readonly isForgotten: boolean;
}

/** What has been said so far; a new one for every message, so that what shows it is drawn again. */
export interface Heard {
  readonly snapshot: Snapshot | null;
  /** Newest first. */
  readonly feed: readonly LiveEvent[];
  readonly points: readonly Point[];
  /** The time before the page was connected; null while it is not known. */
  readonly past: { readonly atMs: number; readonly isForgotten: boolean } | null;
}

export const nothingSaid: Heard = { snapshot: null, feed: [], points: [], past: null };
/** More than are shown, for those that are hidden are kept too. */
const feedMax = 200;
export const chartMs = 5 * 60_000;

/** Adds the time before the connection, which began at `atMs`. */
export const withPast = (said: Heard, { points, isForgotten }: Past, atMs: number): Heard => ({
  ...said,
  points: [
    ...points.filter((one) => one.atMs < atMs),
    ...said.points.filter((one) => one.atMs >= atMs),
  ],
  past: { atMs, isForgotten },
});

const spans = { minute: chartMs / 5, "5 minutes": chartMs } as const;

/** Since when the server's buffer has events, where that is less than a time; else null. */
export function begunAt({ past, snapshot }: Heard, span: keyof typeof spans): number | null {
  if (past === null || !past.isForgotten || snapshot === null) return null;
  return snapshot.timestamp - past.atMs < spans[span] ? past.atMs : null;
}

/** Says which time the numbers of that buffer are of. */
export function spanOf(said: Heard, span: keyof typeof spans): string {
  const atMs = begunAt(said, span);
  return atMs === null ? `in the last ${span}` : `since ${clock(atMs)}`;
}

export function afterMessage(said: Heard, message: Message): Heard {
  if (isTrack(message)) return { ...said, feed: [message, ...said.feed].slice(0, feedMax) };
  if (!isSnapshot(message)) return said;
  const known = new Set(said.feed.map(({ id }) => id));
  const missed = message.recent_events.filter(({ id }) => !known.has(id));
  const { timestamp: atMs, events_per_minute: value } = message;
  return {
    ...said,
    snapshot: message,
    // Ids ascend with storing.
    feed: [...said.feed, ...missed].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, feedMax),
    points: [...said.points.filter((one) => one.atMs > atMs - chartMs), { atMs, value }],
  };
}
