import Type, { type Static } from "typebox";
import { ofVisitors, orNull, schema } from "../../lib/schema";
import { Count, ObjectId, Timestamp } from "../fields";
import { sessionIdCharsMax } from "../limits";

export const replayStatuses = [
  "recording",
  "complete",
  "incomplete",
  "deleting",
  "deleted",
] as const;
export type ReplayStatus = (typeof replayStatuses)[number];

/** The reasons for which a recorder may say that it stops. */
export const sentStopReasons = [
  "session_end",
  "consent_revoked",
  "manual",
  "page_closed",
  "error",
] as const;
export type SentStopReason = (typeof sentStopReasons)[number];

const stopReasons = [
  ...sentStopReasons,
  "max_duration",
  "max_bytes",
  "quota",
  "disabled",
  "inactivity",
  "empty",
] as const;
export type StopReason = (typeof stopReasons)[number];

/** Signals of a visitor's trouble, each counted once per burst. */
export const replaySignals = ["rage_clicks", "dead_clicks", "quick_backs"] as const;
export type ReplaySignal = (typeof replaySignals)[number];
export type SignalCounts = Readonly<Record<ReplaySignal, number>>;

export const replaySorts = ["started_at", "duration", ...replaySignals] as const;
export type ReplaySort = (typeof replaySorts)[number];

const Signal = (says: string) =>
  orNull(
    Type.Integer({
      minimum: 0,
      description: `${says} Null until the recording is closed and processed.`,
    }),
  );

export const ReplaySummary = schema(
  Type.Object(
    {
      id: ObjectId,
      project_id: ObjectId,
      analytics_session_id: Type.String({ ...ofVisitors, maxLength: sessionIdCharsMax }),
      status: Type.Enum(replayStatuses),
      started_at: Timestamp,
      ended_at: orNull(Timestamp),
      last_event_at: {
        ...Timestamp,
        description: "Time of the latest event so far; later it is `ended_at`.",
      },
      committed_bytes: Type.Integer({ minimum: 0, description: "As stored, compressed." }),
      event_count: Count,
      has_full_snapshot: Type.Boolean(),
      stop_reason: orNull(Type.Enum(stopReasons)),
      rage_clicks: Signal("Bursts of 3 or more clicks within 1 s and 30 pixels."),
      dead_clicks: Signal("Clicks on a button without any page reaction within 2.5 s."),
      quick_backs: Signal("Returns to the previous page within 5 s."),
    },
    { $id: "ReplaySummary" },
  ),
);
export type ReplaySummary = Readonly<Static<typeof ReplaySummary>>;

export const isPlayable = ({ status, has_full_snapshot: hasSnapshot }: ReplaySummary): boolean =>
  hasSnapshot && status !== "deleting" && status !== "deleted";
