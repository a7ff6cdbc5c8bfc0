import type { Example } from "../../http/operation/operation-doc";

const sums = {
  ...{ visitor_days: 120, visits: 140, page_views: 400, events: 430 },
  ...{ bounces: 60, seconds: 9_800 },
};

export const historyExample: Example = {
  input: { project: "shop", groupBy: "month", dimension: "page", limit: 1 },
  answer: {
    project: "shop",
    period: { from: "2024-11-01", to: "2024-12-31" },
    dimension: "page",
    seam: "2025-01-01",
    totals: { ...sums, days: 61 },
    series: [
      {
        bucket: "2024-11",
        visitor_days: 50,
        visits: 60,
        page_views: 170,
        events: 180,
        bounces: 25,
        seconds: 4_000,
        days: 30,
      },
      {
        bucket: "2024-12",
        visitor_days: 70,
        visits: 80,
        page_views: 230,
        events: 250,
        bounces: 35,
        seconds: 5_800,
        days: 31,
      },
    ],
    values: [
      {
        value: "/",
        visitor_days: 90,
        visits: 100,
        page_views: 210,
        events: 210,
        bounces: 50,
        seconds: 6_000,
      },
    ],
    imports: [
      { id: "imp_0000000000000001", kind: "plausible", from: "2024-11-01", to: "2024-12-31" },
    ],
  },
};
