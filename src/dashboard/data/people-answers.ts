/** The parts of the API's answers about people, and what they did one by one, that the dashboard shows. */
export interface EventRow {
  readonly id: string;
  readonly event: string;
  readonly properties: Readonly<Record<string, unknown>> | null;
  readonly user_id: string | null;
  readonly session_id: string | null;
  readonly timestamp: number;
  readonly country: string | null;
}
export interface EventsAnswer {
  readonly events: readonly EventRow[];
  readonly next_cursor: string | null;
}
export interface SessionRow {
  readonly session_id: string;
  readonly user_id: string | null;
  readonly start_time: number;
  readonly duration: number;
  readonly entry_page: string | null;
  readonly exit_page: string | null;
  readonly event_count: number;
  readonly is_bounce: number;
  readonly replay_count: number;
}
export interface SessionsAnswer {
  readonly sessions: readonly SessionRow[];
  readonly next_cursor: string | null;
}
export interface DistributionAnswer {
  readonly distribution: readonly {
    readonly bucket: string;
    readonly sessions: number;
    readonly bounces: number;
    readonly pct: number;
  }[];
  readonly engaged_pct: number;
}
export interface JourneyAnswer {
  readonly matched_user_ids: readonly string[];
  readonly project: string;
  readonly events: readonly (EventRow & { readonly project_id: string })[];
  readonly profiles: readonly {
    readonly user_id: string;
    readonly project: string;
    readonly project_id: string;
    readonly traits: Readonly<Record<string, unknown>>;
    readonly first_seen: number | null;
    readonly last_seen: number | null;
  }[];
}
export interface ReplayRow {
  readonly id: string;
  readonly analytics_session_id: string;
  readonly status: string;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly last_event_at: number;
  readonly event_count: number;
  readonly has_full_snapshot: boolean;
  readonly rage_clicks: number | null;
  readonly dead_clicks: number | null;
  readonly quick_backs: number | null;
}
export interface ReplaysAnswer {
  readonly replays: readonly ReplayRow[];
  readonly next_cursor: string | null;
}

/** The numbers of things that an erasure would delete. */
export interface ErasurePreview {
  readonly ids: number;
  readonly events: number;
  readonly sessions: number;
  readonly replays: number;
  readonly confirm: string;
}
export interface Erasure {
  readonly id: string;
  readonly state: "running" | "done";
}
