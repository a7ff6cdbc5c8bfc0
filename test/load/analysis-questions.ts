import type { Question, Window } from "./questions";

/** What analysts ask beyond the reads' own parameters: filters, fields of sessions, properties, goals, comparisons. */

// Each row with its targets: first, live and warm.
const filteredStats = { 7: [500, 250, 120], 90: [500, 250, 120] } as const;
const oneFilter = { 7: [450, 240, 120], 90: [450, 240, 120] } as const;
const ofSessions = { 7: [500, 250, 120], 90: [500, 250, 120] } as const;
const ofNumbers = { 7: [500, 300, 150], 90: [500, 300, 150] } as const;
/** The time that twelve questions may take. */
const ofTwelve = { 7: [3_000, 1_000, 500], 90: [3_000, 1_000, 500] } as const;

const onMobile = { field: "properties.device", op: "eq", value: "mobile" } as const;
const fromGoogle = { field: "session.source", op: "eq", value: "Google" } as const;
const conversionGoal = "purchase";

/** A half of each window beside the other one, both of whole dates. */
const comparedDays = { 7: 3, 30: 15, 90: 45 } as const;

const overSessions = ["session_count", "bounce_rate"];
const most = { limit: 10 };
/**
 * The requests of a dashboard's first page: totals, a line, and the tables below it. DuckDB is asked the same, one by
 * one.
 */
const overview: readonly object[] = [
  { metrics: ["event_count", "unique_users"] },
  { metrics: ["session_count", "bounce_rate", "avg_duration"] },
  { metrics: ["event_count", "unique_users"], group_by: ["date"], order: "asc" },
  { metrics: ["event_count", "unique_users"], group_by: ["event"], ...most },
  { metrics: ["event_count"], group_by: ["properties.path"], ...most },
  { metrics: ["session_count"], group_by: ["session.entry_page"], ...most },
  { metrics: ["session_count"], group_by: ["session.source"], ...most },
  { metrics: ["session_count"], group_by: ["session.channel"], ...most },
  { metrics: ["session_count"], group_by: ["session.device"], ...most },
  { metrics: ["session_count"], group_by: ["session.browser"], ...most },
  { metrics: ["session_count"], group_by: ["session.country"], ...most },
  { metrics: ["sum:properties.amount"] },
];

export const analysisQuestions: readonly Question[] = [
  filtered("/stats by day, one property value", onMobile),
  filtered("/stats by day, one source", fromGoogle),
  query("/query per path, one property value", oneFilter, {
    metrics: ["event_count", "unique_users"],
    group_by: ["properties.path"],
    filters: [onMobile],
    limit: 20,
  }),
  ...["utm_source", "source", "channel", "entry_page"].map((field) =>
    query(`/query per session.${field}`, ofSessions, {
      metrics: overSessions,
      group_by: [`session.${field}`],
    }),
  ),
  query("/query per session.source, one channel", ofSessions, {
    metrics: overSessions,
    group_by: ["session.source"],
    filters: [{ field: "session.channel", op: "eq", value: "Organic Search" }],
  }),
  query("/query sum and p95 of integers", ofNumbers, {
    metrics: ["sum:properties.time_on_page", "p95:properties.time_on_page"],
  }),
  query("/query sum and p95 of fractions, per plan", ofNumbers, {
    metrics: ["sum:properties.amount", "p95:properties.amount"],
    group_by: ["properties.plan"],
  }),
  query("/query conversions per session.source", ofSessions, {
    metrics: ["session_count", "conversions", "conversion_rate"],
    group_by: ["session.source"],
    goal: { event: conversionGoal },
  }),
  {
    name: "/query per event, compared with as many days before",
    targets: oneFilter,
    request: ({ project }, days) => [
      "POST",
      "/query",
      {
        project: project.name,
        date_from: `${comparedDays[days]}d`,
        date_to: "1d",
        compare: "previous",
        metrics: ["event_count", "unique_users"],
        group_by: ["event"],
        count_mode: "raw",
      },
    ],
  },
  {
    name: "/query of 12 questions",
    targets: ofTwelve,
    request: ({ project }, days) => [
      "POST",
      "/query",
      {
        project: project.name,
        queries: overview.map((one) => ({ ...one, count_mode: "raw", date_from: since(days) })),
      },
    ],
  },
];

function since(days: Window): string {
  return `${days - 1}d`;
}

function query(name: string, targets: Question["targets"], body: object): Question {
  return {
    name,
    targets,
    request: ({ project }, days) => [
      "POST",
      "/query",
      { project: project.name, date_from: since(days), count_mode: "raw", ...body },
    ],
  };
}

function filtered(name: string, filter: object): Question {
  const filters = encodeURIComponent(JSON.stringify([filter]));
  return {
    name,
    targets: filteredStats,
    request: ({ project }, days) => [
      "GET",
      `/stats?project=${project.name}&since=${since(days)}&filters=${filters}`,
    ],
  };
}
