import type { Example } from "../../http/operation/operation-doc";

export const reportsExample: Example = {
  input: { project: "shop" },
  answer: {
    reports: [
      {
        id: "rep_0000000000000001",
        project: "proj_0000000000000001",
        every: "week",
        hour: 8,
        recipients: [
          { to: "usr_0000000000000001", state: "active" },
          { to: "ann@example.com", state: "pending" },
        ],
        next_at: "2026-01-19T08:00:00.000Z",
        last: {
          period: { from: "2026-01-05", to: "2026-01-11" },
          ...{ sent_at: "2026-01-12T08:00:12.000Z", sent: 1, failed: 0 },
        },
      },
    ],
    mail: true,
  },
};

const visitors = { current: 1_139, previous: 1_280, change_pct: -11 };
const ofPage = { value: "/pricing", count: 412, previous: 398 };

export const previewExample: Example = {
  input: { date: "2026-01-14" },
  answer: {
    subject: "shop: 2026-01-05 to 2026-01-11",
    text: "What changed\n------------\n\n1,139 visitors, 11 % fewer than the week before. …",
    html: "<!doctype html>…",
    data: {
      period: { from: "2026-01-05", to: "2026-01-11" },
      compared: { from: "2025-12-29", to: "2026-01-04" },
      sentences: [
        "1,139 visitors, 11 % fewer than the week before.",
        "Events fell from 9,200 to 8,100 (−12 %), more than they usually vary.",
        "Nearly all of it is Austria (−1,020 of −1,100).",
      ],
      numbers: {
        visitors,
        sessions: { current: 1_530, previous: 1_702, change_pct: -10 },
        page_views: { current: 5_204, previous: 5_890, change_pct: -12 },
        events: { current: 8_100, previous: 9_200, change_pct: -12 },
        bounce_rate: { current: 0.41, previous: 0.4, change_pct: 3 },
        avg_duration: { current: 95_000, previous: 98_000, change_pct: -3 },
      },
      goals: [
        {
          ...{ event: "order", current: 105, previous: 100, change_pct: 5 },
          conversion_rate: { current: 0.069, previous: 0.059, change_pct: 17 },
        },
      ],
      ...{ pages: [ofPage], sources: [], countries: [], events: [] },
      changes: {
        ...{ metric: "events", from: "2026-01-05", to: "2026-01-11" },
        ...{ current: 8_100, previous: 9_200, change_pct: -12, significant: true, needs: null },
        verdict: "specific",
        drivers: [
          {
            ...{ dimension: "country", value: "AT", current: 300, previous: 1_320, delta: -1_020 },
            ...{ share_pct: 92.7, excess: -862.2, z: -9.412, new: false, gone: false },
          },
        ],
      },
      ...{ annotations: [], alerts: [] },
      url: "https://stats.example.com/app/p/shop?period=2026-01-05..2026-01-11",
    },
  },
};
