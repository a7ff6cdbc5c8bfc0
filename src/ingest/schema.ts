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
  "Unix milliseconds by the sender's clock, when it sends. With it that clock need not be right: the event is stored " +
  "as old as it is, `sent_at - timestamp`, counted back from the receipt, and at most 30 days.";

const eventFields = {
  event: Type.String({ minLength: 1, maxLength: eventNameCharsMax, description: "Its name." }),
  properties: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          `Anything, up to ${propertiesBytesMax} bytes as JSON and ${propertiesDepthMax} levels deep. ` +
          "`path` (or `url`) is the page. Texts under keys that contain `email` are not stored.",
      },
    ),
  ),
  user_id: Type.Optional(
    Type.String({ maxLength: userIdCharsMax, description: "Who did it; empty is nobody known." }),
  ),
  session_id: Type.Optional(
    Type.String({ maxLength: sessionIdCharsMax, description: "Events of one visit share it." }),
  ),
  timestamp: Type.Optional(
    Type.Number({
      description:
        "Unix milliseconds, default now; at most 30 days old and 5 minutes ahead. Fractions are cut off.",
    }),
  ),
  sent_at: Type.Optional(Type.Number({ description: sentAtDescription })),
  event_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: eventIdCharsMax,
      pattern: "^[A-Za-z0-9_-]+$",
      description:
        "Made by the sender, so that a repeat is harmless: of events with the same event_id, event, user_id and " +
        "session_id one is stored in 48 hours.",
    }),
  ),
};

export const TrackRequest = schema(
  Type.Object({ token: Token, ...eventFields }, { $id: "TrackRequest" }),
);

export const TrackBatchRequest = schema(
  Type.Object(
    {
      token: Type.Optional(
        Type.String({ description: "Stands in for events without a token of their own." }),
      ),
      sent_at: Type.Optional(
        Type.Number({ description: "Stands in for events without a sent_at of their own." }),
      ),
      events: Type.Array(Type.Object({ token: Type.Optional(Token), ...eventFields }), {
        minItems: 1,
        maxItems: batchEventsMax,
        description:
          "All of one token. One that breaks a rule refuses all, and the error's `index` names it.",
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
        description: "The id used so far, such as the tracker's anonymous one.",
      }),
      user_id: Type.String({
        minLength: 1,
        maxLength: userIdCharsMax,
        description:
          "The id from now on. Events stored under previous_id move to it, and later ones too.",
      }),
      traits: Type.Optional(
        Type.Object(
          {},
          {
            additionalProperties: true,
            description:
              `What is known of the user, up to ${propertiesBytesMax} bytes; merged key by key, null deletes. ` +
              "Keys that contain `email` are not stored.",
          },
        ),
      ),
    },
    { $id: "IdentifyRequest" },
  ),
);

const ok = Type.Literal(true);
const queued = Type.Boolean({
  description: "True: stored and visible to reads. False: nothing was stored, for this `reason`.",
});

const whyNot = {
  reason: Type.Optional(
    Type.Enum(["automated", "identify_off"], {
      description: "Only with queued: false. automated: by the User-Agent.",
    }),
  ),
  actor: Type.Optional(
    Type.String({
      ...ofVisitors,
      maxLength: actorCharsMax,
      description: "What the User-Agent was recognized as; Unknown if by its form alone.",
    }),
  ),
};

export const TrackAnswer = schema(Type.Object({ ok, queued, ...whyNot }, { $id: "TrackAnswer" }));
export type TrackAnswer = Static<typeof TrackAnswer>;

export const TrackBatchAnswer = schema(
  Type.Object(
    { ok, queued, ...whyNot, count: Type.Integer({ minimum: 0, maximum: batchEventsMax }) },
    { $id: "TrackBatchAnswer" },
  ),
);
export type TrackBatchAnswer = Static<typeof TrackBatchAnswer>;
