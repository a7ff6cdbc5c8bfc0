import type { Example } from "../../http/operation/operation-doc";

const portfolio = {
  id: "pf_0000000000000001",
  account_id: "acc_0000000000000001",
  slug: "ours",
  name: "Ours",
  created_at: 1768392000000,
  updated_at: 1768392000000,
  members: [{ project_id: "proj_0000000000000001", project: "shop", added_at: 1768392000000 }],
};

export const portfoliosExample: Example = { input: {}, answer: { portfolios: [portfolio] } };
export const portfolioExample: Example = {
  ...{ input: {}, params: { idOrSlug: "ours" } },
  answer: portfolio,
};
