import type { Example } from "../../http/operation/openapi";

export const queryExample: Example = {
  input: {
    project: "shop",
    metrics: ["event_count", "unique_users"],
    group_by: ["properties.plan"],
    filters: [{ field: "event", op: "eq", value: "signup" }],
    date_from: "7d",
    limit: 10,
  },
  answer: {
    project: "shop",
    period: { from: "2026-01-07", to: "2026-01-14" },
    metrics: ["event_count", "unique_users"],
    group_by: ["properties.plan"],
    rows: [
      { "properties.plan": "free", event_count: 16, unique_users: 6 },
      { "properties.plan": "pro", event_count: 8, unique_users: 6 },
    ],
    count: 2,
    count_mode: "session_then_user",
  },
};
