import type { CountRequest } from "../../../domain/counting";
import type { Condition } from "../../../domain/filter";
import {
  conditionWithin,
  type FilterItem,
  isAnyOf,
  isDid,
  within,
} from "../../../domain/filter-items";
import type { TimeWindow } from "../../../domain/time-window";
import type { View } from "../../questions";

/** Whether the filters pass the same events when each part is asked by itself: no part knows what a user did. */
export const isCutBy = ({ filters = [] }: View, more: readonly FilterItem[] = []): boolean =>
  [...filters, ...more].every((item) => (isAnyOf(item) ? !item.any.some(isDid) : !isDid(item)));

/** What a request asks of events besides its view. */
export const filtersOf = ({ filters = [], goal }: CountRequest): readonly FilterItem[] => [
  ...filters,
  ...(goal?.filters ?? []),
];

/** The same for a part: where a field of sessions is asked, of the sessions of the part. */
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
