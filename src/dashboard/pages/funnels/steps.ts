import {
  type Condition,
  conditionOf,
  decode,
  isCondition,
  isObject,
  isWellFormed,
  parsed,
} from "../../state/filters";

/** A step of a funnel: an event, and the conditions on it. */
export interface Step {
  readonly event: string;
  readonly filters: readonly Condition[];
}

/**
 * Writes a step for the address: `step=signup`, and as JSON where it has conditions or the name of the event would read
 * as anything else.
 */
export const encodeStep = ({ event, filters }: Step): string =>
  filters.length === 0 && isPlain(event) ? event : JSON.stringify({ event, filters });

const isPlain = (event: string): boolean => !/^\{|\|/.test(event) && isWellFormed(event);

/** Reads a step; null for a text that is none. Older addresses have `page_view|properties.path~eq~/pricing`. */
export function decodeStep(text: string): Step | null {
  if (text.startsWith("{")) return stepOf(parsed(text));
  const [event = "", ...rest] = text.split("|");
  const filters = rest.map(decode).filter((one) => one !== null && isCondition(one));
  return filters.length === rest.length ? { event, filters } : null;
}

function stepOf(sent: unknown): Step | null {
  if (!isObject(sent) || typeof sent.event !== "string" || !Array.isArray(sent.filters))
    return null;
  const filters = sent.filters.map(conditionOf).filter((one) => one !== null);
  return filters.length === sent.filters.length ? { event: sent.event, filters } : null;
}
