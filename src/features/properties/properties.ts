import Type from "typebox";
import { ofProject } from "../../domain/context-fields";
import { isoDate } from "../../domain/event";
import {
  Count,
  IsoDate,
  ofWindow,
  StoredName,
  storedTextCharsMax,
  Warnings,
} from "../../domain/fields";
import { FiltersText } from "../../domain/filter-fields";
import { eventNamesMax, propertyKeysMax } from "../../domain/limits";
import { free } from "../../http/operation/facts";
import { projectRead } from "../../http/operation/project-read";
import { ofVisitors, pageSize, schema } from "../../lib/schema";
import { allNames, propertiesOf } from "../../reads/properties";

/** Pairs of keys and events in one answer: the most frequent ones. */
const receivedPairsMax = 20_000;
/** All pairs of a usual shop are 13 kB, which an agent has to read. */
const receivedPairsDefault = 200;
const receivedSampleMin = 100;
const receivedSampleMax = 10_000;
const receivedSampleDefault = 5_000;

const sample = {
  min: receivedSampleMin,
  max: receivedSampleMax,
  default: receivedSampleDefault,
};
const limit = { min: 1, max: receivedPairsMax, default: receivedPairsDefault };
const Key = Type.String({ ...ofVisitors, maxLength: storedTextCharsMax });

const PropertiesQuery = schema(
  Type.Object({ ...ofWindow, filters: Type.Optional(FiltersText) }, { $id: "PropertiesQuery" }),
);

const PropertiesReceivedQuery = schema(
  Type.Object(
    {
      ...ofWindow,
      sample: Type.Optional(pageSize(sample, "Number of newest events to check.")),
      limit: Type.Optional(pageSize(limit, "Maximum number of pairs, most frequent first.")),
    },
    { $id: "PropertiesReceivedQuery" },
  ),
);

const SeenEvent = Type.Object({
  event: StoredName,
  count: Count,
  unique_users: Count,
  first_seen: IsoDate,
  last_seen: IsoDate,
});

const truncated = (description: string) =>
  Type.Optional(Type.Literal(true, { description: `Only present if ${description}.` }));

export const PropertiesResponse = schema(
  Type.Object(
    {
      ...ofProject,
      events: Type.Array(SeenEvent, {
        maxItems: eventNamesMax,
        description: "Most frequent first.",
      }),
      property_keys: Type.Array(Key, {
        maxItems: propertyKeysMax,
        description:
          "Top-level keys of the newest 1,000 events that have properties, in alphabetical order; if more than " +
          `${propertyKeysMax} the most frequent ones.`,
      }),
      truncated: truncated("there are more event names or more keys"),
      warnings: Warnings,
    },
    { $id: "PropertiesResponse" },
  ),
);

const PropertiesReceivedResponse = schema(
  Type.Object(
    {
      ...ofProject,
      since: IsoDate,
      sample_size: Count,
      properties: Type.Array(Type.Object({ key: Key, event: StoredName }), {
        maxItems: receivedPairsMax,
        description: "By key, then event; if more than limit, the most frequent ones.",
      }),
      truncated: truncated("limit left out pairs"),
    },
    { $id: "PropertiesReceivedResponse" },
  ),
);

export const listPropertiesRead = projectRead("GET /properties", {
  access: free("analytics:read", "RD"),
  shares: {},
  doc: {
    id: "listProperties",
    summary: "List event names and property keys",
    description:
      "All event names with their counts, and the property keys of the newest events. Call it before POST " +
      "/query, GET /breakdown or POST /funnel.",
  },
  example: { project: "shop" },
  takes: PropertiesQuery,
  returns: PropertiesResponse,
  question: () => allNames,
  ask: (snapshot, { view, ...limits }) => propertiesOf(snapshot, view, limits),
  shape: (properties) => properties,
});

export const receivedRead = projectRead("GET /properties/received", {
  access: free("analytics:read", "RD"),
  shares: {},
  doc: {
    id: "listReceivedProperties",
    summary: "List property keys by event",
    description:
      "Distinct pairs of key and event in the newest events. Use it to check what a tracker sends.",
  },
  example: { project: "shop", sample: 100 },
  takes: PropertiesReceivedQuery,
  returns: PropertiesReceivedResponse,
  question: ({ sample = receivedSampleDefault, limit: pairsMax = receivedPairsDefault }) => ({
    sample,
    pairsMax,
  }),
  ask: (snapshot, { view, sample, pairsMax }) =>
    snapshot.newestKeys(view, { sample, by_event: true, limit: pairsMax }),
  shape: ({ pairs, is_cut }, { days, sample }) => ({
    since: isoDate(days.from),
    sample_size: sample,
    properties: pairs.map(([key, event]) => ({ key, event })),
    ...(is_cut && { truncated: true as const }),
  }),
});
