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
 * that took as long as one thread alone (first reads of 10M events; a tenth longer to a tenth less; of 100M a quarter
 * longer). Where each of them is looked at for a filter or a goal too, it pays (of 100M a quarter to two fifths less
 * when repeated, as long at first).
 */
const sessionHelpersMin = 2;

/** What a question counts: no sessions, those of the window as they are, or those that pass filters or have a goal. */
export type JudgedSessions = "none" | "all" | "some";

/**
 * Tells whether the filters pass the same events when each part is asked by itself, which fails for conditions on what
 * a user did, and whether it is worth it with that number of helpers.
 */
export function isCutBy(
  helpers: number,
  { filters = [] }: View,
  more: readonly FilterItem[] = [],
  sessions: JudgedSessions = "none",
): boolean {
  const items = [...filters, ...more].flatMap((item) => (isAnyOf(item) ? item.any : [item]));
  if (items.some(isDid)) return false;
  if (helpers >= sessionHelpersMin || sessions === "some") return true;
  return sessions === "none" && !items.some((item) => !isDid(item) && isSessionField(item.field));
}

export const judgedBy = (
  { filters = [] }: View,
  { goal, filters: ofRequest = [] }: CountRequest,
): JudgedSessions => (goal !== undefined || filters.length + ofRequest.length > 0 ? "some" : "all");

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
