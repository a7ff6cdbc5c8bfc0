import type { Example } from "../../http/operation/operation-doc";

export const portfolioContextExample: Example = {
  input: {},
  answer: {
    account_id: "acc_0000000000000001",
    portfolio_context: {
      goals: ["Readers of the blog become customers of the shop."],
      surface_roles: [{ project: "shop", role: "Where visitors buy." }],
      shared_milestones: ["First purchase"],
      glossary: [{ term: "Customer", definition: "Somebody who has bought something." }],
    },
  },
};
