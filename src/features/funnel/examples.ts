import type { Example } from "../../http/operation/operation-doc";

export const funnelExample: Example = {
  input: { project: "shop", steps: [{ event: "page_view" }, { event: "signup" }], since: "7d" },
  answer: {
    project: "shop",
    period: { from: "2026-01-07", to: "2026-01-14" },
    count_by: "user_id",
    conversion_window_hours: 168,
    steps_source: "request.steps",
    identity_basis: "resolved_user_id_or_user_id",
    steps: [
      {
        step: 1,
        event: "page_view",
        users: 6,
        strict_survivors: 6,
        conversion_rate: 1,
        conversion_from_previous: 1,
        drop_off_rate: 0,
        conversion_rates: { from_previous: 1, from_start: 1 },
        avg_time_to_next_ms: 43170000,
        raw_activity: { event_count: 32, unique_users: 6, sessions: 32 },
        joinable_entities: 6,
      },
      {
        step: 2,
        event: "signup",
        users: 6,
        strict_survivors: 6,
        conversion_rate: 1,
        conversion_from_previous: 1,
        drop_off_rate: 0,
        conversion_rates: { from_previous: 1, from_start: 1 },
        avg_time_to_next_ms: null,
        raw_activity: { event_count: 24, unique_users: 6, sessions: 24 },
        joinable_entities: 6,
      },
    ],
    overall_conversion_rate: 1,
    warnings: [],
    caveats: [
      "Events without a user_id are not part of the steps; raw_activity counts them.",
      "A step counts only within 168 hours of the first one.",
    ],
  },
};
