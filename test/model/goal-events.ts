import { inTime, type ModelEvent, own, pageOf, textOf } from "./model";

/** The events of a goal, whatever else they must pass. */
export interface ModelMatch {
  readonly event: string;
  /** The page, of page views. */
  readonly page?: string;
}

export const isMatch = (one: ModelEvent, { event, page }: ModelMatch): boolean =>
  one.name === event && (page === undefined || isPage(one, page));

const isPage = (event: ModelEvent, wanted: string): boolean => {
  const page = pageOf(event);
  if (page === null) return false;
  return wanted.endsWith("*") ? page.startsWith(wanted.slice(0, -1)) : page === wanted;
};

/** The events without the property, and the earliest of each value. */
export function oncePerValue(events: readonly ModelEvent[], key: string): readonly ModelEvent[] {
  const textIn = (event: ModelEvent): string | null => textOf(own(event, key));
  const seen = new Set<string>();
  const kept = new Set(
    events.toSorted(inTime).filter((event) => {
      const value = textIn(event);
      if (value === null) return true;
      if (seen.has(value)) return false;
      seen.add(value);
      return true;
    }),
  );
  return events.filter((event) => kept.has(event));
}
