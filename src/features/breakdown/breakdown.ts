import Type from "typebox";
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
import { type Condition, checkPropertyKey, eventConditions } from "../../domain/filter";
import { FiltersText } from "../../domain/filter-fields";
import { pageLimitMax } from "../../domain/limits";
import { isPropertyField } from "../../domain/property-field";
import { free } from "../../http/operation/facts";
import { projectRead } from "../../http/operation/project-read";
import { tableOf } from "../../http/operation/table";
import { ofOwner, ofVisitors, pageSize, schema } from "../../lib/schema";
import { cutOf } from "../../reads/cut";

const limitDefault = 20;
const limitOfValues = { min: 1, max: pageLimitMax, default: limitDefault };
/** A text that is no key is refused by its own code, INVALID_PROPERTY_KEY. */
const Property = Type.String({
  minLength: 1,
  maxLength: storedTextCharsMax,
  description: "A property key, or `country` for the event's country.",
});

const BreakdownQuery = schema(
  Type.Object(
    {
      ...ofRead,
      property: Property,
      event: Type.Optional(EventName),
      since: Type.Optional(Since),
      until: Type.Optional(Until),
      limit: Type.Optional(pageSize(limitOfValues, "Values at most.")),
      filters: Type.Optional(FiltersText),
    },
    { $id: "BreakdownQuery" },
  ),
);

const BreakdownValue = Type.Object({
  value: Type.String({
    ...ofVisitors,
    maxLength: storedTextCharsMax,
    description: "Numbers, booleans, objects and lists as compact JSON.",
  }),
  count: Count,
  unique_users: Count,
});

export const BreakdownResponse = schema(
  Type.Object(
    {
      ...ofProject,
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
    },
    { $id: "BreakdownResponse" },
  ),
);

export const breakdownRead = projectRead("GET /breakdown", {
  access: free("analytics:read", "RD"),
  shares: {},
  doc: {
    id: "getBreakdown",
    summary: "Count the values of a property",
    description:
      "Events and visitors per value of one property, for all events or one event name. Events without the " +
      "property are only in the totals. GET /properties lists the property keys.",
  },
  example: { project: "shop", property: "path", event: "page_view" },
  takes: BreakdownQuery,
  returns: BreakdownResponse,
  table: { of: ({ values }) => tableOf(BreakdownValue, values) },
  question: ({ property, event = null, limit = limitDefault }) => ({
    property: checkPropertyKey(property, "property"),
    event,
    limit,
  }),
  async ask(snapshot, { view, property, event, limit }) {
    const field = fieldOf(property);
    const events = eventConditions(event);
    const { rows, groups_total } = await snapshot.countBy(view, {
      group_by: [field],
      metrics: ["event_count", "unique_users"],
      filters: events,
      limit,
      skip_null: true,
    });
    const total = await snapshot.eventCount(view, events);
    // Every value begins with the empty text; a missing one and null do not.
    const hasProperty: Condition = { field, op: "prefix", value: "" };
    // Where no value is left out, each event that has the property is counted with one of them.
    const withProperty =
      groups_total === rows.length
        ? rows.reduce((sum, { event_count: count }) => sum + count, 0)
        : await snapshot.eventCount(view, [...events, hasProperty]);
    return { rows, groups_total, total, withProperty };
  },
  shape: ({ rows, groups_total, total, withProperty }, { property, event }) => ({
    property,
    event,
    values: rows.map(({ event_count: count, unique_users, [fieldOf(property)]: value }) => ({
      value: String(value),
      count,
      unique_users,
    })),
    ...cutOf(groups_total, rows.length),
    total_events: total,
    total_with_property: withProperty,
  }),
  doubts: ({ property, event }, { rows, total }) => ({
    names: event === null || total > 0 ? [] : [event],
    unfound: rows.length > 0 || total === 0 ? [] : [fieldOf(property)].filter(isPropertyField),
  }),
});

const fieldOf = (property: string) =>
  property === "country" ? "country" : (`properties.${property}` as const);
