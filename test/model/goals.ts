import { type EventsSince, holds, type ModelItem } from "./filtered";
import {
  inTime,
  type Model,
  type ModelEvent,
  type ModelSession,
  own,
  pageOf,
  textOf,
} from "./model";
import { distinct } from "./values";

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

const namesOfGoal = [
  ...(["goal_events", "goal_users", "revenue", "average_value", "revenue_per_session"] as const),
] as const;
type OfGoal = (typeof namesOfGoal)[number];
export const isOfGoal = (metric: string): metric is OfGoal =>
  namesOfGoal.some((name) => name === metric);

/** What the events of a goal in some sessions come to. */
export function goalNumbers(
  { value: key }: ModelGoal,
  sessions: readonly ModelSession[],
  reached: ReadonlySet<ModelEvent>,
): Record<OfGoal, number | null> {
  const found = sessions.flatMap(({ events }) => events.filter((event) => reached.has(event)));
  const numbers = found
    .toSorted((a, b) => a.order - b.order)
    .map((event) => (key === undefined ? null : own(event, key)))
    .filter((value) => typeof value === "number");
  const sum = numbers.reduce((whole, one) => whole + one, 0);
  const money = (value: number | null): number | null =>
    key === undefined || value === null || !Number.isFinite(value) ? null : value;
  return {
    goal_events: found.length,
    goal_users: distinct(found.map(({ user }) => user)),
    revenue: money(sum),
    average_value: money(numbers.length === 0 ? null : sum / numbers.length),
    revenue_per_session: money(sessions.length === 0 ? 0 : sum / sessions.length),
  };
}
