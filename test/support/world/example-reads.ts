import { dayDimensions } from "../../../src/domain/day-row";
import type { AcceptedEvent } from "../../../src/domain/event";
import { plainGoal } from "../../../src/domain/goal";
import type { Group } from "../../../src/domain/metric";
import { type Days, datesOf, windowOf } from "../../../src/domain/period";
import { policyDefault } from "../../../src/domain/trust/flagged";
import { allSitesRead } from "../../../src/features/all-sites/read";
import { accountBotTrafficRead, botTrafficRead } from "../../../src/features/bot-traffic/read";
import { changesRead } from "../../../src/features/changes/changes";
import { eventsRead } from "../../../src/features/events/read";
import { experimentRead } from "../../../src/features/experiments/read";
import { funnelRead } from "../../../src/features/funnel/read";
import { historyRead } from "../../../src/features/history/read";
import { eventsLookupRead, journeyRead, ownEventsRead } from "../../../src/features/identity/read";
import { insightsRead } from "../../../src/features/insights/insights";
import { pagesRead } from "../../../src/features/pages/pages";
import { pathsRead } from "../../../src/features/paths/paths";
import { queryComparedRead } from "../../../src/features/query/compared";
import { queryGoalsRead } from "../../../src/features/query/goal-rows";
import { queryBatchRead, queryRead } from "../../../src/features/query/read";
import { sessionsAmongRead } from "../../../src/features/replays/filtered";
import { retentionRead } from "../../../src/features/retention/retention";
import { sessionsRead } from "../../../src/features/sessions/read";
import { statsRead } from "../../../src/features/stats/stats";
import { trustRead } from "../../../src/features/trust/read";
import { alertChangeRead, alertGoalRead, alertWindowsRead } from "../../../src/reads/alerts";
import { dayRowsRead } from "../../../src/reads/day-rows";
import { eventsBeforeRead } from "../../../src/reads/events-before";
import { openSessionsRead } from "../../../src/reads/open-sessions";
import { propertiesRead } from "../../../src/reads/properties";
import { reportRead } from "../../../src/reads/report";
import { usageRead } from "../../../src/reads/usage";
import type { Entry, IdentityEntry, Read } from "../../../src/store/port";
import type { Answering } from "../engine/driven";
import { dayMs, event, lastDays, noonMs, projectId } from "../engine/examples";
import { askedByExamples } from "./asked-by-examples";

/** Two projects of a portfolio with something of everything that is stored, and a question of each kind about them. */
export const shop = { projectId, project: "shop", membership: "mem_shop" };
export const blog = { projectId: "proj_example000000002", project: "blog", membership: "mem_blog" };

const addressDigest = "ab".repeat(32);
const dayCount = 3;
export const firstMs = noonMs - (dayCount - 1) * dayMs;
export const userIds = Array.from({ length: 9 }, (_, number) => `u${number}`);

/** What comes to be stored in the portfolio, day after day. */
export function entriesOfDay(day: number): Entry[] {
  const fromMs = firstMs + day * dayMs;
  return [shop, blog].flatMap((of): Entry[] => [
    { kind: "events", projectId: of.projectId, receivedAtMs: noonMs, events: eventsOf(fromMs) },
    identityOf(of, `before-${day}`, userIds[day], fromMs),
    {
      ...{ kind: "automated", projectId: of.projectId, date: "2026-01-14", category: "ai_agent" },
      ...{ actor: `agent ${day}`, requests: 3, droppedEvents: 2, lastSeenAtMs: fromMs },
    },
  ]);
}

export const identityOf = (
  of: typeof shop,
  previousId: string,
  userId: string,
  receivedAtMs: number,
): IdentityEntry => ({
  ...{ kind: "identity", projectId: of.projectId, receivedAtMs, previousId, userId },
  traits: { plan: "pro", previousId },
  membership: of.membership,
  emails: [
    { membership: null, digest: addressDigest },
    { membership: of.membership, digest: addressDigest },
  ],
});

/** Sessions go on from one day to the next. */
const eventsOf = (fromMs: number): AcceptedEvent[] =>
  Array.from({ length: 36 }, (_, index) =>
    event({
      name: index % 12 === 0 ? "$experiment_exposure" : index % 4 === 1 ? "buy" : "page_view",
      timeMs: fromMs + index * 60_000,
      userId: index % 10 === 9 ? `before-${index % 3}` : userIds[index % userIds.length],
      sessionId: `s${index % 7}`,
      country: "DE",
      properties: {
        ...{ path: `/${index % 5}`, plan: index % 2 === 0 ? "pro" : "free" },
        ...(index % 12 === 0 && { experiment: "hero", variant: index % 24 === 0 ? "a" : "b" }),
      },
    }),
  );

const days: Days = lastDays;
const lastDay: Days = { from: days.to, to: days.to };
const dayBefore: Days = { from: days.to - 1, to: days.to - 1 };
const inProject = { projectId, days };
const compared = { label: "1d", current: lastDay, previous: dayBefore, limit: 10 } as const;
const projects = [shop, blog].map((of) => ({ id: of.projectId, name: of.project }));
const person = { userId: "u1", emailDigests: [addressDigest], members: [shop, blog] };
const ofPerson = { project: projects[0], days, person, limit: 100 };
const page = { limit: 100, before: null, question: {} };
const selection = {
  metrics: ["event_count", "unique_users", "session_count", "bounce_rate"],
  groupBy: ["user_id"],
  countMode: "session_then_user",
  orderBy: "event_count",
  order: "desc",
} as const;
const isOfUsers = { field: "user_id", op: "prefix", value: "u" } as const;
const steps = ["page_view", "buy"].map((name) => ({ event: name, filters: [isOfUsers] }));
const experiment = {
  ...{ id: "exp_1", project_id: projectId, account_id: "acc_1", name: "hero", goal_event: "buy" },
  ...{ winner: null, created_at: "", updated_at: "", completed_at: null },
  status: "active" as const,
  variants: ["a", "b"].map((key) => ({ key, weight: 50 })),
};
const noSums = {
  ...{ visitor_days: null, visits: null, page_views: null, events: null, bounces: null },
  ...{ seconds: null, days: 0 },
};
const bounds = {
  ...{ goal: plainGoal("buy"), max_steps: 5, entry_limit: 10, path_limit: 5 },
  candidate_session_cap: null,
};

export interface ExampleRead {
  readonly name: string;
  /** Returns the answer as JSON. */
  ask(engine: Answering): Promise<string>;
}

const example = <Input, Output>(read: Read<Input, Output>, input: Input): ExampleRead => ({
  name: read.name,
  ask: async (engine) => JSON.stringify(await engine.read(read, input)),
});

const byExamples = await askedByExamples(projectId);

/** The list has at least one of each read that there is. */
export const exampleReads: readonly ExampleRead[] = [
  example(alertChangeRead, {
    ...{ projectId, date: lastDay, metric: "users", event: null, filters: [isOfUsers] },
  }),
  example(alertWindowsRead, {
    ...{ projectId, nowMs: noonMs },
    windows: [{ fromMs: firstMs, toMs: noonMs }],
  }),
  ...[lastDay, null].map((date) =>
    example(alertGoalRead, {
      ...{ projectId, date, event: "buy", filters: [isOfUsers] },
      ...{ toldFrom: 1, beforeMs: noonMs },
    }),
  ),
  example(reportRead, {
    ...{ projectId, every: "week", goals: ["buy"], filters: [isOfUsers], nowMs: noonMs },
    periods: { current: lastDay, previous: dayBefore },
  }),
  ...dayDimensions.map((dimension) =>
    example(dayRowsRead, { projectId, day: days.to, zone: undefined, dimension }),
  ),
  example(eventsBeforeRead, { projectId, beforeMs: noonMs }),
  example(historyRead, {
    ...{ days, dimension: "total", seam: null },
    found: { totals: noSums, series: [], imports: [], values: null },
  }),
  ...byExamples.map(([read, question]) => example(read, question as never)),
  example(statsRead, { ...inProject, groupBy: "day" }),
  example(statsRead, { ...inProject, groupBy: "hour" }),
  example(eventsRead, { ...inProject, conditions: [], ...page }),
  example(queryRead, { ...inProject, selection, filters: [], limit: 100 }),
  example(queryRead, {
    ...{ ...inProject, filters: [isOfUsers], limit: 100, person },
    selection: { ...selection, groupBy: ["session_id", "user_id"], countMode: "raw" },
  }),
  example(queryRead, {
    ...{ ...inProject, limit: 100, goal: { event: "buy", filters: [isOfUsers] } },
    selection: { ...selection, metrics: ["conversions", "conversion_rate"], groupBy: ["date"] },
  }),
  ...(["event", "date", "user_id"] as const).map((group) =>
    example(queryComparedRead, {
      ...{ projectId, days: lastDay, limit: 100, filters: [isOfUsers] },
      compare: { days: dayBefore, until: null },
      selection: { ...selection, groupBy: [group] },
    }),
  ),
  example(queryGoalsRead, { ...inProject, limit: 100, goals: [plainGoal("buy")] }),
  example(queryBatchRead, {
    questions: ["event", "user_id", "properties.plan"].map((group) => ({
      ...{ ...inProject, limit: 100 },
      selection: { ...selection, groupBy: [group as Group], countMode: "raw" as const },
    })),
  }),
  example(propertiesRead, inProject),
  example(sessionsRead, {
    ...{ ...inProject, userId: null, sessionId: null, isBounce: null, showsReplays: false },
    ...page,
  }),
  example(sessionsAmongRead, { ...inProject, sessionIds: ["s1", "s2", "s3"] }),
  example(pagesRead, { ...inProject, type: "both", limit: 10 }),
  ...(["events", "sessions", "users", "conversion"] as const).map((metric) =>
    example(changesRead, {
      ...{ projectId, metric, goal: metric === "conversion" ? plainGoal("buy") : null, limit: 10 },
      dimensions: ["event", "page", "source"],
      periods: { current: lastDay, previous: dayBefore, isUnfinished: true },
      days: lastDay,
    }),
  ),
  example(insightsRead, { projectId, days: lastDay, previous: dayBefore }),
  example(retentionRead, {
    ...{ projectId, period: "day", periods: [dayBefore, lastDay], days: lastDay },
    ...{ event: null, returningEvent: null, breakdown: null },
  }),
  ...(["user.first_source", "country"] as const).map((field) =>
    example(retentionRead, {
      ...{ projectId, period: "day", periods: [dayBefore, lastDay], days: lastDay },
      ...{ event: field === "country" ? "buy" : null, returningEvent: null },
      breakdown: { ...{ field, zone: undefined, limit: 8 }, beganAtMs: 0 },
    }),
  ),
  example(funnelRead, {
    ...{ ...inProject, steps: { source: "request.steps", steps }, countBy: "user_id" },
    ...{ windowHours: 24, breakdown: null, breakdownLimit: 10 },
  }),
  example(pathsRead, { ...inProject, request: bounds }),
  example(eventsLookupRead, { ...ofPerson, event: "buy" }),
  example(journeyRead, { ...ofPerson, event: null }),
  example(ownEventsRead, { projectId, userId: "u1" }),
  example(allSitesRead, { projects, ...compared }),
  example(botTrafficRead, { projectId, ...compared }),
  example(trustRead, { projectId, days, policy: policyDefault, limit: 20, show: true }),
  example(accountBotTrafficRead, { projects, ...compared }),
  example(experimentRead, {
    ...{ experiment, goal: plainGoal("buy"), window: windowOf(days), context: {} },
  }),
  example(openSessionsRead, { projectId, ...windowOf(days) }),
  example(usageRead, {
    projectIds: projects.map(({ id }) => id),
    fromDate: datesOf(days).from,
    toDate: datesOf(days).to,
  }),
];
