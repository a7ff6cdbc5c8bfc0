import type { Example } from "../../http/operation/operation-doc";

export const goalsExample: Example = {
  input: { project: "shop" },
  answer: {
    project: "shop",
    goals: [
      {
        id: "goal_0000000000000001",
        project_id: "proj_0000000000000001",
        name: "Order",
        event: "purchase",
        page: null,
        filters: [],
        value: { property: "amount", currency: "EUR" },
        once_per: "order_id",
        created_at: "2026-01-14T12:00:00.000Z",
        updated_at: "2026-01-14T12:00:00.000Z",
      },
    ],
  },
};
