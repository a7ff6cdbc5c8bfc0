import type { Project } from "../support/server/account";
import { analysisQuestions } from "./analysis-questions";

/** First, live and warm, in milliseconds of the store's own time. */
export type Times = readonly [first: number, live: number, warm: number];

export const windows = [7, 30, 90] as const;
export type Window = (typeof windows)[number];

/** Whom and what the questions are about. */
export interface Asked {
  readonly project: Project;
  readonly userId: string;
  readonly sessionId: string;
  /** Ids of experiments that began the given number of days ago. */
  readonly experiments: Readonly<Record<Window, string>>;
}
export type QuestionRequest = readonly [method: string, path: string, body?: unknown];

export interface Question {
  readonly name: string;
  /** The target, for the windows of 7 and of 90 days; null for reads that it does not name. */
  readonly targets: Readonly<Record<7 | 90, Times>> | null;
  request(asked: Asked, days: Window): QuestionRequest;
}

// Each row with its targets.
const stats = { 7: [150, 40, 25], 90: [450, 250, 180] } as const;
const hourly = { 7: [60, 20, 20], 90: [450, 200, 180] } as const;
const grouped = { 7: [50, 25, 25], 90: [450, 240, 220] } as const;
const judging = { 7: [150, 50, 30], 90: [550, 330, 250] } as const;
const byOne = { 7: [100, 50, 50], 90: [900, 500, 400] } as const;
const breakdown = { 7: [40, 25, 25], 90: [350, 210, 200] } as const;
const events = { 7: [40, 20, 20], 90: [200, 20, 20] } as const;
const sessions = { 7: [150, 50, 10], 90: [500, 200, 60] } as const;
const funnel = { 7: [90, 60, 55], 90: [500, 270, 250] } as const;
const retention = { 7: [200, 60, 40], 90: [350, 150, 50] } as const;
const paths = { 7: [150, 70, 30], 90: [600, 400, 100] } as const;
/** Both windows have one target: as fast as the longest experiment must be. */
const experiment = { 7: [450, 150, 150], 90: [450, 150, 150] } as const;
const changes = { 7: [400, 200, 120], 90: [1_500, 800, 600] } as const;
const overview = { 7: [120, 50, 15], 90: [300, 140, 100] } as const;

export const funnelSteps = ["page_view", "sign_up_started", "purchase"] as const;
export const goal = "purchase";
/** Periods of retention that cover about as much as the window. */
export const cohorts = {
  7: { unit: "day", count: 7 },
  30: { unit: "day", count: 30 },
  90: { unit: "week", count: 12 },
} as const;

/** Every read, in the order of definitions.md. */
export const questions: readonly Question[] = [
  get("/stats by day", stats, () => "/stats?"),
  get("/stats by hour", hourly, () => "/stats?groupBy=hour&"),
  get("/events newest 1,000", events, () => "/events?limit=1000&"),
  get("/events newest 100", events, () => "/events?"),
  get("/events of a session", events, ({ sessionId }) => `/events?session_id=${sessionId}&`),
  get("/events of a user", events, ({ userId }) => `/events?user_id=${userId}&`),
  post("/events/lookup of a user", events, "/events/lookup", ({ userId }) => ({ user_id: userId })),
  post("/journey of a user", events, "/journey", ({ userId }) => ({ user_id: userId })),
  query("/query event × date, one property value", grouped, {
    group_by: ["event", "date"],
    filters: [{ field: "properties.device", op: "eq", value: "mobile" }],
    count_mode: "raw",
  }),
  query("/query per event, session_then_user", grouped, { group_by: ["event"] }),
  query("/query per country", grouped, {
    group_by: ["country"],
    metrics: ["event_count", "unique_users"],
    count_mode: "raw",
  }),
  query("/query path contains", grouped, {
    filters: [{ field: "properties.path", op: "contains", value: "pricing" }],
    count_mode: "raw",
  }),
  query("/query bounce rate per event", judging, {
    group_by: ["event"],
    metrics: ["bounce_rate", "avg_duration"],
  }),
  query("/query per user", byOne, { group_by: ["user_id"], count_mode: "raw", limit: 20 }),
  // 90 days of the large project have more sessions than the million of groups that a query counts.
  query("/query per session, one property value", byOne, {
    group_by: ["session_id"],
    filters: [{ field: "properties.device", op: "eq", value: "mobile" }],
    count_mode: "raw",
    limit: 20,
  }),
  get("/properties", overview, () => "/properties?"),
  get("/properties/received", overview, () => "/properties/received?limit=20000&"),
  get("/breakdown path", breakdown, () => "/breakdown?property=path&"),
  get("/breakdown plan of purchases", breakdown, () => "/breakdown?property=plan&event=purchase&"),
  get("/breakdown order_id", breakdown, () => "/breakdown?property=order_id&"),
  get("/sessions newest 100", sessions, () => "/sessions?"),
  get("/sessions of a user", sessions, ({ userId }) => `/sessions?user_id=${userId}&`),
  get("/sessions/distribution", sessions, () => "/sessions/distribution?"),
  get("/pages, entry and exit", sessions, () => "/pages?type=both&"),
  period("/insights", overview, ({ project }) => `/insights?project=${project.name}&`),
  changesOf("/changes", changes, ""),
  changesOf(
    "/changes of an event by a property",
    null,
    "&event=page_view&dimensions=properties.plan",
  ),
  changesOf("/changes of sessions", changes, "&metric=sessions"),
  changesOf("/changes of users", changes, "&metric=users"),
  changesOf("/changes of conversion", null, `&metric=conversion&event=${goal}`),
  get("/heatmap", hourly, () => "/heatmap?"),
  retentionBy("/retention by sessions", ""),
  retentionBy("/retention by events", `&event=${funnelSteps[1]}&returning_event=${goal}`),
  funnelOf("/funnel by user", { steps: funnelSteps }),
  funnelOf("/funnel by session", { steps: funnelSteps, count_by: "session_id" }),
  funnelOf("/funnel by user, per browser", { steps: funnelSteps, breakdown: "browser" }),
  funnelOf("/funnel by user, filtered steps", {
    steps: [
      { event: "page_view", filters: [{ property: "path", op: "prefix", value: "/docs" }] },
      { event: "purchase", filters: [{ property: "plan", op: "in", value: ["team", "business"] }] },
    ],
  }),
  {
    name: "/paths",
    targets: paths,
    // `since` takes no other numbers of days here: a date more than in the other reads.
    request: ({ project }, days) => [
      "POST",
      "/paths",
      { project: project.name, goal_event: goal, since: `${days}d` },
    ],
  },
  {
    name: "/experiments/{id}",
    targets: experiment,
    request: ({ experiments }, days) => ["GET", `/experiments/${experiments[days]}`],
  },
  period("/account/all-sites", overview, () => "/account/all-sites?"),
  period("/bot-traffic", null, ({ project }) => `/bot-traffic?project=${project.name}&`),
  period("/account/bot-traffic", null, () => "/account/bot-traffic?"),
  {
    name: "/projects/{id}/usage",
    targets: null,
    request: ({ project }) => ["GET", `/projects/${project.id}/usage`],
  },
  ...analysisQuestions,
];

function get(
  name: string,
  targets: Question["targets"],
  pathOf: (asked: Asked) => string,
): Question {
  return {
    name,
    targets,
    request: (asked, days) => [
      "GET",
      `${pathOf(asked)}project=${asked.project.name}&since=${days - 1}d`,
    ],
  };
}

/** Reads whose `period` is N dates. */
function period(
  name: string,
  targets: Question["targets"],
  pathOf: (asked: Asked) => string,
): Question {
  return { name, targets, request: (asked, days) => ["GET", `${pathOf(asked)}period=${days}d`] };
}

function post(
  name: string,
  targets: Question["targets"],
  path: string,
  bodyOf: (asked: Asked) => object,
): Question {
  return {
    name,
    targets,
    request: (asked, days) => [
      "POST",
      path,
      { project: asked.project.name, since: `${days - 1}d`, ...bodyOf(asked) },
    ],
  };
}

function query(name: string, targets: Question["targets"], body: object): Question {
  return {
    name,
    targets,
    request: ({ project }, days) => [
      "POST",
      "/query",
      { project: project.name, date_from: `${days - 1}d`, ...body },
    ],
  };
}

function funnelOf(name: string, body: object): Question {
  return post(name, funnel, "/funnel", () => body);
}

function changesOf(name: string, targets: Question["targets"], asked: string): Question {
  return period(name, targets, ({ project }) => `/changes?project=${project.name}${asked}&`);
}

function retentionBy(name: string, events: string): Question {
  return {
    name,
    targets: retention,
    request: ({ project }, days) => [
      "GET",
      `/retention?project=${project.name}&period=${cohorts[days].unit}&cohorts=${cohorts[days].count}${events}`,
    ],
  };
}
