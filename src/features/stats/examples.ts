import type { Example } from "../../http/operation/operation-doc";

export const statsExample: Example = {
  input: { project: "shop", since: "7d" },
  answer: {
    project: "shop",
    period: { from: "2026-01-07", to: "2026-01-14", groupBy: "day" },
    totals: { unique_users: 6, total_events: 64, visitors: 6 },
    timeSeries: [{ bucket: "2026-01-07", unique_users: 4, total_events: 8 }],
    events: [{ event: "page_view", count: 32, unique_users: 6 }],
    sessions: {
      total_sessions: 32,
      bounce_rate: 0.25,
      avg_duration: 180000,
      pages_per_session: 1,
      sessions_per_user: 5.3,
    },
  },
};
