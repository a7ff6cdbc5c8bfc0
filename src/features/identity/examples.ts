import type { Example } from "../../http/operation/operation-doc";

const pageView = {
  id: "01KEY610G002B0000001S1GHT1",
  project_id: "proj_5wyabtth5tg8j9eo",
  event: "page_view",
  properties: { path: "/pricing", plan: "pro" },
  user_id: "u1",
  session_id: "s0-1",
  timestamp: 1768385220000,
  date: "2026-01-14",
  country: null,
};
const signUp = {
  id: "01KEY610G002C0000001S1GHT1",
  project_id: "proj_5wyabtth5tg8j9eo",
  event: "signup",
  properties: { path: "/signup", plan: "pro" },
  user_id: "u1",
  session_id: "s0-1",
  timestamp: 1768385400000,
  date: "2026-01-14",
  country: null,
};

export const eventsLookupExample: Example = {
  input: { project: "shop", user_id: "u1", limit: 2 },
  answer: {
    project: "shop",
    user_id: "u1",
    matched_user_ids: ["u1"],
    events: [signUp, pageView],
    count: 2,
  },
};

export const journeyExample: Example = {
  input: { project: "shop", user_id: "u1", limit: 2 },
  answer: {
    project: "shop",
    user_id: "u1",
    matched_user_ids: ["u1"],
    events: [pageView, signUp],
    count: 2,
    profiles: [
      {
        user_id: "u1",
        project: "shop",
        project_id: "proj_5wyabtth5tg8j9eo",
        traits: { plan: "pro" },
        first_seen: 1767780000000,
        last_seen: 1768385400000,
      },
    ],
  },
};
