import type { Condition } from "./filter";
import type { FilterItem } from "./filter-items";
import type { Goal } from "./goal";
import type { CountMode, Metric, OrderDirection } from "./metric";
import type { SessionField } from "./session-field";
import type { ClockGroup, TimeGroup } from "./time-groups";
import type { TimeWindow } from "./time-window";
import type { UserField, VisitorField } from "./visitor-field";

/** What reads ask of the store: the shapes of the requests. How they are counted is the engine's concern. */

/**
 * The keys of groups. A date is `YYYY-MM-DD`, a week its Monday, a month `YYYY-MM`, an hour `YYYY-MM-DDTHH:00`; an
 * epoch hour is counted since 1970; a weekday hour is the weekday (0 = Sunday) × 24 plus the hour.
 */
export type CountGroup =
  | TimeGroup
  | ClockGroup
  | "event"
  | "country"
  | "user_id"
  | "session_id"
  | "epoch_hour"
  | "weekday_hour"
  | SessionField
  | UserField
  | `properties.${string}`;
/** Days are counted since 1970. */
type CountMetric = Metric | "first_day" | "last_day";

export interface CountRequest {
  readonly group_by: readonly CountGroup[];
  readonly metrics: readonly CountMetric[];
  /** Absent means raw. */
  readonly count_mode?: CountMode;
  readonly filters?: readonly Condition[];
  /** The goal that conversions reach. */
  readonly goal?: Goal;
  /** A metric, a member of group_by, or "labels" for those alone; default: the first metric. Ties: labels ascending. */
  readonly order_by?: string;
  readonly order?: OrderDirection;
  readonly limit?: number;
  /** More groups are refused with QUERY_FAILED, at `countGroupsMax` at the latest. */
  readonly groups_max?: number;
  /** Leaves out groups with a null label. */
  readonly skip_null?: boolean;
  /** Asks, without groups, for one row even when there is no event. */
  readonly always_one_row?: boolean;
  /** When several counts share a window, sessions are put together for all of it at once. Default: the count's own. */
  readonly sessions_within?: TimeWindow;
}

/** Place of an event in the order of (time, ticket), which no two events share. */
export interface EventPlace {
  readonly timeMs: number;
  readonly ticket: number;
}

export interface EventsRequest {
  /** The project id that every row shows. */
  readonly project_id: string;
  readonly filters: readonly Condition[];
  readonly limit: number;
  /** Only events older than this. */
  readonly before: EventPlace | null;
  /** The newest ones still, but printed from the oldest of them on. */
  readonly oldest_first?: boolean;
}

export interface KeysRequest {
  /** The number of the newest events with properties from which the keys are gathered. */
  readonly sample: number;
  /** Tells whether a key counts once for each event name that it came with, or once. */
  readonly by_event: boolean;
  /** Most frequent first, ties in order of code points. */
  readonly limit: number;
}
export interface FoundKeys {
  /** The keys in order of their texts. The event is "" where names were not asked for. */
  readonly pairs: readonly (readonly [key: string, event: string])[];
  /** Tells whether there are more. */
  readonly is_cut: boolean;
}

export interface SessionsRequest {
  readonly project_id: string;
  readonly user_id: string | null;
  readonly session_id: string | null;
  readonly is_bounce: 0 | 1 | null;
  readonly limit: number;
  /** Only sessions below this in the order of (start, id). */
  readonly before: { readonly startMs: number; readonly id: string } | null;
}

export type SessionDimension = "all" | "duration";

export interface PagesRequest {
  /** A list of each, in this order. */
  readonly pages: readonly ("entry_page" | "exit_page")[];
  /** The number of values, which are those with most sessions; ties are in order of code points. */
  readonly limit: number;
}

/** A field of the event with which an entity took step 1. */
export type BreakdownField = "country" | VisitorField | `properties.${string}`;

export interface FunnelRequest {
  readonly steps: readonly Goal[];
  readonly window_ms: number;
  readonly count_by: "user_id" | "session_id";
  readonly breakdown: BreakdownField | null;
}

export interface ExperimentRequest {
  /** Its name, as exposure events carry it. */
  readonly experiment: string;
  /** The keys of the variants. */
  readonly variants: readonly string[];
  readonly goal: Goal;
}

/** A breakdown of /retention: a field of visitors, or the country, with its value at the first appearance. */
export type AppearanceField = "country" | VisitorField;

export interface RetentionRequest {
  readonly periods: readonly { readonly fromMs: number; readonly toMs: number }[];
  readonly event: string | null;
  readonly returning_event: string | null;
  /** Filters that must hold for all events that are looked at. */
  readonly filters?: readonly FilterItem[];
  /** Absent for all users together. */
  readonly breakdown?: RetentionBreakdown | undefined;
}
export interface RetentionBreakdown {
  readonly field: AppearanceField;
  /** The zone of dates; absent for UTC. */
  readonly zone?: string | undefined;
  /** The most values. Those with most users come first; of equal ones null comes last. */
  readonly limit: number;
}

export interface PathsRequest {
  readonly goal: Goal;
  readonly max_steps: number;
  readonly entry_limit: number;
  readonly path_limit: number;
  /** The newest sessions that are walked; null for all. */
  readonly candidate_session_cap: number | null;
}
