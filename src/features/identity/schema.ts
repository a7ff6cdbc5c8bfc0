import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import {
  AskedUserId,
  Count,
  Email,
  EventName,
  EventRow,
  listItemsMax,
  ObjectId,
  ofRead,
  ProjectName,
  Since,
  StoredObject,
  Timestamp,
  Until,
  UserId,
  Warnings,
} from "../../domain/fields";
import { pageLimitDefault, pageLimitMax, userIdCharsMax } from "../../domain/limits";
import { ofOwner, ofVisitors, pageSize, schema } from "../../lib/schema";

const limit = Type.Optional(
  pageSize(
    { min: 1, max: pageLimitMax, default: pageLimitDefault },
    "Maximum number of events, newest first.",
  ),
);
const who = {
  ...ofRead,
  user_id: Type.Optional(UserId),
  email: Type.Optional(Email),
};
const SinceMonth = Type.String({ ...Since, default: "30d" });

export const EventsLookupBody = schema(
  Type.Object(
    {
      ...who,
      event: Type.Optional(EventName),
      since: Type.Optional(Since),
      until: Type.Optional(Until),
      limit,
    },
    { $id: "EventsLookupBody" },
  ),
);

export const JourneyLookupBody = schema(
  Type.Object(
    { ...who, since: Type.Optional(SinceMonth), until: Type.Optional(Until), limit },
    { $id: "JourneyLookupBody" },
  ),
);

export const JourneyQuery = schema(
  Type.Object(
    {
      ...ofRead,
      user_id: Type.Optional(UserId),
      since: Type.Optional(SinceMonth),
      until: Type.Optional(Until),
      limit,
    },
    { $id: "JourneyQuery" },
  ),
);

const found = {
  user_id: AskedUserId,
  matched_user_ids: Type.Array(Type.String({ ...ofVisitors, maxLength: userIdCharsMax }), {
    maxItems: listItemsMax,
    description: "Current ids of the user's events, after linking.",
  }),
  events: Type.Array(EventRow, { maxItems: pageLimitMax }),
  count: Count,
};

export const EventsLookup = Type.Object({ ...found, warnings: Warnings });
export type EventsLookup = Static<typeof EventsLookup>;

const SeenAt = Type.Union([Timestamp, Type.Null()]);
const Profile = Type.Object({
  user_id: Type.String({ ...ofVisitors, maxLength: userIdCharsMax }),
  project: ProjectName,
  project_id: ObjectId,
  traits: StoredObject,
  first_seen: SeenAt,
  last_seen: SeenAt,
});

export const Journey = Type.Object({
  ...found,
  profiles: Type.Array(Profile, { maxItems: listItemsMax }),
});
export type Journey = Static<typeof Journey>;

export const EventsLookupResponse = schema(
  Type.Object({ ...ofProject, ...EventsLookup.properties }, { $id: "EventsLookupResponse" }),
);
export const JourneyResponse = schema(
  Type.Object({ ...ofProject, ...Journey.properties }, { $id: "JourneyResponse" }),
);

export const UnlinkBody = schema(
  Type.Object(
    {
      project: ofRead.project,
      previous_id: Type.String({
        minLength: 1,
        maxLength: userIdCharsMax,
        description: "The id to unlink.",
      }),
    },
    { $id: "UnlinkBody" },
  ),
);
export const UnlinkResponse = schema(
  Type.Object(
    {
      ok: Type.Literal(true),
      previous_id: Type.String({ ...ofOwner, maxLength: userIdCharsMax }),
      user_id: Type.String({
        ...ofVisitors,
        maxLength: userIdCharsMax,
        description: "The user it was linked to.",
      }),
      events: { ...Count, description: "Number of events moved back." },
    },
    { $id: "UnlinkResponse" },
  ),
);
