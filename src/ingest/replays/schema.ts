import Type from "typebox";
import { Count, ObjectId, Timestamp } from "../../domain/fields";
import { sessionIdCharsMax, userIdCharsMax } from "../../domain/limits";
import {
  flushIntervalMs,
  recordedEventsMax,
  recordedUrlCharsMax,
  replaySegmentsMax,
  selectorCharsMax,
  selectorsMax,
} from "../../domain/replay/limits";
import { startModes } from "../../domain/replay/settings";
import { replayStatuses, sentStopReasons } from "../../domain/replay/summary";
import { ofOwner, ofServer, schema } from "../../lib/schema";

const ProjectToken = Type.String({
  minLength: 1,
  description: "The project's public token, `aat_` and 48 hexadecimal digits.",
});
const UploadToken = Type.String({
  description: "From POST /replays/ingest/start; can also be sent in the query as `t`.",
});
const Ok = Type.Literal(true);
const Seq = Type.Integer({ minimum: 0, description: "Segment numbers start at 0." });

export const ReplayStartRequest = schema(
  Type.Object(
    {
      token: ProjectToken,
      session_id: Type.String({ minLength: 1, maxLength: sessionIdCharsMax }),
      user_id: Type.Optional(
        Type.String({ maxLength: userIdCharsMax, description: "Validated, not stored." }),
      ),
      url: Type.Optional(
        Type.String({ maxLength: recordedUrlCharsMax, description: "Validated, not stored." }),
      ),
    },
    { $id: "ReplayStartRequest", additionalProperties: true },
  ),
);

const recording = {
  ok: Ok,
  recording: Type.Literal(true),
  replay_id: ObjectId,
  upload_token: Type.String(ofServer),
  next_seq: Count,
  flush_interval_ms: Type.Integer({ description: `${flushIntervalMs}.` }),
  max_segment_bytes: Type.Integer({ description: "Size of a segment as JSON." }),
  expires_at: Timestamp,
};
export const ReplayStarted = schema(Type.Object(recording, { $id: "ReplayStarted" }));
export const ReplayContinued = schema(Type.Object(recording, { $id: "ReplayContinued" }));
export const ReplayNotStarted = schema(
  Type.Object({ ok: Ok, recording: Type.Literal(false) }, { $id: "ReplayNotStarted" }),
);

export const ReplaySegmentRequest = schema(
  Type.Object(
    {
      upload_token: Type.Optional(UploadToken),
      seq: Seq,
      events: Type.Array(Type.Object({}, { additionalProperties: true }), {
        minItems: 1,
        maxItems: recordedEventsMax,
        description: "rrweb events.",
      }),
    },
    { $id: "ReplaySegmentRequest", additionalProperties: true },
  ),
);
export const ReplaySegmentAnswer = schema(
  Type.Object(
    {
      ok: Ok,
      seq: Seq,
      next_seq: Count,
      stop: Type.Boolean({
        description: `True if the recorder must stop because of a limit, such as ${replaySegmentsMax} segments.`,
      }),
      stored: Type.Boolean({
        description:
          "False if another segment has this number (send it again with next_seq), or with `stop`.",
      }),
    },
    { $id: "ReplaySegmentAnswer" },
  ),
);

export const ReplayFinishRequest = schema(
  Type.Object(
    {
      upload_token: Type.Optional(UploadToken),
      stop_reason: Type.Optional(Type.Enum(sentStopReasons)),
    },
    { $id: "ReplayFinishRequest", additionalProperties: true },
  ),
);
export const ReplayFinished = schema(
  Type.Object({ ok: Ok, status: Type.Enum(replayStatuses) }, { $id: "ReplayFinished" }),
);

export const ReplaysConfigQuery = schema(
  Type.Object({ token: ProjectToken }, { $id: "ReplaysConfigQuery" }),
);
const Selectors = Type.Array(Type.String({ ...ofOwner, maxLength: selectorCharsMax }), {
  maxItems: selectorsMax,
});
export const ReplaysConfig = schema(
  Type.Object(
    {
      enabled: Type.Boolean({ description: "If false, the response has no other fields." }),
      start_mode: Type.Optional(Type.Enum(startModes)),
      sample_rate: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
      mask_selectors: Type.Optional(Selectors),
      block_selectors: Type.Optional(Selectors),
    },
    { $id: "ReplaysConfig" },
  ),
);
