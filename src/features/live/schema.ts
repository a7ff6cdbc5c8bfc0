import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import {
  Count,
  Country,
  ofRead,
  ProjectName,
  ProjectSelector,
  StoredName,
  StoredObject,
  StoredSessionId,
  StoredUserId,
  storedTextCharsMax,
  Timestamp,
} from "../../domain/fields";
import { ofOwner, ofServer, ofVisitors, pageSize, schema } from "../../lib/schema";

const liveWindowSecondsMin = 10;
const liveWindowSecondsMax = 300;
export const liveWindowSecondsDefault = 60;
export const livePagesMax = 10;
export const liveNamesMax = 10;
export const liveCountriesMax = 12;
export const liveRecentMax = 10;
export const socketSnapshotSecondsMin = 2;
export const socketSnapshotSecondsMax = 60;

const project = Type.Optional(
  Type.String({
    ...ProjectSelector,
    description: "Name or id of the project. Default: the account's oldest.",
  }),
);

export const LiveQuery = schema(
  Type.Object(
    {
      project,
      context: ofRead.context,
      tz: ofRead.tz,
      window: Type.Optional(
        pageSize(
          {
            min: liveWindowSecondsMin,
            max: liveWindowSecondsMax,
            default: liveWindowSecondsDefault,
          },
          "Seconds to look back, by the events' own time.",
        ),
      ),
    },
    { $id: "LiveQuery" },
  ),
);

/** A parameter may be as long as fits in the head of a request; no useful list of names or filters is longer. */
const parameterCharsMax = 8_192;

const wanted = {
  project,
  events: Type.Optional(
    Type.String({
      maxLength: parameterCharsMax,
      description: "Comma-separated event names; an event must have one of them.",
    }),
  ),
  filter: Type.Optional(
    Type.String({
      maxLength: parameterCharsMax,
      description:
        "Pairs `key:value` separated by semicolons; all must match. The keys `country`, `user_id` and " +
        "`session_id` are event fields, all others properties.",
    }),
  ),
};

export const StreamQuery = schema(Type.Object(wanted, { $id: "StreamQuery" }));
export const SocketQuery = schema(
  Type.Object(
    {
      ...wanted,
      account: Type.Optional(
        Type.String({
          maxLength: 32,
          description: "For browsers: the account to act in, as X-Account names it elsewhere.",
        }),
      ),
      snapshot: Type.Optional(
        Type.String({
          maxLength: 16,
          description:
            `Seconds between snapshots, ${socketSnapshotSecondsMin} to ${socketSnapshotSecondsMax} (clamped). ` +
            "Default: none.",
        }),
      ),
    },
    { $id: "SocketQuery" },
  ),
);
export type SocketQuery = Static<typeof SocketQuery>;

const liveEvent = {
  id: Type.String({ ...ofServer, maxLength: 26, description: "The same as in GET /events." }),
  event: StoredName,
  properties: Type.Union([StoredObject, Type.Null()]),
  user_id: StoredUserId,
  session_id: StoredSessionId,
  timestamp: Timestamp,
  country: Country,
};
export const LiveEvent = schema(Type.Object(liveEvent, { $id: "LiveEvent" }));
export type LiveEvent = Static<typeof LiveEvent>;

export const LiveResponse = schema(
  Type.Object(
    {
      ...ofProject,
      window_seconds: Type.Integer({
        minimum: liveWindowSecondsMin,
        maximum: liveWindowSecondsMax,
      }),
      timestamp: Timestamp,
      active_visitors: Count,
      active_sessions: Count,
      events_per_minute: Count,
      top_pages: Type.Array(
        Type.Object({
          path: Type.String({ ...ofVisitors, maxLength: storedTextCharsMax }),
          visitors: Count,
        }),
        { maxItems: livePagesMax },
      ),
      top_events: Type.Array(Type.Object({ event: StoredName, count: Count }), {
        maxItems: liveNamesMax,
      }),
      countries: Type.Array(
        Type.Object({
          country: Type.String({ ...ofServer, maxLength: 2 }),
          visitors: Count,
          sessions: Count,
          events: Count,
        }),
        { maxItems: liveCountriesMax },
      ),
      recent_events: Type.Array(LiveEvent, {
        maxItems: liveRecentMax,
        description: "The last ones received, newest first.",
      }),
    },
    { $id: "LiveResponse" },
  ),
);
export type LiveResponse = Static<typeof LiveResponse>;

const connected = {
  project: ProjectName,
  filters: Type.Object({
    events: Type.Array(Type.String(ofOwner)),
    filter: Type.Record(Type.String(), Type.String(), ofOwner),
  }),
  untrusted: Type.Array(Type.String(ofServer), {
    description: "Fields of the following messages that anyone can send.",
  }),
};
/** The messages of the server on a socket. */
export const SocketMessage = schema(
  Type.Union(
    [
      Type.Object({ type: Type.Literal("connected"), ...connected }),
      Type.Object({ type: Type.Literal("track"), ...liveEvent, project: ProjectName }),
      Type.Object({ type: Type.Literal("snapshot"), ...LiveResponse.properties }),
      Type.Object({ type: Type.Literal("heartbeat") }),
      Type.Object({ type: Type.Literal("pong") }),
      Type.Object({
        type: Type.Literal("error"),
        error: Type.String(ofServer),
        message: Type.String(ofServer),
      }),
    ],
    { $id: "SocketMessage" },
  ),
);
