import Type, { type Static } from "typebox";
import { budgetPolicies } from "../../domain/budget";
import { Count, IsoDate, IsoTime, ObjectId, Timestamp } from "../../domain/fields";
import { identifySenders } from "../../domain/identity";
import { allowedOriginsMax, originCharsMax, projectNameCharsMax } from "../../domain/limits";
import { projectNamePattern } from "../../domain/project-name";
import { timeZoneCharsMax } from "../../domain/time-zone-name";
import { nullClears, ofOwner, ofServer, pageSize, schema } from "../../lib/schema";

const usageDaysMax = 90;
const usageDaysDefault = 7;

const originsCharsMax = allowedOriginsMax * originCharsMax;

const Identify = Type.Enum(identifySenders, {
  description:
    "`servers` accepts POST /identify only without an `Origin` header, so browsers cannot link ids.",
});
const project = {
  id: ObjectId,
  name: Type.String({ ...ofOwner, pattern: projectNamePattern, maxLength: projectNameCharsMax }),
  project_token: Type.String({
    ...ofServer,
    maxLength: 52,
    description: "Public: it can send events, but read nothing.",
  }),
  allowed_origins: Type.String({
    ...ofOwner,
    maxLength: originsCharsMax,
    description: "`*`, or comma-separated origins from which browsers may send events.",
  }),
  primary_domain: Type.String({ ...ofOwner, maxLength: originCharsMax }),
  source_scan_id: Type.Union([ObjectId, Type.Null()]),
  replay_enabled: Type.Boolean(),
  timezone: Type.String({
    ...ofServer,
    maxLength: timeZoneCharsMax,
    description: "IANA time zone for the dates and hours of reads.",
    examples: ["Europe/Berlin"],
  }),
  identify: Identify,
  fold: Type.Boolean({
    description: "Events are counted into days (GET /history) before retention deletes them.",
  }),
  created_at: IsoTime,
  total_events: { ...Count, description: "Stored events." },
  total_reads: { ...Count, description: "Counted reads since the project was created." },
};
const installation = {
  snippet: Type.String({
    ...ofServer,
    maxLength: 4_096,
    description: "HTML for the pages of the site.",
  }),
  snippet_note: Type.String({ ...ofServer, maxLength: 4_096 }),
  api_example: Type.String({ ...ofServer, maxLength: 4_096 }),
};

const retention = {
  retention_days: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
    description:
      "Days for which the project stores events, as set here; null is as long as the plan.",
  }),
  retention: Type.Object(
    {
      days: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
        description: "Days for which events are stored; null is for ever.",
      }),
      from: Type.Union([IsoDate, Type.Null()], {
        description: "The next run deletes events before this UTC date; null is none.",
      }),
      next_run_at: IsoTime,
      events_to_go: { ...Count, description: "Stored events that the next run deletes." },
    },
    { description: "The next run of retention." },
  ),
  archive: Type.Boolean({
    description: "Events are written to files before they are deleted: GET /projects/{id}/archive.",
  }),
  archive_failing: Type.Boolean({
    description: "The last file could not be written, so nothing is deleted.",
  }),
};
export type RetentionView = Static<typeof RetentionShape>;
const RetentionShape = retention.retention;

const StoredTime = Type.Union([Timestamp, Type.Null()]);

export const Project = schema(Type.Object(project, { $id: "Project" }));
export type Project = Static<typeof Project>;

export const ProjectList = schema(
  Type.Object(
    {
      projects: Type.Array(Project),
      has_api_key: Type.Boolean(),
      tier: Type.Enum(["free", "pro"]),
    },
    { $id: "ProjectList" },
  ),
);

export const NewProject = schema(
  Type.Object({ ...project, ...installation }, { $id: "NewProject" }),
);
export const ExistingProject = schema(
  Type.Object(
    { ...project, ...installation, existing: Type.Literal(true) },
    { $id: "ExistingProject" },
  ),
);

const limit = Type.Integer({ minimum: 1 });
const Budget = Type.Object({
  events_per_month: Type.Optional({ ...limit, description: "Events of a UTC month." }),
  bytes: Type.Optional({ ...limit, description: "Bytes of stored events and recordings." }),
  when_over: Type.Enum([...budgetPolicies], {
    description:
      "`refuse` answers events with 429 and `reason: project_budget`. `forget_oldest`, for bytes alone, deletes " +
      "the oldest dates at 03:00 UTC, never the last 7.",
  }),
});
const budget = { budget: Type.Union([Budget, Type.Null()]) };

export const ChangedProject = schema(
  Type.Object({ ...project, ...retention, ...budget }, { $id: "ChangedProject" }),
);

export const ProjectToday = schema(
  Type.Object(
    {
      ...project,
      ...retention,
      usage_today: Type.Object({ event_count: Count, read_count: Count }),
      first_event_at: { ...StoredTime, description: "Unix ms of the earliest stored event." },
      last_event_at: { ...StoredTime, description: "Unix ms of the latest stored event." },
      retained_from: {
        ...IsoDate,
        description: "Events before this UTC date are deleted.",
      },
      bytes: Type.Optional({
        ...Count,
        description: "Bytes of events and recordings. Not in shares.",
      }),
      events_this_month: Type.Optional({
        ...Count,
        description:
          "Events stored in this UTC month, as `budget` counts them. Shares do not show it.",
      }),
      budget: Type.Optional(Type.Union([Budget, Type.Null()])),
    },
    { $id: "ProjectToday" },
  ),
);

export const ProjectRequest = schema(
  Type.Object(
    {
      name: Type.String({ pattern: projectNamePattern, maxLength: projectNameCharsMax }),
      allowed_origins: Type.Optional(
        Type.String({
          maxLength: originsCharsMax,
          description: `Up to ${allowedOriginsMax} comma-separated origins; \`*.\` matches subdomains.`,
        }),
      ),
      domain: Type.Optional(
        Type.String({
          maxLength: originCharsMax,
          description: "The site's origin. Required unless `allowed_origins` has one.",
        }),
      ),
      source_scan_id: Type.Optional(ObjectId),
    },
    { $id: "ProjectRequest" },
  ),
);

/** The schema has no bounds: they are checked once it is known that the project exists. */
export const ProjectChange = schema(
  Type.Object(
    {
      name: Type.Optional(
        Type.String({
          description: "Only before the first event. Letters, digits, `.`, `_`, `-`.",
        }),
      ),
      allowed_origins: Type.Optional(
        Type.String({ description: "`*`, or comma-separated origins. Replaces the list." }),
      ),
      timezone: Type.Optional(
        Type.String({
          description:
            "IANA time zone such as `Europe/Berlin`, for the dates, hours, weeks and months of reads.",
          examples: ["Europe/Berlin"],
        }),
      ),
      identify: Type.Optional(Identify),
      fold: Type.Optional(
        Type.Boolean({ description: "Whether retention counts events into days first." }),
      ),
      retention_days: Type.Optional(
        Type.Union([Type.Integer(), Type.Null()], {
          ...nullClears,
          description:
            "Days for which events are stored, from 1 to the plan's number; null is the plan's. A shorter time " +
            "holds from the next 03:00 UTC on. For administrators of the account.",
        }),
      ),
      archive: Type.Optional(
        Type.Boolean({
          description:
            "Whether events are written to files before they are deleted. For administrators of the account.",
        }),
      ),
      budget: Type.Optional(
        Type.Union(
          [
            Type.Object({
              events_per_month: Type.Optional(Type.Integer()),
              bytes: Type.Optional(Type.Integer()),
              when_over: Type.Enum([...budgetPolicies]),
            }),
            Type.Null(),
          ],
          {
            ...nullClears,
            description: "For administrators of the account.",
          },
        ),
      ),
    },
    { $id: "ProjectChange" },
  ),
);

export const DeletedProject = schema(
  Type.Object({ ok: Type.Literal(true), deleted: ObjectId }, { $id: "DeletedProject" }),
);

export const UsageRequest = schema(
  Type.Object(
    {
      days: pageSize(
        { min: 1, max: usageDaysMax, default: usageDaysDefault },
        "Dates up to and including today, UTC.",
      ),
    },
    { $id: "UsageRequest" },
  ),
);
export const ProjectUsage = schema(
  Type.Object(
    {
      project_id: ObjectId,
      usage: Type.Array(Type.Object({ date: IsoDate, event_count: Count, read_count: Count }), {
        maxItems: usageDaysMax,
      }),
    },
    { $id: "ProjectUsage" },
  ),
);
