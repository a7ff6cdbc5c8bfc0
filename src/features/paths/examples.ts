import type { Example } from "../../http/operation/operation-doc";

export const pathsExample: Example = {
  input: { project: "shop", goal_event: "purchase", max_steps: 3 },
  answer: {
    project: "shop",
    goal_event: "purchase",
    period: { from: "2025-12-15", to: "2026-01-14" },
    bounds: { max_steps: 3, entry_limit: 10, path_limit: 5, candidate_session_cap: null },
    entry_paths: [
      {
        entry_page: "/",
        sessions: 20,
        conversions: 10,
        conversion_rate: 0.5,
        exit_pages: [
          {
            exit_page: "/signup",
            sessions: 10,
            conversions: 0,
            conversion_rate: 0,
            drop_offs: 10,
            drop_off_rate: 1,
          },
          {
            exit_page: "/thanks",
            sessions: 10,
            conversions: 10,
            conversion_rate: 1,
            drop_offs: 0,
            drop_off_rate: 0,
          },
        ],
        tree: [
          {
            type: "event",
            value: "signup",
            sessions: 20,
            conversions: 10,
            conversion_rate: 0.5,
            children: [
              {
                type: "goal",
                value: "purchase",
                sessions: 10,
                conversions: 10,
                conversion_rate: 1,
                children: [],
              },
              {
                type: "drop_off",
                value: "/signup",
                sessions: 10,
                conversions: 0,
                conversion_rate: 0,
                children: [],
                exit_page: "/signup",
              },
            ],
          },
        ],
      },
      {
        entry_page: "/pricing",
        sessions: 20,
        conversions: 0,
        conversion_rate: 0,
        exit_pages: [
          {
            exit_page: "/pricing",
            sessions: 10,
            conversions: 0,
            conversion_rate: 0,
            drop_offs: 10,
            drop_off_rate: 1,
          },
          {
            exit_page: "/signup",
            sessions: 10,
            conversions: 0,
            conversion_rate: 0,
            drop_offs: 10,
            drop_off_rate: 1,
          },
        ],
        tree: [
          {
            type: "drop_off",
            value: "/pricing",
            sessions: 10,
            conversions: 0,
            conversion_rate: 0,
            children: [],
            exit_page: "/pricing",
          },
          {
            type: "event",
            value: "signup",
            sessions: 10,
            conversions: 0,
            conversion_rate: 0,
            children: [
              {
                type: "drop_off",
                value: "/signup",
                sessions: 10,
                conversions: 0,
                conversion_rate: 0,
                children: [],
                exit_page: "/signup",
              },
            ],
          },
        ],
      },
    ],
  },
};
