import type { Example } from "../../http/operation/operation-doc";

export const sessionsExample: Example = {
  input: { project: "shop", limit: 2 },
  answer: {
    project: "shop",
    sessions: [
      {
        session_id: "s0-3",
        user_id: "u3",
        project_id: "proj_5wyabtth5tg8j9eo",
        start_time: 1768386060000,
        end_time: 1768386060000,
        duration: 0,
        entry_page: "/pricing",
        exit_page: "/pricing",
        event_count: 1,
        is_bounce: 1,
        date: "2026-01-14",
        replay_count: 0,
        has_replay: false,
        replays: [],
      },
      {
        session_id: "s0-2",
        user_id: "u2",
        project_id: "proj_5wyabtth5tg8j9eo",
        start_time: 1768385640000,
        end_time: 1768385820000,
        duration: 180000,
        entry_page: "/",
        exit_page: "/signup",
        event_count: 2,
        is_bounce: 0,
        date: "2026-01-14",
        replay_count: 0,
        has_replay: false,
        replays: [],
      },
    ],
    next_cursor: "WzIwNDYwLDIwNDY3LCJsODI3VjF4eDR5YTEiLDE3NjgzODU2NDAwMDAsInMwLTIiXQ",
  },
};
