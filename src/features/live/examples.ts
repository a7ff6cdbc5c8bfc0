import type { Example } from "../../http/operation/operation-doc";

export const liveExample: Example = {
  input: { project: "shop", window: 60 },
  answer: {
    project: "shop",
    window_seconds: 60,
    timestamp: 1768392000000,
    active_visitors: 6,
    active_sessions: 40,
    events_per_minute: 80,
    top_pages: [{ path: "/", visitors: 6 }],
    top_events: [{ event: "page_view", count: 40 }],
    countries: [],
    recent_events: [
      {
        id: "01KEY610G002F0000001S1GHT1",
        event: "page_view",
        properties: { path: "/pricing", plan: "pro" },
        user_id: "u3",
        session_id: "s0-3",
        timestamp: 1768386060000,
        country: null,
      },
    ],
  },
};
