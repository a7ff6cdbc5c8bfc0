import type { Example } from "../../http/operation/operation-doc";

export const retentionExample: Example = {
  input: { project: "shop", period: "week", cohorts: 2 },
  answer: {
    project: "shop",
    period: "week",
    cohorts: [{ date: "2026-01-05", users: 6, retained: [6, 6], rates: [1, 1], complete: 1 }],
    average_rates: [1],
    users_analyzed: 6,
  },
};
