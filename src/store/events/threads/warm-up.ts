import { statSync } from "node:fs";
import { probabilitiesBest } from "../../../domain/best-variant";
import type {
  CountRequest,
  EventsRequest,
  ExperimentRequest,
  FunnelRequest,
  KeysRequest,
  PagesRequest,
  PathsRequest,
  RetentionRequest,
  SessionsRequest,
} from "../../../domain/counting";
import { dayOf } from "../../../domain/event";
import type { Condition } from "../../../domain/filter";
import { windowOf } from "../../../domain/period";
import { dayMs } from "../../../lib/clock";
import { describeFault } from "../../../lib/fault";
import { log } from "../../../lib/log";
import type { Parameters, Read } from "../../port";
import { openSnapshots, type Snapshots } from "../snapshot";

/**
 * The first reads of a thread would be compiled while somebody waits for them, which takes 15 to 40 ms each. A server
 * that has something to read therefore asks itself, shortly after its start: every vector function, over a few segments
 * of what is stored. A server with little does not: what is compiled takes memory.
 */
export const warmedBytesMin = 8 * 1024 * 1024;
/** The server answers by then. */
export const warmUpDelayMs = 100;
/** Of a segment; the largest would keep a question waiting for too long. */
const warmedEventsMax = 131_072;
const cacheBytes = 64 * 1024 * 1024;

/** A few columns of the project with most events, and some segments of rows. */
const setsOf = (order: "asc" | "desc"): string => `
  select json_group_array(id) as segments, min(first_time) as first, max(last_time) as last from (
    select * from current_segment
    where encoding = 'columns' and event_count between 2048 and ${warmedEventsMax}
      and project_id = (select project_id from current_segment order by event_count desc limit 1)
    order by event_count ${order} limit 2)
  union all
  select json_group_array(id), min(first_time), max(last_time) from (
    select * from current_segment
    where encoding = 'rows' and project_id = (select max(project_id) from current_segment where encoding = 'rows')
    limit 4)`;
const forReads = {
  small: { sets: setsOf("asc"), rounds: 1 },
  /** What goes through much is worth to be compiled well. */
  all: { sets: setsOf("desc"), rounds: 2 },
};

/** Which reads a thread takes. */
export type Reads = keyof typeof forReads;

interface SegmentSet {
  readonly segments: string;
  readonly first: number | null;
  readonly last: number | null;
}

const hasPath: Condition = { field: "properties.path", op: "prefix", value: "" };
const isEvent: Condition = { field: "event", op: "neq", value: "purchase" };
const ofNobody: Condition = { field: "user_id", op: "eq", value: "" };
const inNoSession: Condition = { field: "session_id", op: "eq", value: "-" };
const both = ["event_count", "unique_users"] as const;

const counts: readonly CountRequest[] = [
  { group_by: ["event"], metrics: both, limit: 20 },
  { group_by: ["event"], metrics: ["event_count"], count_mode: "session_then_user" },
  { group_by: ["event"], metrics: ["bounce_rate", "avg_duration"] },
  { group_by: ["event"], metrics: [...both, "first_day", "last_day"] },
  { group_by: ["event", "country"], metrics: both, filters: [hasPath] },
  { group_by: ["properties.path"], metrics: both, limit: 5, skip_null: true },
  { group_by: ["properties.path"], metrics: both, filters: [isEvent], limit: 5, skip_null: true },
  { group_by: ["user_id"], metrics: ["event_count"], limit: 20 },
  { group_by: ["session_id"], metrics: ["event_count"], limit: 20 },
  { group_by: ["weekday_hour"], metrics: both },
];

const events: EventsRequest = { project_id: "", filters: [], limit: 100, before: null };
const sessions: SessionsRequest = {
  ...{ project_id: "", user_id: null, session_id: null, is_bounce: null },
  ...{ limit: 100, before: null },
};
const steps = ["page_view", "purchase"].map((event) => ({ event, filters: [] }));
const funnel: FunnelRequest = { steps, window_ms: dayMs, count_by: "user_id", breakdown: null };
const experiment: ExperimentRequest = { experiment: "", variants: ["a"], goal_event: "purchase" };
/** The one sum that a read makes beside its statement and that takes long before it is compiled. */
const examplesOfVariants = [
  { users: 100, conversions: 10 },
  { users: 100, conversions: 12 },
];
const paths: PathsRequest = {
  ...{ goal_event: "purchase", max_steps: 5, entry_limit: 10, path_limit: 5 },
  candidate_session_cap: 1_000,
};

type Step = readonly [statement: string, request: unknown];

function stepsOver(fromMs: number, toMs: number): Step[] {
  const [firstDay, lastDay] = [dayOf(fromMs), dayOf(toMs)];
  const periods = [
    { from: firstDay - 1, to: firstDay },
    { from: firstDay + 1, to: lastDay + 1 },
  ].map(windowOf);
  const retention: RetentionRequest = { periods, event: null, returning_event: null };
  const keys: KeysRequest = { sample: 1_000, by_event: false, limit: 100 };
  const pages: PagesRequest = { page: "entry_page", limit: 20 };
  const by = (dimension: string): Step => [
    `select session_groups(:segments, :from, :to, '${dimension}')`,
    null,
  ];
  const newest = (filters: readonly Condition[]): Step => [
    "select newest_events(:segments, :from, :to, :request)",
    { ...events, filters },
  ];
  return [
    ["select unique_users(:segments, :from, :to, '[]')", null],
    ["select event_count(:segments, :from, :to, :request)", [hasPath]],
    ...counts.map(
      (count): Step => ["select count_by(:segments, :from, :to, :request, :segments)", count],
    ),
    ["select count_by_hour(:segments, :from, :to)", null],
    ...[[], [ofNobody], [inNoSession]].map(newest),
    ["select newest_keys(:segments, :from, :to, :request)", keys],
    ...["all", "duration"].map(by),
    ["select page_groups(:segments, :from, :to, :request)", pages],
    ["select newest_sessions(:segments, :from, :to, :request)", sessions],
    ["select funnel(:segments, :from, :to, :request)", funnel],
    ["select funnel(:segments, :from, :to, :request)", { ...funnel, count_by: "session_id" }],
    ["select retention(:segments, :request)", retention],
    ["select retention(:segments, :request)", { ...retention, event: "page_view" }],
    ["select experiment_counts(:segments, :from, :to, :request)", experiment],
    ["select events_by_day(:segments, :from, :to)", null],
    ["select paths(:segments, :from, :to, :request)", paths],
  ];
}

export const isWorthWarming = (file: string): boolean => statSync(file).size >= warmedBytesMin;

export async function warmUp(file: string, reads: Reads): Promise<void> {
  await Bun.sleep(warmUpDelayMs);
  try {
    await askAll(file, reads);
  } catch (error) {
    // Reads are answered all the same. Whatever is wrong with what is stored, they will say it too.
    log("warn", "a reader was not warmed up; its first reads are slower", describeFault(error));
  }
}

/**
 * One statement at a time, so that a question that comes meanwhile waits for one of them at the most. Returns how many
 * there were.
 */
export async function askAll(file: string, reads: Reads): Promise<number> {
  const { sets, rounds } = forReads[reads];
  let asked = 0;
  // With a cache of its own: what is read for this is not kept for others.
  const snapshots = openSnapshots(file, cacheBytes, () => false);
  try {
    for (const { segments, first, last } of rowsOf<SegmentSet>(snapshots, sets, {})) {
      if (first === null || last === null) continue;
      probabilitiesBest(examplesOfVariants);
      const steps = Array.from({ length: rounds }, () => stepsOver(first, last)).flat();
      for (const [statement, request] of steps) {
        await Bun.sleep(0);
        // The earliest event is left out: what cuts segments is to be compiled too.
        const window = { from: first + 1, to: last + 1 };
        const all = { segments, ...window, request: JSON.stringify(request) };
        const named = Object.entries(all).filter(([name]) => statement.includes(`:${name}`));
        rowsOf(snapshots, statement, Object.fromEntries(named));
        asked++;
      }
    }
  } finally {
    snapshots.close();
  }
  return asked;
}

function rowsOf<Row>(snapshots: Snapshots, statement: string, parameters: Parameters): Row[] {
  let rows: Row[] = [];
  const read: Read<null, null> = {
    name: "warm-up",
    scope: () => ({ projectIds: [], fromMs: 0, toMs: 0 }),
    run: (snapshot) => {
      rows = snapshot.rows(statement, parameters);
      return null;
    },
  };
  snapshots.run(read, null);
  return rows;
}
