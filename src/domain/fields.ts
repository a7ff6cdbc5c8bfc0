import Type, { type Static } from "typebox";
import { ofOwner, ofServer, ofVisitors, schema, trimmed } from "../lib/schema";
import {
  emailCharsMax,
  eventNameCharsMax,
  projectNameCharsMax,
  queryFiltersMax,
  sessionIdCharsMax,
  userIdCharsMax,
} from "./limits";
import { timeZoneCharsMax } from "./time-zone-name";

const objectIdCharsMax = 32;

/** Schemas of what many requests and answers share. */

/** The length of a date, a period or a date-time in a request. */
export const timeCharsMax = 40;
/** Any text that was stored: within the properties of an event, hence bounded by their bytes. */
export const storedTextCharsMax = 8_192;
/** The length of lists that have no limit of their own: a project has no more distinct names than it has events. */
export const listItemsMax = 1_000_000;

export const ProjectSelector = Type.String({
  maxLength: projectNameCharsMax,
  description: "Name or id of the project.",
});
/** The name of a project in an answer. */
export const ProjectName = Type.String({ ...ofOwner, maxLength: projectNameCharsMax });
/** The input of every read of a project whose dates are UTC. */
export const ofUtcRead = {
  project: ProjectSelector,
  context: Type.Optional(
    Type.Boolean({ description: "false leaves project_context out of the answer. Default: true." }),
  ),
};
export const ReadZone = Type.String({
  maxLength: timeZoneCharsMax,
  description: "IANA time zone for dates, hours, weeks and months. Default: the project's.",
  examples: ["Europe/Berlin"],
});
/** The input of every other read of a project. */
export const ofRead = { ...ofUtcRead, tz: Type.Optional(ReadZone) };
export const Since = Type.String({
  maxLength: timeCharsMax,
  default: "7d",
  description: "First date: days before today such as `7d`, a date, or an ISO date-time.",
});
export const Until = Type.String({
  maxLength: timeCharsMax,
  description: "Last date, inclusive, in the same forms. Default: today.",
});
/** The fields of reads about a window of dates. */
export const ofWindow = { ...ofRead, since: Type.Optional(Since), until: Type.Optional(Until) };
/** The last date of reads that name a length of time. */
export const LastDate = Type.String({ maxLength: timeCharsMax, description: "Last date." });
/** The id of an account, a project and the like. */
export const ObjectId = Type.String({ ...ofServer, maxLength: objectIdCharsMax });
export const EventName = Type.String({ minLength: 1, maxLength: eventNameCharsMax });
export const UserId = Type.String({ minLength: 1, maxLength: userIdCharsMax });
export const Email = trimmed({
  minLength: 1,
  maxLength: emailCharsMax,
  description: "An email address sent to /identify. The server looks it up by its keyed hash.",
});
export const SessionId = Type.String({ minLength: 1, maxLength: sessionIdCharsMax });

/** A date in an answer. */
export const IsoDate = Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$", maxLength: 10 });
export const IsoTime = Type.String({
  pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$",
  maxLength: 24,
});
export const Count = Type.Integer({ minimum: 0 });
export const Rate = Type.Number({ minimum: 0, maximum: 1 });
/** Visitors, sessions and bounces, which other analytics count in other ways. */
const bounce = "only events without interaction, such as page_view and $scroll_depth";
export const Visitors = Type.Integer({ minimum: 0, description: "Different `user_id`." });
export const Sessions = Type.Integer({ minimum: 0, description: "Different `session_id`." });
export const Bounces = Type.Integer({ minimum: 0, description: `Sessions with ${bounce}.` });
export const BounceRate = Type.Number({
  minimum: 0,
  maximum: 1,
  description: `Share of sessions with ${bounce}.`,
});
/** The words of these for metrics. */
export const countedWords =
  "unique_users: distinct user_id. session_count: distinct session_id. bounce_rate: share of sessions " +
  `with ${bounce}.`;
export const Timestamp = Type.Integer({ description: "Unix milliseconds." });
export const StoredName = Type.String({ ...ofVisitors, maxLength: eventNameCharsMax });
export const StoredUserId = Type.Union([
  Type.String({ ...ofVisitors, maxLength: userIdCharsMax }),
  Type.Null(),
]);
/** A name that a caller asked for, sent back. */
export const AskedName = Type.String({ ...ofOwner, maxLength: eventNameCharsMax });
export const AskedUserId = Type.Union([
  Type.String({ ...ofOwner, maxLength: userIdCharsMax }),
  Type.Null(),
]);
/** Its properties or traits: keys and values. */
export const StoredObject = Type.Record(Type.String(), Type.Unknown(), ofVisitors);
export const StoredSessionId = Type.Union([
  Type.String({ ...ofVisitors, maxLength: sessionIdCharsMax }),
  Type.Null(),
]);
export const Country = Type.Union([
  Type.String({ ...ofServer, maxLength: 2, description: "ISO 3166-1 alpha-2." }),
  Type.Null(),
]);
const warningCodes = [
  ...(["unknown_event", "unknown_property", "unknown_value", "impossible_value"] as const),
  ...(["missing_left_out", "text_numbers", "kept_from"] as const),
  ...(["other_events_carry", "goal_without_session"] as const),
] as const;
const WarningText = Type.Optional(Type.String(ofOwner));
const Warning = Type.Object({
  code: Type.Enum([...warningCodes]),
  message: Type.String(ofOwner),
  event: WarningText,
  property: WarningText,
  field: WarningText,
  value: WarningText,
  events: Type.Optional(Count),
  date: Type.Optional(IsoDate),
  use: Type.Optional(Type.Literal("revenue")),
});
export type Warning = Static<typeof Warning>;
/** The warnings of reads that take filters or name events; absent when there are none. */
export const Warnings = Type.Optional(
  Type.Array(Warning, {
    maxItems: queryFiltersMax,
    description: "Likely mistakes in the request, such as a misspelt event.",
  }),
);
/** The fields of a list of groups that a limit cut; absent when it has them all. */
export const ofCut = {
  truncated: Type.Optional(
    Type.Literal(true, { description: "True if the limit left out groups." }),
  ),
  groups_total: Type.Optional({
    ...Count,
    description: "With `truncated`: the number of all groups.",
  }),
};
/** The time zone of an answer's period. */
export const PeriodZone = Type.Optional(
  Type.String({
    ...ofServer,
    maxLength: timeZoneCharsMax,
    description: "The time zone of its dates; absent when it is UTC.",
  }),
);
export const DatePeriod = Type.Object({ from: IsoDate, to: IsoDate, timezone: PeriodZone });

/** A number and what it was in the period before. */
export const Delta = Type.Object({
  current: Type.Number(),
  previous: Type.Number(),
  change: Type.Number(),
  change_pct: Type.Union([Type.Integer(), Type.Null()], {
    description: "Percent; null if the previous value was 0 and this one is not.",
  }),
});

export const EventRow = schema(
  Type.Object(
    {
      id: Type.String({
        ...ofServer,
        maxLength: 26,
        description: "ULID, ascending with ingestion.",
      }),
      project_id: ObjectId,
      event: StoredName,
      properties: Type.Union([StoredObject, Type.Null()]),
      user_id: StoredUserId,
      session_id: StoredSessionId,
      timestamp: Timestamp,
      date: IsoDate,
      country: Country,
    },
    { $id: "EventRow" },
  ),
);
export type EventRow = Static<typeof EventRow>;
