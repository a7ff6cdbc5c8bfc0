import type { Example } from "../../http/operation/operation-doc";

export const viewsExample: Example = {
  input: { project: "shop" },
  answer: {
    project: "shop",
    views: [
      {
        id: "view_0000000000000001",
        project_id: "proj_0000000000000001",
        name: "Visitors from search",
        address: "/app/p/shop?since=30d",
        created_at: "2026-01-14T12:00:00.000Z",
        updated_at: "2026-01-14T12:00:00.000Z",
      },
    ],
  },
};
