import type { ChangeCounts, ChangeRequest } from "../domain/changes/change-counts";
import type {
  CountGroup,
  CountRequest,
  EventPlace,
  EventsRequest,
  ExperimentRequest,
  FoundKeys,
  FunnelRequest,
  KeysRequest,
  PagesRequest,
  PathsRequest,
  RetentionRequest,
  SessionDimension,
  SessionsRequest,
} from "../domain/counting";
import type { VariantCounts } from "../domain/experiment-results";
import type { Condition } from "../domain/filter";
import type { FilteredWindow } from "../domain/filter-items";
import type { Goal } from "../domain/goal";
import type { moneyMetrics } from "../domain/metric";
import type { Overview, OverviewRequest, TimeBucket, Totals } from "../domain/overview";
import type { BucketUnit, Days } from "../domain/period";
import type { PropertyField } from "../domain/property-field";
import type { ClockGroup, TimeGroup } from "../domain/time-groups";
import type { FlaggedRequest, FoundFlagged } from "../domain/trust/found";
import type {
  AutomatedActor,
  AutomatedRequest,
  AutomatedSums,
  AutomatedTotals,
} from "./automated-requests";
import type { RetentionResult } from "./cohorts";
import type { SoughtField } from "./shared/values-seen";

/**
 * The questions that reads ask of an engine, in the words of the product: one function each, with typed requests and
 * typed rows. An engine answers all of them; a read never knows how. What a project's retention hides is left out of
 * every answer.
 */

/**
 * A project, by its public id, within a half-open window in ms. With filters, events are those for which all hold, and
 * sessions those with such an event in the window; a session stays judged on all its events.
 */
export interface View extends FilteredWindow {
  readonly projectId: string;
}

/** One consistent view of the store, for the time of one read: what is committed meanwhile is not seen. */
export interface Snapshot {
  /** Events in the window for which all conditions hold. */
  eventCount(view: View, conditions: readonly Condition[]): Promise<number>;
  /** Visitors and events of the window. */
  totals(view: View): Promise<Totals>;
  /** Visitors and events per bucket, ascending; buckets without events are left out. */
  timeSeries(view: View, days: Days, unit: BucketUnit | "hour"): Promise<TimeBucket[]>;
  /** The totals of a window, its time series, and the events that happened most often. */
  overview(view: View, request: OverviewRequest): Promise<Overview>;
  /** Rows of groups and metrics, in the order that the request names and cut to its limit. */
  countBy<Request extends CountRequest>(
    view: View,
    request: Request,
  ): Promise<CountedRows<Request>>;
  /** Those of some values that an event of the view has, each once, in no order. */
  valuesSeen(view: View, field: SoughtField, values: readonly string[]): Promise<string[]>;
  /** Tells whether any event of the view has the property, null being none. */
  hasProperty(view: View, field: PropertyField): Promise<boolean>;
  /** Counts the events for which all conditions hold and whose property is a text in the form of a JSON number. */
  textNumbers(view: View, conditions: readonly Condition[], field: PropertyField): Promise<number>;
  /** Counts the events whose property is a JSON number. */
  numbers(view: View, conditions: readonly Condition[], field: PropertyField): Promise<number>;
  /**
   * `countBy` in two periods: rows of groups that either of them has, with the metrics of both. A side that has no such
   * group is an empty set. Dates, hours, weeks and months are paired by their place in the period, under the name that
   * they have in the first; order and limit go by its values.
   */
  countCompared<Request extends CountRequest>(
    current: ComparedPeriod,
    previous: ComparedPeriod,
    request: Request,
  ): Promise<ComparedRows<Request>>;
  /** What there is of each value of some dimensions in two periods, and on dates before. The view has all of them. */
  changeCounts(view: View, request: ChangeRequest): Promise<ChangeCounts>;
  /** Events per day of a window of whole days, ascending; days without events may be left out. */
  eventsByDay(view: View): Promise<DayCount[]>;
  /** The newest events, printed as the API shows them. */
  newestEvents(view: View, request: EventsRequest): Promise<EventsPage>;
  /** The property keys of the newest events that have properties, or which of them came with which event. */
  newestKeys(view: View, request: KeysRequest): Promise<FoundKeys>;
  /** The sessions that started in the window, newest first. */
  newestSessions(view: View, request: SessionsRequest): Promise<FoundSession[]>;
  /** Sums over the sessions that started in the window by entry or exit page: those with most sessions, in order. */
  pageGroups(view: View, request: PagesRequest): Promise<PageGroups[]>;
  /** Sums over the sessions that started in the window, in groups, in no order. */
  sessionGroups(view: View, by: SessionDimension): Promise<SessionGroup[]>;
  /** Tells how many entities reached which step, how long it took, and what else happened. */
  funnel(view: View, request: FunnelRequest): Promise<FunnelResult>;
  /** Users per period of first appearance, and how many of them were active in each later period. */
  retention(projectId: string, request: RetentionRequest): Promise<RetentionResult>;
  /** The ways of sessions from their entry page, merged into trees. */
  paths(view: View, request: PathsRequest): Promise<EntryPath[]>;
  /** Exposures, users and conversions, in the order of the request's variants. */
  experimentCounts(view: View, request: ExperimentRequest): Promise<VariantCounts[]>;
  /** Each of the ids that the project knows, by itself: when its events happened and what /identify told of it. */
  people(projectId: string, userIds: readonly string[]): Promise<KnownPerson[]>;
  /** The ids for which these stand in the project's events of today, each once. */
  mappedUsers(projectId: string, userIds: readonly string[]): Promise<string[]>;
  /** Returns the users that were named with an address, at most `limit`. */
  usersTold(scopes: readonly IdentityScope[], digest: string, limit: number): Promise<string[]>;
  /** Returns the users that were named together with a user by /identify of a member, at most `limit`. */
  usersNamedWith(scopes: readonly IdentityScope[], user: string, limit: number): Promise<string[]>;
  /** The digests of the addresses that a user was told with, at most `limit`. */
  digestsOf(scopes: readonly IdentityScope[], user: string, limit: number): Promise<string[]>;
  /** Automated requests in a window of dates: their sum, of zeros where there were none. */
  automatedTotals(asked: AutomatedRequest): Promise<AutomatedTotals>;
  /** Automated requests by category, most requests first, ties by events dropped, then by name. */
  automatedByCategory(asked: AutomatedRequest): Promise<(AutomatedSums & { category: string })[]>;
  /** Automated requests by actor, in the same order, cut to the limit. */
  automatedByActor(asked: AutomatedRequest, limit: number): Promise<AutomatedActor[]>;
  /** Automated requests by project id, in no order. */
  automatedByProject(asked: AutomatedRequest): Promise<(AutomatedSums & { project: string })[]>;
  /** Automated requests by date, in no order; dates without requests are left out. */
  automatedByDate(asked: AutomatedRequest): Promise<(AutomatedSums & { date: string })[]>;
  /** The texts of visitors that rules flag in the events of the window, by events, descending. */
  flaggedValues(view: View, request: FlaggedRequest): Promise<FoundFlagged>;
  /** Events that are stored and not hidden by retention. */
  storedEvents(projectId: string): Promise<StoredEventCounts>;
  /** Events received per date of receipt (`YYYY-MM-DD`), ascending; dates without events are left out. */
  receivedDays(projectId: string, fromDate: string, toDate: string): Promise<ReceivedDay[]>;
}

export interface DayCount {
  /** Since 1970-01-01. */
  readonly day: number;
  readonly events: number;
}

/** Labels by group: hours and weekdays are numbers, everything else is text, or null where there is none. */
type LabelOf<Group extends CountGroup> = Group extends ClockGroup | "epoch_hour" | "weekday_hour"
  ? number
  : Group extends "event" | TimeGroup
    ? string
    : string | number | null;
export type CountRow<Request extends CountRequest> = {
  readonly [Group in Request["group_by"][number]]: LabelOf<Group>;
} & {
  readonly [Metric in Request["metrics"][number]]: Metric extends
    | `${string}:${string}`
    | (typeof moneyMetrics)[number]
    ? number | null
    : number;
};

export interface CountedRows<Request extends CountRequest> {
  readonly rows: CountRow<Request>[];
  /** The number of groups, those included that the limit leaves out. */
  readonly groups_total: number;
}

/** One of two periods: the window may end earlier than its dates. */
export interface ComparedPeriod extends View {
  readonly days: Days;
  /** What conversions in it are of. */
  readonly goal?: Goal;
}
export interface ComparedRows<Request extends CountRequest> {
  /** The rows of both periods under the same labels. */
  readonly rows: Readonly<Record<"current" | "previous", CountRow<Request>>>[];
  readonly groups_total: number;
  /** Events before it are hidden; 0 until some were. */
  readonly retained_from_ms: number;
}

export interface EventsPage {
  readonly count: number;
  /** The place of the last event shown, where there are more. */
  readonly next: EventPlace | null;
  /** A list of EventRows as JSON: printed once, and passed on as it is. */
  readonly events: string;
}

/** A SessionRow of the API without what other tables know. */
export interface FoundSession {
  readonly session_id: string;
  readonly user_id: string | null;
  readonly project_id: string;
  readonly start_time: number;
  readonly end_time: number;
  readonly duration: number;
  readonly entry_page: string | null;
  readonly exit_page: string | null;
  readonly event_count: number;
  readonly is_bounce: 0 | 1;
  readonly date: string;
}
export interface PageGroup {
  readonly page: string;
  readonly sessions: number;
  readonly bounces: number;
  /** The duration of all sessions together, in ms. */
  readonly duration: number;
  readonly events: number;
}
export interface PageGroups {
  readonly rows: readonly PageGroup[];
  /** The number of pages, those included that the limit leaves out. */
  readonly groups_total: number;
}
export interface SessionGroup {
  /** The index of the duration bucket; null for `all`. */
  readonly label: number | null;
  readonly sessions: number;
  readonly bounces: number;
  /** The duration of all sessions together, in ms. */
  readonly duration: number;
  /** Counted only in groups. */
  readonly events: number;
  /** Counted only when there are no groups, as are distinct users. */
  readonly page_views: number;
  readonly users: number;
}
/** Entities that reached each step, and the sum of their gaps to the next one. */
export interface FunnelGroup {
  readonly value: string | null;
  readonly users: number[];
  readonly total_gap_ms: number[];
}
export interface StepActivity {
  readonly event_count: number;
  readonly unique_users: number;
  readonly sessions: number;
  readonly joinable_entities: number;
}
export interface FunnelResult {
  readonly activity: readonly StepActivity[];
  readonly overall: FunnelGroup;
  /** The groups by breakdown value, when one was asked for. */
  readonly groups: readonly FunnelGroup[];
}

/** One place on a session's way. End nodes carry the exit page. */
export interface PathNode {
  readonly type: "page" | "event" | "goal" | "truncated" | "drop_off";
  readonly value: string;
  readonly exit_page?: string | null;
}
export interface PathWeight {
  readonly sessions: number;
  readonly conversions: number;
  readonly conversion_rate: number;
}
export interface TreeNode extends PathNode, PathWeight {
  readonly children: readonly TreeNode[];
}
export interface ExitPage extends PathWeight {
  readonly exit_page: string;
  readonly drop_offs: number;
  readonly drop_off_rate: number;
}
export interface EntryPath extends PathWeight {
  readonly entry_page: string;
  readonly exit_pages: ExitPage[];
  readonly tree: TreeNode[];
}

export interface KnownPerson {
  readonly user_id: string;
  readonly first_seen: number | null;
  readonly last_seen: number | null;
  readonly traits: Readonly<Record<string, unknown>>;
}

/** A scope in which identities were named: a project itself, or one of its memberships of a portfolio. */
export interface IdentityScope {
  readonly projectId: string;
  /** The membership; null is the project's own scope. */
  readonly membership: string | null;
}

export interface StoredEventCounts {
  readonly total_events: number;
  /** Unix ms of the earliest and of the latest one, by their own time. */
  readonly first_event_at: number | null;
  readonly last_event_at: number | null;
  /** Unix ms of the earliest one that the project's clients sent, and no import stored. */
  readonly first_own_at: number | null;
  /** Events before it are hidden; 0 until some were. */
  readonly retained_from_ms: number;
}
export type ReceivedDay = Readonly<{ date: string; event_count: number }>;
