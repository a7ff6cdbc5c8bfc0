import { filtersText, type Scope } from "../../data/queries";
import type { ApiRequest } from "../../data/request";
import { addDays } from "../../lib/dates";
import { chosenIn } from "../../state/chosen-event";
import type { Filter } from "../../state/filters";
import { param, place } from "../../state/route";

export const metrics = [
  ["sessions", "Sessions"],
  ["users", "Visitors"],
  ["events", "Events"],
  ["conversion", "Conversion"],
] as const;
export type ChangeMetric = (typeof metrics)[number][0];

export const metricDefault: ChangeMetric = "sessions";

/** The number in the address. */
export const metricOf = (): ChangeMetric =>
  metrics.find(([key]) => key === param("metric"))?.[0] ?? metricDefault;

/** The event or the goal to count; null for all events. */
const chosenOf = () => chosenIn(place.value.params, "event");

const valuesMax = 20;

/** Dimensions in the order in which they are offered. */
const dimensions = "event,page,source,country,device,browser,os,language,version";

/** Days that are over: a period up to today is asked for as one of as many days up to yesterday. */
export function requestOf({ period, ...scope }: Scope, metric: ChangeMetric): ApiRequest | null {
  const chosen = chosenOf();
  if (metric === "conversion" && chosen === null) return null;
  const back = period.isOpen && period.days > 1 ? -1 : 0;
  return {
    method: "GET",
    path: "/changes",
    query: {
      ...{ project: scope.project, metric },
      ...chosen,
      ...{ since: addDays(period.from, back), until: addDays(period.to, back) },
      ...{ dimensions, limit: valuesMax },
      ...filtersText(scope),
    },
  };
}

const names: Readonly<Record<string, string>> = {
  ...{ event: "Event", page: "Page", source: "Source", country: "Country", device: "Device" },
  ...{ browser: "Browser", os: "System", language: "Language", version: "Version" },
};
export const nameOfDimension = (dimension: string): string => names[dimension] ?? dimension;

const ofMachine = ["country", "device", "browser", "os", "language"];

/** Returns the filter for a value of a dimension, where one field is the same; null where none is. */
export function filterOf(
  dimension: string,
  value: string | null,
  metric: ChangeMetric,
): Filter | null {
  const field = fieldOf(dimension, metric === "events" || metric === "users");
  if (field === null) return null;
  return value === null ? { field, op: "is_null" } : { field, op: "eq", value };
}

function fieldOf(dimension: string, isOfEvents: boolean): string | null {
  if (dimension === "event") return isOfEvents ? "event" : null;
  if (dimension === "page") return isOfEvents ? "properties.path" : "session.entry_page";
  if (dimension === "source") return "session.source";
  if (!ofMachine.includes(dimension)) return null;
  if (!isOfEvents) return `session.${dimension}`;
  return dimension === "country" ? "country" : `properties.${dimension}`;
}
