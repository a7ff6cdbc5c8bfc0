/*
 * A large read is counted in parts.
 * Decision: a question about a window of many events is cut at midnights into parts of about as many events, one for
 * each reader; the thread of the read answers the newest part, others that do nothing else the rest, and what they find
 * is joined: sums are added up, users are sets until then, sessions belong to the part that they start in.
 * Because: the cores beside it are idle, and columns of a part are decoded and kept by one thread alone.
 * Cost: a fifth to two thirds more processor time, hence on an idle machine alone, and of four million events or more:
 * of three, first reads took a quarter less in one thread, and most others as long. Parts must be of the same data: a
 * helper whose snapshot is of another version of the project says so, and the reader counts that part itself, or all of
 * a funnel. Filters by what people did are not cut, nor is retention: its users are in several parts. What is asked
 * of the newest sessions alone is not cut either, and where a part has more values than are told to another thread, one
 * thread counts all. The parts of a funnel tell each other after each step what users and sessions did
 * (functions/funnel-parts.ts). A session with events in several is judged in each of them on all its events, and counts
 * for the first; with one helper, sessions are judged in parts of many events alone (part-filters.ts).
 * Revisit: when one of these is asked more than what is cut.
 */

import type { CountRequest, ExperimentRequest, SessionDimension } from "../../../domain/counting";
import type { Condition } from "../../../domain/filter";
import { eventsOf } from "../../../domain/goal";
import { sumsGoalEvents } from "../../../domain/metric";
import type { BucketUnit, Days } from "../../../domain/period";
import { isTimeGroup } from "../../../domain/time-groups";
import { isVisitorField } from "../../../domain/visitor-field";
import type { CountedRows, Snapshot, View } from "../../questions";
import { overviewOf } from "../../shared/overview";
import { isOneNumber } from "../functions/count-by";
import { JoinedGroups } from "../functions/count-parts";
import type { Counted } from "../functions/counted";
import { joinedCounts } from "../functions/experiment-counts";
import { counted } from "../functions/session-groups";
import { isOfWholeSessions, JoinedSessions } from "../functions/session-parts";
import { joinedRows } from "../questions/count-by";
import type { OpenSnapshot } from "../questions/open-snapshot";
import { AskedParts, allTold } from "./asked-parts";
import type { Helpers } from "./helpers";
import { joined, joinedSessions, sum } from "./joined";
import { conditionsWithin, filtersOf, requestWithin } from "./part-filters";
import { partedFunnel } from "./parted-funnel";
import { partedChanges, partedPages, partedPaths } from "./parted-sessions";
import type { PartInput } from "./parts";
import { type PartWindow, unitOf } from "./windows";

/** The same questions, of which some are answered in parts where that is worth it. */
export function partedQuestions(
  snapshot: OpenSnapshot,
  whole: Snapshot,
  helpers: Helpers,
): Snapshot {
  const parted = new Parted(snapshot, helpers);
  const questions: Snapshot = {
    ...whole,
    eventCount: async (view, conditions) =>
      (await parted.eventCount(view, conditions)) ?? whole.eventCount(view, conditions),
    totals: async (view) => (await parted.totals(view)) ?? whole.totals(view),
    timeSeries: async (view, days, unit) =>
      (await parted.timeSeries(view, days, unit)) ?? whole.timeSeries(view, days, unit),
    sessionGroups: async (view, by) =>
      (await parted.sessionGroups(view, by)) ?? whole.sessionGroups(view, by),
    changeCounts: async (view, request) =>
      (await partedChanges(parted.asked, view, request)) ?? whole.changeCounts(view, request),
    pageGroups: async (view, request) =>
      (await partedPages(parted.asked, view, request)) ?? whole.pageGroups(view, request),
    paths: async (view, request) =>
      (await partedPaths(parted.asked, view, request)) ?? whole.paths(view, request),
    countBy: async (view, request) =>
      (await parted.countBy(view, request)) ?? whole.countBy(view, request),
    experimentCounts: async (view, request) =>
      (await parted.experimentCounts(view, request)) ?? whole.experimentCounts(view, request),
    funnel: async (view, request) =>
      (await partedFunnel(snapshot, helpers, view, request)) ?? whole.funnel(view, request),
  };
  return { ...questions, overview: (view, request) => overviewOf(questions, view, request) };
}

/** Answers questions in parts; null for a question that is better answered as a whole. */
class Parted {
  readonly asked: AskedParts;
  /** What this thread has counted by for all dates: it has the columns, and a helper would decode them once more. */
  private readonly countedHere = new Set<string>();

  constructor(
    private readonly snapshot: OpenSnapshot,
    helpers: Helpers,
  ) {
    this.asked = new AskedParts(snapshot, helpers);
  }

  /** Counts events. Without conditions the numbers in segments suffice. */
  async eventCount(view: View, conditions: readonly Condition[]): Promise<number | null> {
    const isHere = conditions.some(({ field }) => this.countedHere.has(field));
    const isCut = conditions.length > 0 && !isHere;
    const windows = isCut ? this.asked.cut(view, "day", conditions) : null;
    if (windows === null) return null;
    const ask = (part: View): PartInput<"eventCount"> => [part, conditionsWithin(conditions, part)];
    return sum(await this.asked.each("eventCount", view, windows, ask));
  }

  async totals(view: View): Promise<Answer<"totals"> | null> {
    const windows = this.asked.cut(view);
    if (windows === null) return null;
    const found = await this.asked.each("totals", view, windows, (part) => [part]);
    const events = found.map((part) => part.events);
    return { unique_users: joined(found).count, total_events: sum(events) };
  }

  async timeSeries(
    view: View,
    days: Days,
    unit: BucketUnit | "hour",
  ): Promise<Answer<"timeSeries"> | null> {
    const windows = this.asked.cut(view, unit === "hour" ? "day" : unit);
    if (windows === null) return null;
    const within = ({ firstDay, endDay }: PartWindow): Days => ({
      ...days,
      from: Math.max(days.from, firstDay),
      to: Math.min(days.to, endDay - 1),
    });
    const found = await this.asked.each("timeSeries", view, windows, (part, window) => [
      part,
      within(window),
      unit,
    ]);
    return found.flat();
  }

  /** A session starts in one part; it is judged on all of its events there. */
  async sessionGroups(view: View, by: SessionDimension): Promise<Answer<"sessionGroups"> | null> {
    const { filters = [] } = view;
    const windows = this.asked.cut(view, "day", [], filters.length > 0);
    if (windows === null) return null;
    const found = await this.asked.each("sessionGroups", view, windows, (part) => [
      part,
      by,
      view.toMs,
    ]);
    return counted({ groups: joinedSessions(found), users: joined(found) });
  }

  async countBy<Request extends CountRequest>(
    view: View,
    request: Request,
  ): Promise<CountedRows<Request> | null> {
    if (isOneNumber(request)) {
      const events = await this.eventCount(view, request.filters ?? []);
      const one: Counted = { rows: [{ event_count: events }], groups_total: 1 };
      return events === null ? null : (one as CountedRows<Request>);
    }
    if (request.group_by.some(isVisitorField)) return null;
    // Sums of numbers with fractions depend on their order, which parts do not know of each other.
    const isOfSessions = isOfWholeSessions(request) && !sumsGoalEvents(request.metrics);
    if (!isOfSessions && !isCutCounting(request)) return null;
    const times = request.group_by.filter(isTimeGroup);
    const unit = times.length > 0 ? unitOf(times) : "day";
    const windows = this.asked.cut(view, unit, filtersOf(request), isOfSessions);
    if (windows === null) return null;
    if (isOfSessions)
      return this.unlessMany(view, request, () => this.countSessions(view, request, windows));
    if (times.length === 0)
      return this.unlessMany(view, request, () => this.countGroups(view, request, windows));
    const ask = (part: View): PartInput<"rows"> => [part, requestWithin(request, part)];
    return joinedRows(
      await this.asked.each("rows", view, windows, ask),
      request,
    ) as CountedRows<Request>;
  }
  private async unlessMany<Request extends CountRequest>(
    view: View,
    request: Request,
    count: () => Promise<CountedRows<Request> | null>,
  ): Promise<CountedRows<Request> | null> {
    const { group_by: groupBy, metrics, limit } = request;
    const key = JSON.stringify([view.projectId, groupBy, metrics, limit]);
    const found = await this.asked.unlessMany(key, count);
    if (found === null) for (const group of groupBy) this.countedHere.add(group);
    return found;
  }
  private async countSessions<Request extends CountRequest>(
    view: View,
    request: Request,
    windows: readonly PartWindow[],
  ): Promise<CountedRows<Request> | null> {
    const { fromMs } = view;
    const told = allTold(
      await this.asked.each("sessionsOfGroups", view, windows, (part) => {
        return [part, requestWithin(request, part), fromMs];
      }),
    );
    if (told === null) return null;
    const { context } = this.snapshot;
    try {
      return new JoinedSessions(told, request, context).rows() as CountedRows<Request>;
    } finally {
      context.endQuestion();
    }
  }
  /** The events of all groups, then the users of those that may be shown. */
  private async countGroups<Request extends CountRequest>(
    view: View,
    request: Request,
    windows: readonly PartWindow[],
  ): Promise<CountedRows<Request> | null> {
    const asked = (part: View): PartInput<"eventsOfGroups"> => [part, requestWithin(request, part)];
    const told = allTold(await this.asked.each("eventsOfGroups", view, windows, asked));
    if (told === null) return null;
    const { context } = this.snapshot;
    try {
      const groups = new JoinedGroups(told, request, context);
      const wanted = groups.wanted();
      if (wanted === null) return null;
      if (wanted.length > 0) {
        const ask = (part: View): PartInput<"usersOfGroups"> => {
          return [part, requestWithin(request, part), wanted];
        };
        groups.addUsers(await this.asked.each("usersOfGroups", view, windows, ask));
      }
      return groups.rows() as CountedRows<Request>;
    } finally {
      context.endQuestion();
    }
  }

  async experimentCounts(
    view: View,
    request: ExperimentRequest,
  ): Promise<Answer<"experimentCounts"> | null> {
    const windows = this.asked.cut(view, "day", eventsOf(request.goal));
    if (windows === null) return null;
    return joinedCounts(
      await this.asked.each("experiment", view, windows, (part) => [part, request]),
      this.snapshot.context,
    );
  }
}

type Answer<Name extends keyof Snapshot> = Awaited<ReturnType<Snapshot[Name]>>;

const metricsInParts: ReadonlySet<string> = new Set(["event_count", "unique_users"]);
const groupsInParts = /^(event|country|properties\..*)$/s;

function isCutCounting({ group_by: groupBy, metrics, count_mode: mode = "raw" }: CountRequest) {
  const groups = groupBy.filter((name) => !isTimeGroup(name));
  return (
    mode === "raw" &&
    metrics.every((metric) => metricsInParts.has(metric)) &&
    groups.every((name) => groupsInParts.test(name))
  );
}
