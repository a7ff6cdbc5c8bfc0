import Type, { type Static } from "typebox";
import { verdicts } from "../../domain/changes/assessment";
import {
  Count,
  IsoDate,
  IsoTime,
  ObjectId,
  PeriodZone,
  ProjectSelector,
} from "../../domain/fields";
import { StoredGoals } from "../../domain/goals/fields";
import { eventNameCharsMax, queryFiltersMax } from "../../domain/limits";
import { reportEveries } from "../../domain/reports/periods";
import { Recipients, Targets } from "../../domain/subscription-fields";
import { ofOwner, ofServer, ofVisitors, schema } from "../../lib/schema";
import { reportDriversMax, reportRowsMax } from "../../reads/report";
import { firedShownMax } from "../../store/control/alerts";
import { reportsPerProjectMax } from "../../store/control/reports";

const dateCharsMax = 10;
const subjectCharsMax = 200;
const letterCharsMax = 200_000;
const textCharsMax = 4_096;
const sentencesMax = 5;
const goalsMax = 8;
const annotationsMax = 1_000;

const fields = {
  every: Type.Enum([...reportEveries], {
    description:
      "week: Monday to Sunday, sent on Monday. month: a calendar month, sent on the 1st.",
  }),
  hour: Type.Optional(
    Type.Integer({
      ...{ minimum: 0, maximum: 23, default: 8 },
      description: "The hour of the project's zone.",
    }),
  ),
  filters: Type.Optional(
    Type.Array(Type.Unknown(), {
      maxItems: queryFiltersMax,
      description: "Filters as in POST /query.",
    }),
  ),
};

export const Report = schema(
  Type.Object(
    {
      id: ObjectId,
      project: ObjectId,
      every: Type.Enum([...reportEveries]),
      hour: Type.Integer(),
      filters: Type.Optional(Type.Array(Type.Unknown(ofOwner), { maxItems: queryFiltersMax })),
      goals: StoredGoals,
      recipients: Recipients,
      next_at: Type.Optional({ ...IsoTime, description: "Absent while the report is stopped." }),
      stopped_at: Type.Optional({
        ...IsoTime,
        description: "The project had no event for four periods. A change starts the report again.",
      }),
      last: Type.Optional(
        Type.Object(
          {
            period: Type.Object({ from: IsoDate, to: IsoDate }),
            sent_at: IsoTime,
            sent: Count,
            failed: Count,
          },
          {
            description: "The last period whose report went out, and what became of the messages.",
          },
        ),
      ),
    },
    { $id: "Report" },
  ),
);
export type Report = Static<typeof Report>;

export const ReportList = schema(
  Type.Object(
    {
      reports: Type.Array(Report, { maxItems: reportsPerProjectMax }),
      mail: Type.Boolean({ description: "false: this server sends no mail, only to webhooks." }),
    },
    { $id: "ReportList" },
  ),
);
export const ReportsQuery = schema(
  Type.Object({ project: ProjectSelector }, { $id: "ReportsQuery" }),
);
export const ReportRequest = schema(
  Type.Object({ project: ProjectSelector, ...fields, to: Targets }, { $id: "ReportRequest" }),
);
export const ReportChange = schema(
  Type.Object(
    { ...fields, every: Type.Optional(fields.every), to: Type.Optional(Targets) },
    { $id: "ReportChange" },
  ),
);
export const PreviewQuery = schema(
  Type.Object(
    {
      date: Type.Optional(
        Type.String({
          maxLength: dateCharsMax,
          description: "The report of the period that ended before this date. Default: today.",
        }),
      ),
    },
    { $id: "PreviewQuery" },
  ),
);
export const ReportDone = schema(Type.Object({ ok: Type.Literal(true) }, { $id: "ReportDone" }));

const Percent = Type.Union([Type.Integer(), Type.Null()]);
const compared = { current: Type.Number(), previous: Type.Number(), change_pct: Percent };
const Compared = Type.Object(compared);
const Dates = Type.Object({ from: IsoDate, to: IsoDate, timezone: PeriodZone });
const VisitorText = Type.Union([
  Type.String({ ...ofVisitors, maxLength: textCharsMax }),
  Type.Null(),
]);
const Rows = Type.Array(Type.Object({ value: VisitorText, count: Count, previous: Count }), {
  maxItems: reportRowsMax,
});

const ReportData = Type.Object({
  period: Dates,
  compared: Dates,
  sentences: Type.Array(Type.String({ ...ofVisitors, maxLength: textCharsMax }), {
    maxItems: sentencesMax,
    description: "The change in words, made of the numbers below.",
  }),
  numbers: Type.Object({
    visitors: Compared,
    sessions: Compared,
    page_views: Compared,
    events: Compared,
    bounce_rate: Compared,
    avg_duration: { ...Compared, description: "Milliseconds." },
  }),
  goals: Type.Array(
    Type.Object({
      event: Type.String({ ...ofOwner, maxLength: eventNameCharsMax }),
      ...compared,
      conversion_rate: Compared,
    }),
    { maxItems: goalsMax, description: "The activation events: sessions that reached each." },
  ),
  pages: { ...Rows, description: "Visitors by page." },
  sources: { ...Rows, description: "Visitors by source of their session." },
  countries: { ...Rows, description: "Visitors by country." },
  events: { ...Rows, description: "Events by name." },
  changes: Type.Object({
    metric: Type.Literal("events"),
    ...Dates.properties,
    ...compared,
    significant: Type.Union([Type.Boolean(), Type.Null()]),
    needs: Type.Union([Type.Object({ dates: Count, have: Count }), Type.Null()]),
    verdict: Type.Enum([...verdicts]),
    drivers: Type.Array(
      Type.Object({
        dimension: Type.String(ofServer),
        value: VisitorText,
        ...{ current: Type.Number(), previous: Type.Number(), delta: Type.Number() },
        share_pct: Type.Union([Type.Number(), Type.Null()]),
        excess: Type.Union([Type.Number(), Type.Null()]),
        ...{ z: Type.Number(), new: Type.Boolean(), gone: Type.Boolean() },
      }),
      { maxItems: reportDriversMax },
    ),
  }),
  annotations: Type.Array(
    Type.Object({
      id: Type.Optional(ObjectId),
      occurred_at: IsoTime,
      title: Type.String({ ...ofOwner, maxLength: textCharsMax }),
      note: Type.Optional(Type.String({ ...ofOwner, maxLength: textCharsMax })),
    }),
    { maxItems: annotationsMax },
  ),
  alerts: Type.Array(
    Type.Object({
      id: ObjectId,
      name: Type.String({ ...ofOwner, maxLength: subjectCharsMax }),
      from: IsoTime,
    }),
    { maxItems: firedShownMax, description: "Alerts that fired." },
  ),
  url: Type.String({ ...ofServer, maxLength: textCharsMax }),
  stopped: Type.Optional(
    Type.Literal(true, { description: "No event for four periods: it is the last report." }),
  ),
});

export const ReportPreview = schema(
  Type.Object(
    {
      subject: Type.String({ ...ofOwner, maxLength: subjectCharsMax }),
      text: Type.String({ ...ofVisitors, maxLength: letterCharsMax }),
      html: Type.String({ ...ofVisitors, maxLength: letterCharsMax }),
      data: ReportData,
    },
    { $id: "ReportPreview" },
  ),
);
