import type { Example } from "../../http/operation/operation-doc";

export const eventsExample: Example = {
  input: { project: "shop", event: "signup", limit: 2 },
  answer: {
    project: "shop",
    events: [
      {
        id: "01KEY610G002E0000001S1GHT1",
        project_id: "proj_5wyabtth5tg8j9eo",
        event: "signup",
        properties: { path: "/signup", plan: "free" },
        user_id: "u2",
        session_id: "s0-2",
        timestamp: 1768385820000,
        date: "2026-01-14",
        country: null,
      },
      {
        id: "01KEY610G002C0000001S1GHT1",
        project_id: "proj_5wyabtth5tg8j9eo",
        event: "signup",
        properties: { path: "/signup", plan: "pro" },
        user_id: "u1",
        session_id: "s0-1",
        timestamp: 1768385400000,
        date: "2026-01-14",
        country: null,
      },
    ],
    count: 2,
    next_cursor: "WzIwNDYwLDIwNDY3LCI0S19Hb1lFSzFma2oiLDE3NjgzODU0MDAwMDAsNzgwNTE0MDk5MjAwMDc2XQ",
  },
};
