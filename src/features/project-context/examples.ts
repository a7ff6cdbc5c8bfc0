import type { Example } from "../../http/operation/operation-doc";

const context = {
  goals: ["Visitors sign up after reading about the prices."],
  activation_events: ["page_view", "signup"],
  glossary: [{ event_name: "signup", term: "Sign-up", definition: "An account was made." }],
};
const change = { occurred_at: "2026-01-10T09:00:00.000Z", title: "New prices" };
const answer = {
  project: "shop",
  project_id: "proj_0000000000000001",
  project_context: {
    ...context,
    annotations: [{ id: "ann_0000000000000001", ...change }],
    updated_at: 1768035600000,
  },
};

export const contextExample: Example = { input: { project: "shop" }, answer };
export const contextWriteExample: Example = {
  input: { project: "shop", ...context, annotations: [change] },
  answer: { ok: true, ...answer },
};
