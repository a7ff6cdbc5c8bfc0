import type { CountRequest } from "../../../domain/counting";
import type { Condition } from "../../../domain/filter";
import {
  conditionWithin,
  eventsOfDid,
  type FilterItem,
  isAnyOf,
  isDid,
  isDidOfUser,
  isOncePer,
  looksAround,
  within,
} from "../../../domain/filter-items";
import { eventsOf, type Goal } from "../../../domain/goal";
import type { TimeWindow } from "../../../domain/time-window";
import { isVisitorField } from "../../../domain/visitor-field";
import type { View } from "../../questions";
import type { Tuning } from "../tuning";

/**
 * Sessions are judged by each thread again, and those compile what they run: on two cores, which one helper stands for,
 * that takes as long as one thread alone where events are few (first reads of 10M: a third longer to a tenth less; of
 * 100M a fifth to a third less, and as much less when repeated).
 */
const sessionHelpersMin = 2;

/**
 * Returns the number of events that a question must be about to be worth its parts, with that number of helpers:
 * infinite for conditions on what a user did and for the earliest of a value, which do not pass the same events when
 * each part is asked by itself, and for fields of visitors, as each helper would judge all stored sessions.
 */
export function partedEventsMin(
  { partedEventsMin: usual, partedSessionsEventsMin: ofSessions }: Tuning,
  helpers: number,
  { filters = [] }: View,
  more: readonly FilterItem[] = [],
  judgesSessions = false,
): number {
  const items = [...filters, ...more].flatMap((item): readonly FilterItem[] =>
    isAnyOf(item) ? item.any : [item],
  );
  if (items.some(isOfWhole)) return Number.POSITIVE_INFINITY;
  if (helpers >= sessionHelpersMin) return usual;
  const isOfSessions = items.some(looksAround);
  return judgesSessions || isOfSessions ? ofSessions : usual;
}

const isOfWhole = (item: FilterItem): boolean => {
  if (isDid(item)) return isDidOfUser(item) || eventsOfDid(item).some(isOncePer);
  return isOncePer(item) || ("field" in item && isVisitorField(item.field));
};

/** The filters of a request besides those of its view. */
export const filtersOf = ({ filters = [], goal }: CountRequest): readonly FilterItem[] => [
  ...filters,
  ...(goal === undefined ? [] : eventsOf(goal)),
];

/** The filters as a part asks them: fields of sessions are those of the sessions of the part. */
export const filtersWithin = (
  filters: readonly FilterItem[] = [],
  { fromMs, toMs }: TimeWindow,
): FilterItem[] => within(filters, { fromMs, toMs });

export const conditionsWithin = (
  conditions: readonly Condition[] = [],
  { fromMs, toMs }: TimeWindow,
): Condition[] => conditions.map((condition) => conditionWithin(condition, { fromMs, toMs }));

export function requestWithin(request: CountRequest, part: TimeWindow): CountRequest {
  return { ...goalWithin(request, part), filters: conditionsWithin(request.filters, part) };
}

/** A request whose goal is one of the sessions of the part. */
export function goalWithin<Request extends { readonly goal?: Goal }>(
  request: Request,
  part: TimeWindow,
): Request {
  const { goal } = request;
  if (goal === undefined) return request;
  return { ...request, goal: { ...goal, filters: filtersWithin(goal.filters, part) } };
}
