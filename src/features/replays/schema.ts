import Type, { type Static } from "typebox";
import {
  Count,
  IsoTime,
  LastDate,
  ObjectId,
  ProjectName,
  ProjectSelector,
  ReadZone,
  SessionId,
  Timestamp,
  timeCharsMax,
  Warnings,
} from "../../domain/fields";
import { FiltersText } from "../../domain/filter-fields";
import { cursorCharsMax } from "../../domain/limits";
import {
  replayRetentionDaysDefault,
  replayRetentionDaysMax,
  replaysListedDefault,
  replaysListedMax,
  selectorCharsMax,
  selectorsMax,
  timelineEntriesMax,
  viewerSegmentsMax,
} from "../../domain/replay/limits";
import { startModes } from "../../domain/replay/settings";
import { ReplaySummary, replaySorts, replayStatuses } from "../../domain/replay/summary";
import { TimelineEntry } from "../../domain/replay/timeline-entry";
import { ofOwner, ofServer, ofVisitors, orNull, pageSize, schema } from "../../lib/schema";

const Ok = Type.Literal(true);
const Cursor = Type.String({ ...ofServer, maxLength: cursorCharsMax });
const Selectors = (says: string) =>
  Type.Array(Type.String({ ...ofOwner, minLength: 1, maxLength: selectorCharsMax }), {
    maxItems: selectorsMax,
    description: says,
  });

const changeable = {
  start_mode: Type.Enum(startModes, {
    description:
      "When recording starts: after the visitor consents, immediately, or when the page calls it.",
  }),
  sample_rate: Type.Number({ minimum: 0, maximum: 1, description: "Share of sessions to record." }),
  mask_selectors: Selectors("CSS selectors of elements whose text to replace by `*`."),
  block_selectors: Selectors("CSS selectors of elements to replace by an empty box."),
  retention_days: Type.Integer({
    minimum: 1,
    maximum: replayRetentionDaysMax,
    description: `Days after which replays are deleted. Default ${replayRetentionDaysDefault}.`,
  }),
};

const settings = {
  project: ProjectName,
  project_id: ObjectId,
  enabled: Type.Boolean(),
  ...changeable,
  snippet: Type.String({ ...ofServer, description: "HTML to add after the tracker's snippet." }),
  updated_at: orNull(IsoTime),
};
export const ReplaySettingsRecord = schema(Type.Object(settings, { $id: "ReplaySettings" }));
export type ReplaySettingsRecord = Static<typeof ReplaySettingsRecord>;
export const ReplaySettingsChanged = schema(
  Type.Object({ ok: Ok, ...settings }, { $id: "ReplaySettingsChanged" }),
);

export const ReplayProjectQuery = schema(
  Type.Object({ project: ProjectSelector }, { $id: "ReplayProjectQuery" }),
);
export const ReplayProjectRequest = schema(
  Type.Object({ project: ProjectSelector }, { $id: "ReplayProjectRequest" }),
);
export const ReplaySettingsRequest = schema(
  Type.Object(
    {
      project: ProjectSelector,
      start_mode: Type.Optional(changeable.start_mode),
      sample_rate: Type.Optional(changeable.sample_rate),
      mask_selectors: Type.Optional(changeable.mask_selectors),
      block_selectors: Type.Optional(changeable.block_selectors),
      retention_days: Type.Optional(changeable.retention_days),
    },
    { $id: "ReplaySettingsRequest" },
  ),
);
export type ReplaySettingsRequest = Static<typeof ReplaySettingsRequest>;

export const ReplayUsage = schema(
  Type.Object(
    {
      project: settings.project,
      month: Type.String({ pattern: "^\\d{4}-\\d{2}$", maxLength: 7 }),
      replays: Type.Integer({
        minimum: 0,
        description: "Replays started this month, including deleted ones.",
      }),
      stored_bytes: Count,
      account: Type.Object({
        replays: Count,
        stored_bytes: Count,
        max_replays_per_month: Count,
        max_stored_bytes: Count,
      }),
    },
    { $id: "ReplayUsage" },
  ),
);

export const ReplaysQuery = schema(
  Type.Object(
    {
      project: ProjectSelector,
      session_id: Type.Optional(SessionId),
      status: Type.Optional(
        Type.Enum(replayStatuses, {
          description: "`deleting` and `deleted` are only listed if requested.",
        }),
      ),
      since: Type.Optional(
        Type.String({
          maxLength: timeCharsMax,
          default: "30d",
          description: "First start date.",
        }),
      ),
      until: Type.Optional(LastDate),
      tz: Type.Optional(ReadZone),
      with: Type.Optional(
        Type.String({
          maxLength: 60,
          description:
            "Comma-separated: `rage_clicks`, `dead_clicks`, `quick_backs`; at least one of each.",
        }),
      ),
      filters: Type.Optional(FiltersText),
      sort: Type.Optional(
        Type.Enum(replaySorts, { default: "started_at", description: "Descending." }),
      ),
      limit: Type.Optional(
        pageSize(
          { min: 1, max: replaysListedMax, default: replaysListedDefault },
          "Replays of one page.",
        ),
      ),
      cursor: Type.Optional(Cursor),
    },
    { $id: "ReplaysQuery" },
  ),
);
export type ReplaysQuery = Static<typeof ReplaysQuery>;

export const ReplayList = schema(
  Type.Object(
    {
      project: settings.project,
      replays: Type.Array(ReplaySummary, { maxItems: replaysListedMax }),
      next_cursor: {
        ...orNull(Cursor),
        description: "With filters a page may have fewer replays than `limit` before this is null.",
      },
      warnings: Warnings,
    },
    { $id: "ReplayList" },
  ),
);

export const ReplayOpened = schema(
  Type.Object(
    {
      viewer_url: Type.String({
        ...ofServer,
        description: "Anyone with this address can watch the replay. Do not share it.",
      }),
      expires_at: Timestamp,
      replay: ReplaySummary,
    },
    { $id: "ReplayOpened" },
  ),
);

export const ReplayTimelineQuery = schema(
  Type.Object(
    {
      after_ms: Type.Optional(
        Type.Integer({ minimum: 0, description: "Only entries after this time." }),
      ),
      limit: Type.Optional(
        pageSize({ min: 1, max: timelineEntriesMax, default: timelineEntriesMax }, "Entries."),
      ),
    },
    { $id: "ReplayTimelineQuery" },
  ),
);
export type ReplayTimelineQuery = Static<typeof ReplayTimelineQuery>;
export const ReplayTimeline = schema(
  Type.Object(
    {
      replay: ReplaySummary,
      entries: Type.Array(TimelineEntry, { maxItems: timelineEntriesMax }),
      truncated: Type.Boolean({
        description: "True if there is more: send the request again with after_ms.",
      }),
    },
    { $id: "ReplayTimeline" },
  ),
);

export const ReplayDeleting = schema(
  Type.Object(
    { ok: Ok, id: ObjectId, status: Type.Enum(["deleting", "deleted"]) },
    { $id: "ReplayDeleting" },
  ),
);
export const ReplaysDeleteQuery = schema(
  Type.Object({ project: ProjectSelector, session_id: SessionId }, { $id: "ReplaysDeleteQuery" }),
);
export const ReplaysDeleting = schema(
  Type.Object({ ok: Ok, count: Count }, { $id: "ReplaysDeleting" }),
);

export const ReplayDataQuery = schema(
  Type.Object(
    {
      after: Type.Optional(
        Type.Integer({ minimum: -1, description: "`next_after` of the previous response." }),
      ),
    },
    { $id: "ReplayDataQuery" },
  ),
);
export const ReplayData = schema(
  Type.Object(
    {
      replay: ReplaySummary,
      segments: Type.Array(
        Type.Object({
          seq: Count,
          events: Type.Array(Type.Object({}, { ...ofVisitors, additionalProperties: true })),
        }),
        { maxItems: viewerSegmentsMax },
      ),
      next_after: orNull(Count),
    },
    { $id: "ReplayData" },
  ),
);
