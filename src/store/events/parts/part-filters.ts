import type { CountRequest } from "../../../domain/counting";
import type { Condition } from "../../../domain/filter";
import {
  conditionWithin,
  type FilterItem,
  isAnyOf,
  isDid,
  within,
} from "../../../domain/filter-items";
import { isSessionField } from "../../../domain/session-field";
import type { TimeWindow } from "../../../domain/time-window";
import type { View } from "../../questions";

/**
 * Sessions are judged by each thread again, and those compile what they run: on two cores, which one helper stands for,
 * that took as long as one thread alone (first reads of 10M events; a tenth longer to a tenth less).
 */
const sessionHelpersMin = 2;

/**
 * Tells whether the filters pass the same events when each part is asked by itself, which fails for conditions on what
 * a user did, and whether it is worth it with that number of helpers.
 */
export function isCutBy(
  helpers: number,
  { filters = [] }: View,
  more: readonly FilterItem[] = [],
  judgesSessions = false,
): boolean {
  const items = [...filters, ...more].flatMap((item) => (isAnyOf(item) ? item.any : [item]));
  if (items.some(isDid)) return false;
  if (helpers >= sessionHelpersMin) return true;
  return !judgesSessions && !items.some((item) => !isDid(item) && isSessionField(item.field));
}

/** The filters of a request besides those of its view. */
export const filtersOf = ({ filters = [], goal }: CountRequest): readonly FilterItem[] => [
  ...filters,
  ...(goal?.filters ?? []),
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
  const { filters, goal } = request;
  return {
    ...request,
    filters: conditionsWithin(filters, part),
    ...(goal !== undefined && {
      goal: { ...goal, filters: filtersWithin(goal.filters, part) },
    }),
  };
}
