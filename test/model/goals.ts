import { type EventsSince, holds, type ModelItem } from "./filtered";
import { isMatch, type ModelMatch, oncePerValue } from "./goal-events";
import { type Model, type ModelEvent, type ModelSession, own } from "./model";
import { distinct, sum } from "./values";

/** A goal by its definition. */
export interface ModelGoal extends ModelMatch {
  readonly filters: readonly ModelItem[];
  /** Keys of properties. */
  readonly oncePer?: string;
  readonly value?: string;
}

/** The events of a goal among all that is stored (definitions.md, Goals). */
export function eventsOfGoal(
  model: Model,
  { filters, oncePer, ...match }: ModelGoal,
  people: EventsSince,
  zone?: string,
): ReadonlySet<ModelEvent> {
  const described = model
    .everything()
    .filter((one) => isMatch(one, match))
    .filter((one) => filters.every((filter) => holds(filter, one, people, zone)));
  return new Set(oncePer === undefined ? described : oncePerValue(described, oncePer));
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
    .map((event) => (key === undefined ? null : own(event, key)))
    .filter((value) => typeof value === "number");
  const revenue = sum(numbers);
  const money = (value: number | null): number | null =>
    key === undefined || value === null || !Number.isFinite(value) ? null : value;
  return {
    goal_events: found.length,
    goal_users: distinct(found.map(({ user }) => user)),
    revenue: money(revenue),
    average_value: money(numbers.length === 0 ? null : revenue / numbers.length),
    revenue_per_session: money(sessions.length === 0 ? 0 : revenue / sessions.length),
  };
}
