import type { Example } from "../../http/operation/operation-doc";

const shown = {
  id: "imp_0000000000000001",
  project: "shop",
  kind: "events",
  name: "2024.jsonl",
  state: "checked",
  ...{ size: 204800, received: 204800, progress: 1 },
  report: {
    format: "events",
    becomes: "events",
    rows: {
      ...{ stored: 812, duplicates: 4, overlap: 0, older: 0 },
      ...{ folded: 0, unsupported: 0, refused: 1 },
    },
    ...{ from: "2024-01-01", to: "2024-12-31", timezone: "UTC" },
    ...{ users: 201, sessions: 310, page_views: 640 },
    by_event: [{ event: "page_view", count: 640 }],
    by_day: [{ date: "2024-01-01", events: 3, page_views: 2, users: 1, sessions: 1 }],
    refusals: [{ code: "INVALID_TIMESTAMP", count: 1, lines: [17] }],
    differences: [
      {
        ...{ what: "duplicates", file: 4, stored: 0 },
        why: "The file has the same rows before, or the project has them already.",
      },
      {
        ...{ what: "refused", file: 1, stored: 0 },
        why: "These rows break a rule; `refusals` says which.",
      },
    ],
    ...{ hidden_days: 0, bytes_needed: 98304, caveats: [] },
  },
  ...{ created_at: 1768392000000, committed_at: null },
};

export const importExample: Example = {
  ...{ input: {}, params: { id: shown.id } },
  answer: shown,
};
export const importsExample: Example = {
  input: { project: "shop" },
  answer: { imports: [shown] },
};
