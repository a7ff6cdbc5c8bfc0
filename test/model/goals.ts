import { type EventsSince, holds, type ModelItem } from "./filtered";
import { inTime, type Model, type ModelEvent, own, pageOf, textOf } from "./model";

/** A goal by its definition. */
export interface ModelGoal {
  readonly event: string;
  readonly filters: readonly ModelItem[];
  /** The page, of page views. */
  readonly page?: string;
  /** Keys of properties. */
  readonly oncePer?: string;
  readonly value?: string;
}

/** The events of a goal among all that is stored (definitions.md, Goals). */
export function eventsOfGoal(
  model: Model,
  { event, filters, page, oncePer }: ModelGoal,
  people: EventsSince,
  zone?: string,
): ReadonlySet<ModelEvent> {
  const described = model
    .everything()
    .filter(({ name }) => name === event)
    .filter((one) => page === undefined || isPage(one, page))
    .filter((one) => filters.every((filter) => holds(filter, one, people, zone)));
  return new Set(oncePer === undefined ? described : oncePerValue(described, oncePer));
}

const isPage = (event: ModelEvent, wanted: string): boolean => {
  const page = pageOf(event);
  if (page === null) return false;
  return wanted.endsWith("*") ? page.startsWith(wanted.slice(0, -1)) : page === wanted;
};

/** The events without the property, and the earliest of each value. */
function oncePerValue(events: readonly ModelEvent[], key: string): readonly ModelEvent[] {
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
