/**
 * The parts of the API's answers that the dashboard shows. Schemas that import the domain are not imported: the domain
 * would be checked with the compiler options of browsers. test/dashboard-answers.test.ts holds each type against its
 * schema.
 */
export interface Annotation {
  readonly id: string;
  readonly occurred_at: string;
  readonly title: string;
  readonly note?: string;
}
interface Glossary {
  readonly event_name: string;
  readonly term: string;
  readonly definition: string;
}
export interface Context {
  readonly goals: readonly string[];
  readonly activation_events: readonly string[];
  readonly glossary: readonly Glossary[];
  readonly annotations: readonly Annotation[];
}
export interface ContextAnswer {
  readonly project_context: Context & { readonly updated_at: number | null };
}
export interface WithContext {
  readonly project_context?: Context;
}

export type Cell = string | number | null;
export type Row = Readonly<Record<string, Cell>>;
export interface QueryAnswer extends WithContext {
  readonly period: { readonly from: string; readonly to: string };
  readonly metrics: readonly string[];
  readonly group_by: readonly string[];
  readonly rows: readonly Row[];
  readonly count: number;
  /** The number of groups, when not all of them are among the rows. */
  readonly groups_total?: number | undefined;
}
type ByMetric = Readonly<Record<string, number | null>>;
/** The answer with `compare`: beside each row, its numbers in the other period. */
export interface ComparedAnswer extends Omit<QueryAnswer, "rows"> {
  readonly previous_period: { readonly from: string; readonly to: string };
  readonly compared_until?: string | undefined;
  readonly rows: readonly Readonly<Record<string, Cell | ByMetric>>[];
}
export interface HistoryAnswer extends WithContext {
  readonly series: readonly {
    readonly bucket: string;
    readonly visitor_days: number | null;
    readonly visits: number | null;
    readonly page_views: number | null;
    readonly events: number | null;
    readonly bounces: number | null;
    readonly seconds: number | null;
  }[];
  readonly imports: readonly { readonly kind: string }[];
}
export interface BreakdownAnswer extends WithContext {
  readonly property: string;
  readonly values: readonly {
    readonly value: string;
    readonly count: number;
    readonly unique_users: number;
  }[];
  readonly total_events: number;
  readonly total_with_property: number;
}
export interface StatsAnswer extends WithContext {
  readonly timeSeries: readonly {
    readonly bucket: string;
    readonly unique_users: number;
    readonly total_events: number;
  }[];
}
export interface ChangedValue {
  readonly value: string | null;
  readonly current: number;
  readonly previous: number;
  readonly delta: number;
  readonly share_pct: number | null;
  readonly excess: number | null;
  readonly z: number;
}
export interface ChangesAnswer {
  readonly metric: "events" | "sessions" | "users" | "conversion";
  readonly current: { readonly from: string; readonly to: string; readonly value: number };
  readonly previous: { readonly from: string; readonly to: string; readonly value: number };
  readonly event: string | null;
  readonly goal?: { readonly id: string; readonly name: string };
  readonly reference: { readonly dates: number };
  /** The number of tests: one for each value with enough events, and one for the total. */
  readonly tested: number;
  readonly threshold: number | null;
  readonly total: {
    /** Null where a part of the period before is not stored: nothing is compared then. */
    readonly delta: number | null;
    readonly z: number | null;
    readonly significant: boolean | null;
  };
  readonly verdict: "too_little_history" | "noise" | "specific" | "broad";
  readonly needs: { readonly dates: number; readonly have: number } | null;
  readonly drivers: readonly (ChangedValue & { readonly dimension: string })[];
  readonly dimensions: readonly {
    readonly dimension: string;
    readonly values: readonly (ChangedValue & { readonly significant: boolean | null })[];
    readonly other: { readonly values: number; readonly delta: number };
  }[];
  readonly caveats: readonly string[];
  readonly warnings?: readonly { readonly message: string }[];
}
export interface PageRow {
  readonly page: string;
  readonly sessions: number;
  readonly bounces: number;
  readonly bounce_rate: number;
  readonly avg_duration: number;
  readonly avg_events: number;
}
export interface PagesAnswer {
  readonly entry_pages?: readonly PageRow[];
  readonly exit_pages?: readonly PageRow[];
}
export interface PropertiesAnswer {
  readonly events: readonly {
    readonly event: string;
    readonly count: number;
    readonly unique_users: number;
  }[];
  readonly property_keys: readonly string[];
}
export interface FunnelStep {
  readonly step: number;
  readonly event: string;
  readonly users: number;
  readonly conversion_from_previous: number;
  readonly drop_off_rate: number;
  readonly conversion_rates: { readonly from_previous: number; readonly from_start: number };
  readonly avg_time_to_next_ms: number | null;
  readonly raw_activity?: {
    readonly event_count: number;
    readonly unique_users: number;
    readonly sessions: number;
  };
}
export interface FunnelAnswer extends WithContext {
  readonly steps: readonly FunnelStep[];
  readonly steps_source: string;
  readonly overall_conversion_rate: number;
  readonly conversion_window_hours: number;
  readonly warnings: readonly string[];
  readonly caveats: readonly string[];
  readonly breakdowns?: readonly {
    readonly value: string | null;
    readonly steps: readonly Omit<FunnelStep, "raw_activity">[];
    readonly overall_conversion_rate: number;
  }[];
}
export interface LiveAnswer {
  readonly active_visitors: number;
  readonly active_sessions: number;
  readonly events_per_minute: number;
  readonly top_pages: readonly { readonly path: string; readonly visitors: number }[];
  readonly countries: readonly {
    readonly country: string;
    readonly visitors: number;
    readonly events: number;
  }[];
  readonly recent_events: readonly unknown[];
}
export interface Project {
  readonly id: string;
  readonly name: string;
  readonly project_token: string;
  readonly allowed_origins: string;
  readonly primary_domain: string;
  readonly timezone: string;
  readonly identify: "any" | "servers";
  readonly total_events: number;
}
interface Change {
  readonly current: number;
  readonly previous: number;
}
export interface BotsAnswer {
  readonly summary: { readonly automated_requests: Change; readonly dropped_events: Change };
  readonly categories: readonly {
    readonly category: string;
    readonly requests: number;
    readonly share_pct: number;
  }[];
  readonly actors: readonly {
    readonly actor: string;
    readonly operator: string | null;
    readonly category: string;
    readonly requests: number;
    readonly last_seen_at: number;
  }[];
  /** The known ones. */
  readonly operators: readonly {
    readonly operator: string;
    readonly requests: number;
    readonly last_seen_at: number;
  }[];
  readonly time_series: readonly { readonly date: string; readonly requests: number }[];
}
export interface SitesAnswer {
  readonly period: { readonly from: string; readonly to: string };
  readonly summary: {
    readonly total_projects: number;
    readonly active_projects: number;
    readonly total_events: Change;
  };
  readonly time_series: readonly { readonly date: string; readonly events: number }[];
  readonly projects: readonly {
    readonly id: string;
    readonly name: string;
    readonly events: number;
    readonly share_pct: number;
  }[];
  readonly remaining_projects: number;
}
export interface Experiment {
  readonly id: string;
  readonly name: string;
  readonly status: "active" | "paused" | "completed";
  readonly goal_event: string;
  readonly goal?: { readonly name: string };
  readonly winner: string | null;
  readonly created_at: string;
  readonly completed_at: string | null;
}
export interface ExperimentsAnswer {
  readonly experiments: readonly Experiment[];
}
export interface ExperimentAnswer extends Experiment {
  readonly results: {
    readonly variants: readonly {
      readonly key: string;
      readonly exposures: number;
      readonly unique_users: number;
      readonly conversions: number;
      readonly conversion_rate: number;
    }[];
    readonly probability_best: Readonly<Record<string, number>>;
    readonly lift: Readonly<Record<string, number>>;
    readonly sufficient_data: boolean;
    readonly recommendation: string;
    readonly recommendation_code: string;
  };
}
export interface ArrivalsAnswer {
  readonly first_event_at: number | null;
  readonly stored: number;
  readonly automated: readonly {
    readonly category: string;
    readonly actor: string;
    readonly requests: number;
    readonly remedy: string;
  }[];
  readonly refused_origins: readonly {
    readonly origin: string;
    readonly requests: number;
    readonly remedy: string;
  }[];
  readonly refused_events: readonly {
    readonly code: string;
    readonly field: string | null;
    readonly requests: number;
    readonly remedy: string;
  }[];
}
