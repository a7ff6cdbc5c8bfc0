import type { Example } from "../../http/operation/operation-doc";

export const accountExample: Example = {
  input: {},
  answer: {
    id: "acc_0000000000000001",
    email: "owner@example.com",
    github_login: null,
    google_name: null,
    tier: "pro",
    complimentary: true,
    is_admin: true,
    created_at: "2026-01-07T12:00:00.000Z",
    projects_count: 1,
    tier_limits: {
      max_events_per_month: -1,
      max_projects: -1,
      max_reads_per_month: -1,
      retention_days: 365,
      rate_limit_rpm: 1000,
    },
    monthly_spend_cap_dollars: null,
    usage: { month: "2026-01", events: 64, reads: 3 },
    name: "owner@example.com",
    role: "owner",
    people: true,
    projects: null,
    two_factor: false,
    user: { id: "usr_0000000000000001", email: "owner@example.com" },
  },
};
