import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import {
  Count,
  IsoDate,
  ofRead,
  Since,
  StoredName,
  storedTextCharsMax,
  Until,
  Warnings,
} from "../../domain/fields";
import { FiltersText } from "../../domain/filter-fields";
import { eventNamesMax, propertyKeysMax } from "../../domain/limits";
import { ofVisitors, pageSize, schema } from "../../lib/schema";

/** Pairs of keys and events in one answer: the most frequent ones. */
const receivedPairsMax = 20_000;
/** All pairs of a usual shop are 13 kB, which an agent has to read. */
export const receivedPairsDefault = 200;
const receivedSampleMin = 100;
const receivedSampleMax = 10_000;
export const receivedSampleDefault = 5_000;

const sample = {
  min: receivedSampleMin,
  max: receivedSampleMax,
  default: receivedSampleDefault,
};
const limit = { min: 1, max: receivedPairsMax, default: receivedPairsDefault };
const Key = Type.String({ ...ofVisitors, maxLength: storedTextCharsMax });

const window = {
  ...ofRead,
  since: Type.Optional(Since),
  until: Type.Optional(Until),
};
export const PropertiesQuery = schema(
  Type.Object({ ...window, filters: Type.Optional(FiltersText) }, { $id: "PropertiesQuery" }),
);

export const PropertiesReceivedQuery = schema(
  Type.Object(
    {
      ...window,
      sample: Type.Optional(pageSize(sample, "How many of the newest events are looked at.")),
      limit: Type.Optional(pageSize(limit, "Pairs listed: the most frequent ones.")),
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
  Type.Optional(Type.Literal(true, { description: `Only there when ${description}.` }));

const Properties = Type.Object({
  events: Type.Array(SeenEvent, { maxItems: eventNamesMax, description: "Most frequent first." }),
  property_keys: Type.Array(Key, {
    maxItems: propertyKeysMax,
    description:
      "Top-level keys of the newest 1,000 events that have properties, in alphabetical order; of more than " +
      `${propertyKeysMax} the most frequent ones.`,
  }),
  truncated: truncated("there are more event names or more keys"),
  warnings: Warnings,
});

export const PropertiesResponse = schema(
  Type.Object({ ...ofProject, ...Properties.properties }, { $id: "PropertiesResponse" }),
);

export const ReceivedProperties = Type.Object({
  since: IsoDate,
  sample_size: Count,
  properties: Type.Array(Type.Object({ key: Key, event: StoredName }), {
    maxItems: receivedPairsMax,
    description: "By key, then event; of more than limit the most frequent ones.",
  }),
  truncated: truncated("limit left out pairs"),
});
export type ReceivedProperties = Static<typeof ReceivedProperties>;

export const PropertiesReceivedResponse = schema(
  Type.Object(
    { ...ofProject, ...ReceivedProperties.properties },
    { $id: "PropertiesReceivedResponse" },
  ),
);
