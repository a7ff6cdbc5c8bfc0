import Type, { type Static } from "typebox";
import {
  actorCharsMax,
  batchEventsMax,
  eventIdCharsMax,
  eventNameCharsMax,
  propertiesBytesMax,
  propertiesDepthMax,
  sessionIdCharsMax,
  userIdCharsMax,
} from "../domain/limits";
import { ofVisitors, schema } from "../lib/schema";

/**
 * The bodies of ingestion as the OpenAPI document shows them. They are checked by `shape.ts` and `fields.ts`, which are
 * ten times as fast; `schema.test.ts` keeps the two in agreement. Null is the same as absent everywhere.
 */
const tokenDescription = "The project's public token, `aat_` and 48 hexadecimal digits.";
const Token = Type.String({ minLength: 1, description: tokenDescription });

const sentAtDescription =
  "Time of sending in Unix milliseconds, by the sender's clock. It corrects a wrong clock: the event's " +
  "time becomes the time of receipt minus `sent_at - timestamp`, at most 30 days.";

const eventFields = {
  event: Type.String({ minLength: 1, maxLength: eventNameCharsMax, description: "Its name." }),
  properties: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          `Any JSON object, up to ${propertiesBytesMax} bytes and ${propertiesDepthMax} levels deep. \`path\` ` +
          "(or `url`) is the page. Texts under keys that contain `email` are not stored.",
      },
    ),
  ),
  user_id: Type.Optional(
    Type.String({ maxLength: userIdCharsMax, description: "The visitor's id; empty if unknown." }),
  ),
  session_id: Type.Optional(
    Type.String({
      maxLength: sessionIdCharsMax,
      description: "The same for all events of one visit.",
    }),
  ),
  timestamp: Type.Optional(
    Type.Number({
      description:
        "Unix milliseconds, default now; at most 30 days in the past and 5 minutes in the future.",
    }),
  ),
  sent_at: Type.Optional(Type.Number({ description: sentAtDescription })),
  event_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: eventIdCharsMax,
      pattern: "^[A-Za-z0-9_-]+$",
      description:
        "Chosen by the sender to make repeats safe: within 48 hours, only one event with the same event_id, " +
        "event, user_id and session_id is stored.",
    }),
  ),
};

export const TrackRequest = schema(
  Type.Object({ token: Token, ...eventFields }, { $id: "TrackRequest" }),
);

export const TrackBatchRequest = schema(
  Type.Object(
    {
      token: Type.Optional(Type.String({ description: "For events without their own token." })),
      sent_at: Type.Optional(Type.Number({ description: "For events without their own sent_at." })),
      events: Type.Array(Type.Object({ token: Type.Optional(Token), ...eventFields }), {
        minItems: 1,
        maxItems: batchEventsMax,
        description:
          "All with the same token. One invalid event refuses the whole batch; `index` of the error names it.",
      }),
    },
    { $id: "TrackBatchRequest" },
  ),
);

export const IdentifyRequest = schema(
  Type.Object(
    {
      token: Token,
      previous_id: Type.String({
        minLength: 1,
        maxLength: userIdCharsMax,
        description: "The previous id, such as the tracker's anonymous id.",
      }),
      user_id: Type.String({
        minLength: 1,
        maxLength: userIdCharsMax,
        description: "The new id. Past and future events with previous_id count for it.",
      }),
      traits: Type.Optional(
        Type.Object(
          {},
          {
            additionalProperties: true,
            description:
              `Facts about the user, up to ${propertiesBytesMax} bytes; merged key by key, null deletes a key. Keys ` +
              "that contain `email` are not stored.",
          },
        ),
      ),
    },
    { $id: "IdentifyRequest" },
  ),
);

const ok = Type.Literal(true);
const queued = Type.Boolean({
  description: "True: stored and visible to reads. False: not stored, see `reason`.",
});

const whyNot = {
  reason: Type.Optional(
    Type.Enum(["automated", "identify_off", "excluded"], {
      description:
        "Only with queued: false. automated: recognized by the User-Agent. excluded: by a rule of the project " +
        "(PUT /projects/{id}/exclusions).",
    }),
  ),
  actor: Type.Optional(
    Type.String({
      ...ofVisitors,
      maxLength: actorCharsMax,
      description: "Name recognized from the User-Agent; Unknown if only its form is suspicious.",
    }),
  ),
};

export const TrackAnswer = schema(Type.Object({ ok, queued, ...whyNot }, { $id: "TrackAnswer" }));
export type TrackAnswer = Static<typeof TrackAnswer>;

export const TrackBatchAnswer = schema(
  Type.Object(
    {
      ...{ ok, queued, ...whyNot },
      count: Type.Integer({
        minimum: 0,
        maximum: batchEventsMax,
        description: "The events that are stored: all but those that rules of the project exclude.",
      }),
    },
    { $id: "TrackBatchAnswer" },
  ),
);
export type TrackBatchAnswer = Static<typeof TrackBatchAnswer>;
