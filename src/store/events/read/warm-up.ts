/*
 * Readers compile after their first read.
 * Decision: after its first read, a server whose events.db has 8 MB or more runs every vector function: the
 * reader for small reads over two small segments, the one for large reads over larger ones. Both pause while a
 * reader answers a read. The threads themselves start 0.1 s after the server, the second one from 8 MB on.
 * Because: the first read of each kind took 15 to 40 ms longer, because it waited for the compiler. Over segments
 * half as large, first reads of 10 million events took a twentieth more; a second time over the same gained nothing.
 * Cost: 1.0 to 1.2 s of a processor in all, and some 20 MB a reader, which a server with little data does
 * not pay, nor one without reads: so this does not begin at the start, and the very first read runs uncompiled.
 * Revisit: when compiled code can be kept in the executable.
 */

import { statSync } from "node:fs";
import { probabilitiesBest } from "../../../domain/best-variant";
import { type ChangeRequest, dimensionsDefault } from "../../../domain/changes/change-counts";
import type {
  CountRequest,
  EventsRequest,
  ExperimentRequest,
  FunnelRequest,
  PathsRequest,
  RetentionRequest,
  SessionsRequest,
} from "../../../domain/counting";
import { dayOf } from "../../../domain/event";
import type { Condition } from "../../../domain/filter";
import { type FilteredWindow, within } from "../../../domain/filter-items";
import { plainGoal } from "../../../domain/goal";
import { windowOf } from "../../../domain/period";
import type { TimeWindow } from "../../../domain/time-window";
import { dayMs } from "../../../lib/clock";
import { describeFault } from "../../../lib/fault";
import { log } from "../../../lib/log";
import type { Context } from "../filter/context";
import { changeCounts } from "../functions/change-counts";
import { countBy } from "../functions/count-by";
import { countByHour } from "../functions/count-by-hour";
import { eventsByDay } from "../functions/events-by-day";
import { experimentCounts } from "../functions/experiment-counts";
import { funnel } from "../functions/funnel";
import { newestEvents } from "../functions/newest-events";
import { newestKeys } from "../functions/newest-keys";
import { newestSessions } from "../functions/newest-sessions";
import { pageGroups } from "../functions/page-groups";
import { paths } from "../functions/paths";
import { retention } from "../functions/retention";
import { sessionGroups } from "../functions/session-groups";
import { textNumbers } from "../functions/text-numbers";
import { eventCount, uniqueUsers } from "../functions/totals";
import { idsOf } from "../questions/open-snapshot";
import type { Segment } from "../segment/segment";
import { openSnapshots } from "./snapshot";
import {
  forReads,
  PROPERTY_OF_MANY,
  type Reads,
  type StoredProperty,
  type StoredSegment,
} from "./warm-up-segments";

/** A server whose file is smaller runs no warm-up, as compiled code takes memory. */
const warmedBytesMin = 8 * 1024 * 1024;
/** After this time the reads that came together with the first one, such as those of a page, are running. */
export const warmUpDelayMs = 100;
const cacheBytes = 64 * 1024 * 1024;
const collectionsAfterMs = [0, 500];
/**
 * While a read runs, the warm-up pauses, and checks this often whether the read has ended. It leaves the cores to the
 * reads that follow, such as those of a page.
 */
const usualRestMs = 200;

const hasPath: Condition = { field: "properties.path", op: "prefix", value: "" };
const isEvent: Condition = { field: "event", op: "neq", value: "purchase" };
const ofNobody: Condition = { field: "user_id", op: "eq", value: "" };
const inNoSession: Condition = { field: "session_id", op: "eq", value: "-" };
const fromSearch: Condition = { field: "session.channel", op: "eq", value: "Organic Search" };
const both = ["event_count", "unique_users"] as const;

const ofValues = { metrics: both, limit: 5, skip_null: true } as const;
const counts: readonly CountRequest[] = [
  { group_by: ["event"], metrics: both, limit: 20 },
  { group_by: ["event"], metrics: ["event_count"], count_mode: "session_then_user" },
  { group_by: ["event"], metrics: ["bounce_rate", "avg_duration"] },
  { group_by: ["event"], metrics: [...both, "first_day", "last_day"] },
  { group_by: ["event", "country"], metrics: both, filters: [hasPath] },
  { ...ofValues, group_by: ["properties.path"] },
  { ...ofValues, group_by: ["properties.path"], filters: [isEvent] },
  { group_by: ["user_id"], metrics: ["event_count"], limit: 20 },
  { group_by: ["session_id"], metrics: ["event_count"], limit: 20 },
  { group_by: ["weekday_hour"], metrics: both },
];

const countsOfSessions = (["source", "entry_page"] as const).map(
  (field): CountRequest => ({
    group_by: [`session.${field}`],
    metrics: ["session_count", "bounce_rate", "conversions"],
    goal: plainGoal("purchase"),
    limit: 20,
  }),
);

const events: EventsRequest = { project_id: "", filters: [], limit: 100, before: null };
const sessions: SessionsRequest = {
  ...{ project_id: "", user_id: null, session_id: null, is_bounce: null },
  ...{ limit: 100, before: null },
};
const steps = ["page_view", "purchase"].map((event) => ({ event, filters: [] }));
const ofUsers: FunnelRequest = { steps, window_ms: dayMs, count_by: "user_id", breakdown: null };
const experiment: ExperimentRequest = {
  experiment: "",
  variants: ["a"],
  goal: plainGoal("purchase"),
};
/** The input of a computation outside the vector functions that is slow before it is compiled. */
const examplesOfVariants = [
  { users: 100, conversions: 10 },
  { users: 100, conversions: 12 },
];
const ways: PathsRequest = {
  ...{ goal: plainGoal("purchase"), max_steps: 5, entry_limit: 10, path_limit: 5 },
  candidate_session_cap: null,
};

/** The property for segments of rows, which store no columns. */
const hasFew: StoredProperty = { name: "property.path" };

type Step = (context: Context, segments: readonly Segment[], window: FilteredWindow) => unknown;

/** Runs a step on the events for which conditions hold. */
const ofEvents =
  (conditions: readonly Condition[], step: Step): Step =>
  (context, segments, window) =>
    step(context, segments, { ...window, filters: within(conditions, window) });

const countingSteps: readonly Step[] = [
  (...all) => uniqueUsers(...all, []),
  (...all) => eventCount(...all, [hasPath]),
  ...counts.map(
    (request): Step =>
      (context, segments, window) =>
        countBy(context, segments, window, request, () => segments),
  ),
  (...all) => countByHour(...all),
  ...(["all", "duration"] as const).map(
    (by): Step =>
      (...all) =>
        sessionGroups(...all, by),
  ),
  ...[isEvent, fromSearch].flatMap((condition) => [
    ofEvents([condition], (...all) => uniqueUsers(...all, [])),
    ofEvents([condition], (...all) => countBy(...all, counts[0], () => all[1])),
    ofEvents([condition], (...all) => sessionGroups(...all, "all")),
  ]),
  ...countsOfSessions.flatMap((request) =>
    [[], [fromSearch]].map((conditions) =>
      ofEvents(conditions, (...all) => countBy(...all, request, () => all[1])),
    ),
  ),
];

/** Counts a property with many values, so that the code that enlarges a table of texts runs, too. */
const countOfMany =
  (name: string): Step =>
  (...all) =>
    countBy(
      ...all,
      { ...ofValues, group_by: [`properties.${name.slice("property.".length)}`] },
      () => all[1],
    );

function stepsOf({ fromMs, toMs }: TimeWindow, property: string): readonly Step[] {
  const [firstDay, lastDay] = [dayOf(fromMs), dayOf(toMs)];
  const periods = [
    { from: firstDay - 1, to: firstDay },
    { from: firstDay + 1, to: lastDay + 1 },
  ].map(windowOf);
  const cohorts: RetentionRequest = { periods, event: null, returning_event: null };
  const changes: Omit<ChangeRequest, "metric"> = {
    dimensions: dimensionsDefault,
    current: { from: lastDay, to: lastDay },
    previous: { from: firstDay, to: firstDay },
    reference: { from: firstDay, to: lastDay },
  };
  return [
    ...countingSteps,
    countOfMany(property),
    ...[[], [ofNobody], [inNoSession]].map(
      (filters): Step =>
        (...all) =>
          newestEvents(...all, { ...events, filters }),
    ),
    (...all) => newestKeys(...all, { sample: 1_000, by_event: false, limit: 100 }),
    (...all) => pageGroups(...all, { pages: ["entry_page"], limit: 20 }),
    (...all) => newestSessions(...all, sessions),
    (...all) => funnel(...all, ofUsers),
    (...all) => funnel(...all, { ...ofUsers, count_by: "session_id" }),
    (context, segments) => retention(context, segments, cohorts),
    (context, segments) => retention(context, segments, { ...cohorts, event: "page_view" }),
    (...all) => experimentCounts(...all, experiment),
    (...all) => eventsByDay(...all),
    (...all) => textNumbers(...all, [], "properties.path"),
    (...all) => paths(...all, ways),
    ...(["events", "sessions", "users"] as const).map(
      (metric): Step =>
        (context, segments, window) =>
          changeCounts(context, segments, () => segments, window, { ...changes, metric }),
    ),
  ];
}

export const isWorthWarming = (file: string): boolean => statSync(file).size >= warmedBytesMin;

export async function warmUp(file: string, reads: Reads, isReading: () => boolean): Promise<void> {
  await Bun.sleep(warmUpDelayMs);
  try {
    await askAll(file, reads, isReading);
    await collectGarbage();
  } catch (error) {
    // Reads still get their answers. If stored data is damaged, they report it.
    log("warn", "a reader was not warmed up; its first reads are slower", describeFault(error));
  }
}

/**
 * Collects twice, the second time in another turn, whose stack refers to fewer objects. Otherwise an idle server would
 * keep 10 to 30 MB for each reader.
 */
async function collectGarbage(): Promise<void> {
  for (const afterMs of collectionsAfterMs) {
    await Bun.sleep(afterMs);
    Bun.gc(true);
  }
}

/**
 * Runs one function at a time, so that a read that comes meanwhile waits for one function at most. While any thread
 * answers a read, it runs none. Returns the number of functions.
 */
export async function askAll(
  file: string,
  reads: Reads,
  isReading: () => boolean = () => false,
  restMs = usualRestMs,
): Promise<number> {
  let count = 0;
  // The warm-up has its own cache, as other reads cannot use its columns.
  const snapshots = openSnapshots(file, cacheBytes, () => false);
  const rowsOf = <Row>(statement: string, parameters: Record<string, string> = {}) =>
    snapshots.within(async (snapshot) => snapshot.rows<Row>(statement, parameters));
  try {
    for (const statement of forReads[reads]) {
      const rows = await rowsOf<StoredSegment>(statement);
      if (rows.length === 0) continue;
      probabilitiesBest(examplesOfVariants);
      // The window leaves out the earliest event, so that the code that cuts segments runs, too.
      const window = {
        fromMs: Math.min(...rows.map((row) => row.first_time)) + 1,
        toMs: Math.max(...rows.map((row) => row.last_time)) + 1,
      };
      const segments = JSON.stringify(idsOf(rows));
      const [property = hasFew] = await rowsOf<StoredProperty>(PROPERTY_OF_MANY, { segments });
      for (const step of stepsOf(window, property.name)) {
        do await Bun.sleep(isReading() ? restMs : 0);
        while (isReading());
        await snapshots.within(async ({ context }) => {
          step(context, context.segments(idsOf(rows)), window);
          context.endQuestion();
        });
        count++;
      }
    }
  } finally {
    snapshots.close();
  }
  return count;
}
