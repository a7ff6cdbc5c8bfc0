import { dayMs } from "../lib/clock";
import { ObjectText } from "../lib/object-text";
import { TwoGenerationCache } from "../lib/two-generation-cache";
import { exposureEvent } from "./experiment";

/**
 * Events that do not count as interaction: visitors did not choose them. A session with nothing else is a bounce, and
 * none of them is a step of a path.
 */
export const nonInteractiveEvents: ReadonlySet<string> = new Set([
  "page_view",
  "$impression",
  "$scroll_depth",
  "$error",
  "$time_on_page",
  "$performance",
  "$web_vitals",
  exposureEvent,
]);

export type Properties = Readonly<Record<string, unknown>>;

/** Properties on their way in: as text where nobody had to look into them. */
export type SentProperties = Properties | ObjectText;

export const jsonOfProperties = (properties: SentProperties): string =>
  properties instanceof ObjectText ? properties.text : JSON.stringify(properties);

/** An event as ingestion admits it: checked, cleaned, its country resolved. */
export interface AcceptedEvent<Sent extends SentProperties = SentProperties> {
  readonly name: string;
  /** Unix ms, from 30 days before its receipt to 5 minutes after. */
  readonly timeMs: number;
  readonly userId: string | null;
  readonly sessionId: string | null;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  readonly properties: Sent | null;
  /** The idempotency key that the sender chose. */
  readonly eventId: string | null;
}

/** One whose properties can be looked into. */
export type ObjectEvent = AcceptedEvent<Properties>;

/** Returns the days since 1970-01-01 in UTC. */
export const dayOf = (timeMs: number): number => Math.floor(timeMs / dayMs);
/** Returns a day number as `YYYY-MM-DD`. */
export const isoDate = (day: number): string =>
  isoDates.get(day, () => new Date(day * dayMs).toISOString().slice(0, 10));
/** Series name the same dates again and again, which takes ten times as long as to look one up. */
const isoDates = new TwoGenerationCache<number, string>(1_024);
