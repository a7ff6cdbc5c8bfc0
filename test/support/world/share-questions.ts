import type { Operation } from "../../../src/http/operation/operation";
import type { Json } from "../app/app";
import { operations } from "../app/operations";

export interface Asked {
  readonly name: string;
  readonly fields: Json;
  readonly accept?: string;
  /** What anybody is answered who asks it; 200 when absent. */
  readonly status?: number;
}

const since = "20d";
const ofTenant = { field: "properties.tenant", op: "eq", value: "a" };
const ofOther = { field: "properties.tenant", op: "eq", value: "b" };
const filters = [{ field: "session.entry_page", op: "prefix", value: "/a" }];
const did = [{ did: "buy", since: "19d" }];
const didNot = [{ did_not: "secret", filters: [ofOther] }];
const fieldsOfSessions = [
  ...["entry_page", "exit_page", "utm_source", "utm_medium", "utm_campaign", "utm_content"],
  ...["utm_term", "referrer", "source", "channel", "device", "browser", "os", "language"],
  "country",
].map((field) => `session.${field}`);
const metrics = [
  ...["event_count", "unique_users", "session_count", "bounce_rate", "avg_duration", "page_views"],
  ...["sum", "avg", "min", "max", "p50", "p75", "p95", "distinct"].map(
    (measure) => `${measure}:properties.amount`,
  ),
];
const goal = { event: "secret" };
const named = { goal: "Secret" };

const each = (name: string, all: readonly Json[]): Asked[] =>
  all.map((fields) => ({ name, fields }));

const queries: readonly Json[] = [
  ...["event", "date", "hour", "week", "month", "user_id", "session_id", "country"].map(
    (group): Json => ({ metrics, group_by: [group], date_from: since, limit: 1_000 }),
  ),
  ...fieldsOfSessions.map(
    (group): Json => ({ metrics, group_by: [group], date_from: since, order: "asc" }),
  ),
  ...["tenant", "path", "amount", "of_b"].map(
    (key): Json => ({ metrics, group_by: [`properties.${key}`], date_from: since }),
  ),
  ...["secret", "buy", "pay", "nothing"].map(
    (event): Json => ({
      metrics: ["conversions", "conversion_rate", "session_count"],
      ...{ goal: { event }, group_by: ["session.source"], date_from: since },
    }),
  ),
  { metrics: ["conversions"], goal: { ...goal, filters: [ofOther] }, date_from: since },
  { metrics: ["conversions"], goal: { ...goal, once_per: "amount" }, date_from: since },
  {
    metrics: ["conversions", "goal_events", "goal_users", "revenue", "average_value"],
    ...{ goal: { ...goal, value: { property: "amount" } }, date_from: since },
  },
  { metrics, once_per: "properties.amount", date_from: since },
  { goals: true, date_from: since },
  { goals: true, compare: "week", date_from: since },
  { metrics: ["conversions"], goal: named, group_by: ["session.source"], date_from: since },
  { metrics, compare: "week", group_by: ["date"], date_from: "6d", order_by: "page_views" },
  { metrics: ["conversions"], goal, compare: { date_from: "12d", date_to: "7d" }, date_from: "5d" },
  { metrics, count_mode: "raw", filters: did, date_from: since },
  { metrics, filters: didNot, date_from: since, date_to: "1d", tz: "Asia/Tokyo" },
  { metrics, filters: [ofOther], date_from: since },
  { metrics, filters: [{ session_did: "secret" }], date_from: since },
  { metrics, filters: [{ session_did_not: "buy", filters: [ofOther] }], date_from: since },
  { metrics, user_id: "u1", date_from: since },
  { metrics, email: "u1@example.com", date_from: since },
];

/** What shares are asked where more matters than the fields of every read. */
const listed: readonly Asked[] = [
  ...each("GET /stats", [
    ...["hour", "day", "week", "month"].map((groupBy): Json => ({ groupBy, since })),
    { since, until: "1d", filters, tz: "Asia/Tokyo", receipt: true },
    { since, filters: did },
    { since, context: false },
  ]),
  ...each("GET /properties/received", [
    { since, sample: 5, limit: 3, receipt: true },
    { since, until: "1d", tz: "Asia/Tokyo", context: false },
  ]),
  ...["tenant", "path", "of_b", "amount"].flatMap((property) =>
    each("GET /breakdown", [
      { property, since, receipt: true },
      { property, event: "secret", since, until: "1d", limit: 3, tz: "Asia/Tokyo" },
      { property, filters: did, since, context: false },
    ]),
  ),
  ...each("GET /bot-traffic", [
    { period: "30d", until: "1d", limit: 3, context: false, receipt: true },
    { since, until: "1d" },
  ]),
  ...each("GET /history", [
    { since, until: "1d", dimension: "page", groupBy: "week", limit: 3, context: false },
  ]),
  ...each("POST /query", queries),
  ...each("POST /query", [
    { queries: queries.slice(0, 10), context: false, receipt: true },
    { metrics, group_by: ["event"], date_from: since, receipt: true },
    { filters: [{ field: "event", op: "eq", value: "secret" }], date_from: since },
  ]),
  ...each("POST /paths", [{ goal_event: named, since: "30d" }]),
  ...each("POST /funnel", [{ steps: ["page_view", named], since }]),
  ...each("GET /changes", [{ metric: "conversion", goal: "Secret", period: "7d" }]),
  ...["secret", "buy", "pay"].flatMap((goal_event) =>
    each("POST /paths", [
      { goal_event, since: "30d", receipt: true },
      { goal_event, since: "30d", until: "1d", max_steps: 2, entry_limit: 2, path_limit: 2 },
      { goal_event, since: "30d", filters: did, tz: "Asia/Tokyo", context: false },
      { goal_event, since: "30d", candidate_session_cap: 100 },
    ]),
  ),
  ...["user_id", "session_id"].flatMap((count_by) =>
    each("POST /funnel", [
      { steps: ["page_view", "secret"], count_by, since, receipt: true },
      { steps: ["page_view", "buy", "pay"], count_by, since, breakdown: "path" },
      { steps: ["page_view", { event: "buy", filters: [ofTenant] }], count_by, since, filters },
      { steps: ["buy", "pay"], count_by, breakdown: "country", breakdown_limit: 2, since },
      { steps: ["buy", "pay"], count_by, conversion_window_hours: 24, since, until: "1d" },
      { from_context: true, count_by, tz: "Asia/Tokyo", context: false },
    ]),
  ),
  ...each("GET /insights", [
    { period: "7d", receipt: true },
    { period: "14d", until: "1d", filters, tz: "Asia/Tokyo", context: false },
  ]),
  ...["events", "sessions", "users", "conversion"].flatMap((metric) =>
    each("GET /changes", [
      { metric, event: "secret", period: "7d", receipt: true },
      { metric, event: "buy", since: "4d", until: "1d", limit: 5, tz: "Asia/Tokyo" },
      { metric, event: "page_view", filters: did, context: false },
      { metric, event: "page_view", dimensions: "page,source,event,properties.of_b,version" },
    ]),
  ),
  ...["entry", "exit", "both"].flatMap((type) =>
    each("GET /pages", [
      { type, since, receipt: true },
      { type, since, until: "1d", filters, limit: 2, tz: "Asia/Tokyo", context: false },
    ]),
  ),
  ...["day", "week", "month"].flatMap((period) =>
    each("GET /retention", [
      { period, receipt: true },
      { period, event: "secret", returning_event: "buy", cohorts: 4 },
      { period, event: "buy", filters: did, until: "1d", tz: "Asia/Tokyo", context: false },
      { period, since, returning_event: "secret", breakdown: "session.visitor" },
      { period, event: "buy", breakdown: "user.first_entry_page", breakdown_limit: 2 },
    ]),
  ),
  ...each("GET /events", [
    { since, limit: 1_000, receipt: true },
    { since, event: "secret" },
    { since, until: "1d", user_id: "u1", tz: "Asia/Tokyo", context: false },
    { since, session_id: "s1", filters },
    { since, limit: 3, cursor: "next" },
  ]),
  { name: "GET /events", fields: { since, email: "u1@example.com" }, status: 400 },
  {
    ...{ name: "POST /query", status: 400 },
    fields: { filters: [{ field: "of_b", op: "eq", value: 1 }] },
  },
  ...each("GET /sessions", [
    { since, limit: 1_000, receipt: true },
    { since, until: "1d", user_id: "u1", is_bounce: 1, tz: "Asia/Tokyo", context: false },
    { since, session_id: "s1" },
    { since, filters: did },
    { since, limit: 3, cursor: "next" },
  ]),
  ...each("GET /journey", [
    { user_id: "u1", since, until: "1d", limit: 9, tz: "UTC", context: false, receipt: true },
  ]),
  ...each("GET /live", [{ window: 300, tz: "UTC", context: false }]),
  ...each("GET /trust", [
    { since, until: "1d", limit: 9, show: true, tz: "UTC", context: false, receipt: true },
  ]),
  ...each("GET /replays", [
    {
      session_id: "s1",
      status: "recording",
      since,
      until: "1d",
      tz: "UTC",
      with: "rage_clicks",
      filters: did,
      limit: 9,
    },
  ]),
  ...each("GET /replays/{id}", [{}]),
  ...each("GET /replays/{id}/timeline", [{ after_ms: 0, limit: 9 }]),
  { name: "GET /replays", fields: { sort: "duration", cursor: "x" }, status: 400 },
  { name: "POST /replays/{id}/open", fields: {}, status: 409 },
  ...each("GET /projects/{id}", [{}]),
  ...each("GET /projects/{id}/usage", [{ days: 30 }]),
  ...each("GET /project-context", [{}]),
  ...each("GET /goals", [{}]),
  ...each("GET /experiments", [{ receipt: true }]),
  ...each("GET /experiments/{id}", [{ receipt: true }, { tz: "Asia/Tokyo", context: false }]),
  ...["GET /stats", "GET /history", "GET /pages", "GET /events", "GET /sessions"].map(
    (name): Asked => ({ name, fields: { since }, accept: "text/csv" }),
  ),
  { name: "GET /breakdown", fields: { since, property: "path" }, accept: "text/csv" },
  { name: "POST /query", fields: { group_by: ["event"], date_from: since }, accept: "text/csv" },
];

/** The fields that mean the same in every read, and whatever its example has. */
function askedByExample({ name, takes, csv, doc }: Operation): Asked[] {
  const { project: _, ...example } = doc.example?.input ?? {};
  const takesIt = ([field]: [string, unknown]): boolean => takes.properties?.[field] !== undefined;
  const of = (fields: Json): Json => ({
    ...example,
    ...Object.fromEntries(Object.entries(fields).filter(takesIt)),
  });
  const usual = { since, until: "1d", tz: "Asia/Tokyo", context: false };
  return [
    ...each(name, [
      { ...of({ since }), receipt: true },
      ...[filters, did, [ofOther]].map((some) => of({ ...usual, filters: some })),
    ]),
    ...(csv === undefined ? [] : [{ name, fields: of({ since }), accept: "text/csv" }]),
  ];
}

const isListed = new Set(listed.map(({ name }) => name));

/** Every operation that a share may ask, with each of its fields. */
export const askedOfShares: readonly Asked[] = [
  ...listed,
  ...operations
    .filter(({ name, shares }) => shares !== null && !isListed.has(name))
    .flatMap(askedByExample),
];
