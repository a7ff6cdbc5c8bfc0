import * as queries from "../../data/queries";
import type { ApiRequest } from "../../data/request";
import { scope } from "../../state/scope";
import { vitals } from "./vitals";

/** The most rows that POST /query answers. */
const rowsMax = 1_000;
/** The rows of a list, as on other pages. */
const listMax = 100;
/** The number of errors whose first and last date the page looks up: one answer has room for their dates. */
export const datedErrorsMax = 20;

const vitalMetrics = ["event_count", ...vitals.map(({ metric }) => metric)];

/** Returns the bucket by which a list of that many values fits into one answer. */
export const bucketFor = (values: number): "date" | "week" | "month" => {
  const { days } = scope.value.period;
  if (days * values <= rowsMax) return "date";
  return Math.ceil(days / 7 + 1) * values <= rowsMax ? "week" : "month";
};

/** Asks for the 75th percentiles of the vitals, by a field or in all. */
export const vitalsBy = (...fields: readonly string[]): ApiRequest =>
  queries.ofEvent(scope.value, "$web_vitals", {
    ...{ metrics: vitalMetrics, group_by: fields, order_by: "event_count" },
    limit: fields.length > 1 ? rowsMax : listMax,
  });

/** Asks how often an event occurred and for how many visitors, by a field or in all. */
export const countsBy = (event: string, ...fields: readonly string[]): ApiRequest =>
  queries.ofEvent(scope.value, event, {
    ...{ metrics: ["event_count", "unique_users"], group_by: fields },
    ...{ order_by: "event_count", limit: listMax },
  });

/** Requests the errors, and if there is a goal, the conversion rate of the sessions that had them. */
export const errorsWith = (goal: string | undefined): ApiRequest =>
  queries.ofEvent(scope.value, "$error", {
    metrics: ["event_count", "unique_users", ...(goal === undefined ? [] : ["conversion_rate"])],
    ...{ group_by: ["properties.message"], order_by: "event_count", limit: listMax },
    ...(goal !== undefined && { goal: { goal } }),
  });

/** Asks for the dates of some errors. */
export const errorDates = (messages: readonly string[]): ApiRequest =>
  queries.ofEvent(
    scope.value,
    "$error",
    {
      ...{ metrics: ["event_count"], limit: rowsMax },
      group_by: ["properties.message", bucketFor(datedErrorsMax)],
    },
    [{ field: "properties.message", op: "in", value: messages }],
  );
