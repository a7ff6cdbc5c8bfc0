import type { Example } from "../../http/operation/operation-doc";

export const allSitesExample: Example = {
  input: { period: "7d" },
  answer: {
    scope: "account",
    period: {
      label: "7d",
      from: "2026-01-08",
      to: "2026-01-14",
      previous_from: "2026-01-01",
      previous_to: "2026-01-07",
    },
    summary: {
      total_projects: 1,
      active_projects: 1,
      total_events: { current: 56, previous: 24, change: 32, change_pct: 133 },
    },
    time_series: [{ date: "2026-01-08", events: 8 }],
    projects: [
      {
        id: "proj_5wyabtth5tg8j9eo",
        name: "shop",
        events: 56,
        share_pct: 100,
        last_active_date: "2026-01-14",
      },
    ],
    remaining_projects: 0,
  },
};
