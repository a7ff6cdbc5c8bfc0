import type { Example } from "../../http/operation/operation-doc";

export const pagesExample: Example = {
  input: { project: "shop", type: "entry" },
  answer: {
    project: "shop",
    entry_pages: [
      {
        page: "/",
        sessions: 16,
        bounces: 0,
        bounce_rate: 0,
        avg_duration: 270000,
        avg_events: 2.5,
      },
      {
        page: "/pricing",
        sessions: 16,
        bounces: 8,
        bounce_rate: 0.5,
        avg_duration: 90000,
        avg_events: 1.5,
      },
    ],
  },
};
