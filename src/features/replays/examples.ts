import type { Example } from "../../http/operation/operation-doc";

const replay = {
  id: "rpl_0000000000000001",
  project_id: "proj_0000000000000001",
  analytics_session_id: "s1",
  status: "complete",
  started_at: 1768391400000,
  ended_at: 1768392000000,
  last_event_at: 1768392000000,
  committed_bytes: 48210,
  event_count: 310,
  has_full_snapshot: true,
  stop_reason: "session_end",
  rage_clicks: 1,
  dead_clicks: 0,
  quick_backs: 0,
};
const input = { project: "shop" };
const params = { id: replay.id };

export const replaysExample: Example = {
  input: { ...input, sort: "rage_clicks", with: "rage_clicks" },
  answer: { project: "shop", replays: [replay], next_cursor: null },
};
export const replayExample: Example = { ...{ input: {}, params }, answer: replay };
export const timelineExample: Example = {
  ...{ input: {}, params },
  answer: {
    replay,
    entries: [
      { at_ms: 0, kind: "page", page: "/pricing" },
      { at_ms: 8200, kind: "rage_click", element: "button", label: "Buy", count: 4 },
      { at_ms: 600000, kind: "end" },
    ],
    truncated: false,
  },
};
export const replaySettingsExample: Example = {
  input,
  answer: {
    project: "shop",
    project_id: replay.project_id,
    enabled: true,
    start_mode: "after_consent",
    sample_rate: 1,
    mask_selectors: [".address"],
    block_selectors: [],
    retention_days: 30,
    snippet: `<script defer src="https://stats.example.com/replay.js" data-token="aat_${"0".repeat(48)}"></script>`,
    updated_at: "2026-01-14T12:00:00.000Z",
  },
};
export const replayUsageExample: Example = {
  input,
  answer: {
    project: "shop",
    month: "2026-01",
    replays: 12,
    stored_bytes: 578520,
    account: {
      replays: 12,
      stored_bytes: 578520,
      max_replays_per_month: 5000,
      max_stored_bytes: 10737418240,
    },
  },
};
