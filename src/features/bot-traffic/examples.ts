import type { Example } from "../../http/operation/operation-doc";

export const botTrafficExample: Example = {
  input: { project: "shop", period: "7d" },
  answer: {
    project: "shop",
    scope: "project",
    period: {
      label: "7d",
      from: "2026-01-08",
      to: "2026-01-14",
      previous_from: "2026-01-01",
      previous_to: "2026-01-07",
    },
    summary: {
      automated_requests: { current: 0, previous: 0, change: 0, change_pct: 0 },
      dropped_events: { current: 0, previous: 0, change: 0, change_pct: 0 },
      last_seen_at: null,
    },
    categories: [],
    actors: [],
    operators: [],
    time_series: [{ date: "2026-01-08", requests: 0, dropped_events: 0 }],
  },
};

export const accountBotTrafficExample: Example = {
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
      automated_requests: { current: 0, previous: 0, change: 0, change_pct: 0 },
      dropped_events: { current: 0, previous: 0, change: 0, change_pct: 0 },
      last_seen_at: null,
      active_projects: 0,
      total_projects: 1,
    },
    categories: [],
    actors: [],
    operators: [],
    projects: [],
    remaining_projects: 0,
    time_series: [{ date: "2026-01-08", requests: 0, dropped_events: 0 }],
  },
};
