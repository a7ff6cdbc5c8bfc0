export type Ask = readonly [method: string, path: string, body?: unknown];
type AskOf = (project: string, days: number) => Ask;

const everything = ["event_count", "unique_users", "session_count", "bounce_rate", "avg_duration"];
const limit = 1_000;

const get =
  (path: string): AskOf =>
  (project, days) => ["GET", `${path}project=${project}&since=${days - 1}d`];
const query =
  (body: object): AskOf =>
  (project, days) => ["POST", "/query", { project, date_from: `${days - 1}d`, ...body }];
const funnel =
  (body: object): AskOf =>
  (project, days) => ["POST", "/funnel", { project, since: `${days - 1}d`, ...body }];
const having = (field: string) => query({ filters: [{ field, op: "contains", value: "9" }] });

/** What costs most of a project whose events have little in common. */
export const distinctAsks: readonly (readonly [name: string, ask: AskOf])[] = [
  ["/query refused", query({ filters: [{ field: "patth", op: "eq", value: "/" }] })],
  ["/query per event, all metrics", query({ group_by: ["event"], metrics: everything, limit })],
  ["/query per event and date", query({ group_by: ["event", "date"], limit })],
  ["/query per user, all metrics", query({ group_by: ["user_id"], metrics: everything, limit })],
  ["/query per session, sessions then users", query({ group_by: ["session_id"], limit })],
  [
    "/query per event, user and session",
    query({ group_by: ["event", "user_id", "session_id"], limit }),
  ],
  ["/query users that contain", having("user_id")],
  ["/query events that contain", having("event")],
  ["/query sessions that contain", having("session_id")],
  ["/query paths that contain", having("properties.path")],
  ["/properties/received of 10,000", get("/properties/received?sample=10000&limit=20000&")],
  ["/breakdown of a key that none has", get(`/breakdown?property=nowhere&limit=${limit}&`)],
  ["/breakdown path, 1,000 values", get(`/breakdown?property=path&limit=${limit}&`)],
  ["/pages, 1,000 of each", get(`/pages?type=both&limit=${limit}&`)],
  [
    "/funnel per path",
    funnel({ steps: ["page_view", "page_view"], breakdown: "path", breakdown_limit: 50 }),
  ],
  [
    "/funnel from some paths",
    funnel({
      steps: [
        { event: "page_view", filters: [{ property: "path", op: "contains", value: "9" }] },
        "page_view",
      ],
    }),
  ],
  [
    "/retention per day of page views",
    (project) => ["GET", `/retention?project=${project}&period=day&cohorts=30&event=page_view`],
  ],
];
