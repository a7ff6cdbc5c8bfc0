import type { Example } from "../../http/operation/operation-doc";

export const queryExample: Example = {
  input: {
    project: "shop",
    metrics: ["session_count", "conversions", "conversion_rate"],
    group_by: ["properties.plan"],
    filters: [{ field: "event", op: "eq", value: "page_view" }],
    goal: { event: "signup" },
    date_from: "6d",
    compare: "previous",
    limit: 10,
  },
  answer: {
    project: "shop",
    period: { from: "2026-01-08", to: "2026-01-14" },
    previous_period: { from: "2026-01-01", to: "2026-01-07" },
    compared_until: "2026-01-14T12:00:00.000Z",
    metrics: ["session_count", "conversions", "conversion_rate"],
    group_by: ["properties.plan"],
    rows: [
      {
        "properties.plan": "free",
        session_count: 40,
        conversions: 6,
        conversion_rate: 0.15,
        previous: { session_count: 32, conversions: 4, conversion_rate: 0.125 },
        change_pct: { session_count: 25, conversions: 50, conversion_rate: 20 },
      },
      {
        "properties.plan": "pro",
        session_count: 9,
        conversions: 3,
        conversion_rate: 0.333,
        previous: { session_count: 0, conversions: 0, conversion_rate: 0 },
        change_pct: { session_count: null, conversions: null, conversion_rate: null },
      },
    ],
    count: 2,
    count_mode: "session_then_user",
  },
};
