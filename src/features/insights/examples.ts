import type { Example } from "../../http/operation/operation-doc";

export const insightsExample: Example = {
  input: { project: "shop", period: "7d" },
  answer: {
    project: "shop",
    current_period: { from: "2026-01-08", to: "2026-01-14" },
    previous_period: { from: "2026-01-01", to: "2026-01-07" },
    metrics: {
      total_events: { current: 56, previous: 24, change: 32, change_pct: 133 },
      unique_users: { current: 6, previous: 6, change: 0, change_pct: 0 },
      total_sessions: { current: 28, previous: 12, change: 16, change_pct: 133 },
      bounce_rate: { current: 0.25, previous: 0.25, change: 0, change_pct: 0 },
      avg_duration: { current: 180000, previous: 180000, change: 0, change_pct: 0 },
      visitors: { current: 6, previous: 6, change: 0, change_pct: 0 },
    },
    trend: "growing",
  },
};
