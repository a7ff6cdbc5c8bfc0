import type { Example } from "../../http/operation/operation-doc";

const project = {
  id: "proj_0000000000000001",
  name: "shop",
  project_token: `aat_${"0".repeat(48)}`,
  allowed_origins: "https://shop.example.com",
  primary_domain: "https://shop.example.com",
  source_scan_id: null,
  replay_enabled: false,
  timezone: "UTC",
  identify: "any",
  fold: true,
  created_at: "2026-01-07T12:00:00.000Z",
  total_events: 64,
  total_reads: 3,
};
const retention = {
  retention_days: null,
  retention: {
    ...{ days: 365, from: "2025-01-15", next_run_at: "2026-01-15T03:00:00.000Z" },
    events_to_go: 0,
  },
  ...{ archive: false, archive_failing: false },
};
const params = { id: "shop" };

export const projectsExample: Example = {
  input: {},
  answer: { projects: [project], has_api_key: true, tier: "pro" },
};
export const projectExample: Example = {
  ...{ input: {}, params },
  answer: {
    ...project,
    ...retention,
    usage_today: { event_count: 8, read_count: 1 },
    first_event_at: 1767787200000,
    last_event_at: 1768392000000,
    retained_from: "2025-01-14",
    bytes: 5120,
    events_this_month: 64,
    budget: null,
  },
};
export const usageExample: Example = {
  ...{ input: { days: 2 }, params },
  answer: {
    project_id: project.id,
    usage: [
      { date: "2026-01-13", event_count: 0, read_count: 2 },
      { date: "2026-01-14", event_count: 8, read_count: 1 },
    ],
  },
};
