import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import {
  AskedName,
  Count,
  EventName,
  ofCut,
  ofRead,
  Since,
  storedTextCharsMax,
  Until,
  Warnings,
} from "../../domain/fields";
import { FiltersText } from "../../domain/filter-fields";
import { pageLimitMax } from "../../domain/limits";
import { ofOwner, ofVisitors, pageSize, schema } from "../../lib/schema";

export const breakdownLimitDefault = 20;

const limit = { min: 1, max: pageLimitMax, default: breakdownLimitDefault };
/** A text that is no key is refused by its own code, INVALID_PROPERTY_KEY. */
const Property = Type.String({
  minLength: 1,
  maxLength: storedTextCharsMax,
  description: "A property key, or `country` for the country of the event itself.",
});

export const BreakdownQuery = schema(
  Type.Object(
    {
      ...ofRead,
      property: Property,
      event: Type.Optional(EventName),
      since: Type.Optional(Since),
      until: Type.Optional(Until),
      limit: Type.Optional(pageSize(limit, "Values at most.")),
      filters: Type.Optional(FiltersText),
    },
    { $id: "BreakdownQuery" },
  ),
);

export const BreakdownValue = Type.Object({
  value: Type.String({
    ...ofVisitors,
    maxLength: storedTextCharsMax,
    description: "Numbers, booleans, objects and lists are shown as compact JSON.",
  }),
  count: Count,
  unique_users: Count,
});

export const Breakdown = Type.Object({
  property: { ...Property, ...ofOwner },
  event: Type.Union([AskedName, Type.Null()]),
  values: Type.Array(BreakdownValue, {
    maxItems: pageLimitMax,
    description: "Most frequent first.",
  }),
  ...ofCut,
  total_events: Count,
  total_with_property: Count,
  warnings: Warnings,
});
export type Breakdown = Static<typeof Breakdown>;

export const BreakdownResponse = schema(
  Type.Object({ ...ofProject, ...Breakdown.properties }, { $id: "BreakdownResponse" }),
);
