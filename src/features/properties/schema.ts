import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import {
  Count,
  IsoDate,
  listItemsMax,
  ProjectSelector,
  Since,
  StoredName,
  storedTextCharsMax,
  Until,
} from "../../domain/fields";
import { receivedSampleDefault, receivedSampleMax, receivedSampleMin } from "../../domain/limits";
import { pageSize, schema } from "../../lib/schema";

const sample = {
  min: receivedSampleMin,
  max: receivedSampleMax,
  default: receivedSampleDefault,
};
const Key = Type.String({ maxLength: storedTextCharsMax });

export const PropertiesQuery = schema(
  Type.Object(
    {
      project: ProjectSelector,
      since: Type.Optional(Since),
      until: Type.Optional(Until),
    },
    { $id: "PropertiesQuery" },
  ),
);

export const PropertiesReceivedQuery = schema(
  Type.Object(
    {
      ...PropertiesQuery.properties,
      sample: Type.Optional(pageSize(sample, "How many of the newest events are looked at.")),
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

export const Properties = Type.Object({
  events: Type.Array(SeenEvent, { maxItems: listItemsMax, description: "Most frequent first." }),
  property_keys: Type.Array(Key, {
    maxItems: listItemsMax,
    description: "Top-level keys of the newest 1,000 events that have properties.",
  }),
});
export type Properties = Static<typeof Properties>;

export const PropertiesResponse = schema(
  Type.Object({ ...ofProject, ...Properties.properties }, { $id: "PropertiesResponse" }),
);

export const ReceivedProperties = Type.Object({
  since: IsoDate,
  sample_size: Count,
  properties: Type.Array(Type.Object({ key: Key, event: StoredName }), {
    maxItems: listItemsMax,
  }),
});
export type ReceivedProperties = Static<typeof ReceivedProperties>;

export const PropertiesReceivedResponse = schema(
  Type.Object(
    { ...ofProject, ...ReceivedProperties.properties },
    { $id: "PropertiesReceivedResponse" },
  ),
);
