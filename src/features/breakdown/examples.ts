import type { Example } from "../../http/operation/operation-doc";

export const breakdownExample: Example = {
  input: { project: "shop", property: "path", event: "page_view" },
  answer: {
    project: "shop",
    property: "path",
    event: "page_view",
    values: [
      { value: "/", count: 16, unique_users: 6 },
      { value: "/pricing", count: 16, unique_users: 6 },
    ],
    total_events: 32,
    total_with_property: 32,
  },
};
