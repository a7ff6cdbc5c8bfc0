import type { Example } from "../../http/operation/operation-doc";

export const propertiesExample: Example = {
  input: { project: "shop" },
  answer: {
    project: "shop",
    events: [
      {
        event: "page_view",
        count: 32,
        unique_users: 6,
        first_seen: "2026-01-07",
        last_seen: "2026-01-14",
      },
    ],
    property_keys: ["path", "plan"],
  },
};

export const receivedExample: Example = {
  input: { project: "shop", sample: 100 },
  answer: {
    project: "shop",
    since: "2026-01-07",
    sample_size: 100,
    properties: [{ key: "path", event: "page_view" }],
  },
};
