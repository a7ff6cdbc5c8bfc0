import type { Example } from "../../http/operation/operation-doc";

export const arrivalsExample: Example = {
  ...{ input: {}, params: { id: "shop" } },
  answer: {
    project_id: "proj_0000000000000001",
    first_event_at: null,
    last_event_at: null,
    stored: 0,
    automated: [],
    refused_origins: [
      {
        origin: "https://www.shop.example.com",
        requests: 3,
        last_seen_at: 1768392000000,
        remedy: "If this is your site, add it to the project's allowed origins.",
      },
    ],
    refused_events: [],
  },
};
