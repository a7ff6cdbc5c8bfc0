import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { portfolioContextExample } from "./examples";
import {
  type PortfolioContext,
  PortfolioContextBody,
  PortfolioContextResponse,
  PortfolioContextStored,
} from "./schema";

/** The operations on the purpose of an account's projects, all together. */
export const portfolioContextFeature = (deps: Deps): Feature => ({
  operations: [getRoute(deps), putRoute(deps)],
});

const empty: PortfolioContext = {
  goals: [],
  surface_roles: [],
  shared_milestones: [],
  glossary: [],
};

const getRoute = (deps: Deps) =>
  accountOperation("GET /portfolio-context", {
    access: free("projects:read", "D"),
    doc: {
      id: "getPortfolioContext",
      summary: "Get the portfolio context",
      description:
        "Goals, the role of each site or app, milestones and shared terms. Read it before you compare projects.",
      tag: "Context",
      example: portfolioContextExample,
    },
    takes: nothing,
    returns: { 200: PortfolioContextResponse },
    handle: ({ caller: { account } }) => {
      const stored = deps.control.contexts.ofAccount(account.id);
      const portfolio_context: PortfolioContext = stored === undefined ? empty : JSON.parse(stored);
      return { account_id: account.id, portfolio_context };
    },
  });

const putRoute = (deps: Deps) =>
  accountOperation("PUT /portfolio-context", {
    access: free("projects:write", "", { isWhole: true }),
    doc: {
      id: "putPortfolioContext",
      summary: "Replace the portfolio context",
      description: "Replaces the whole context: an absent list becomes empty.",
      tag: "Context",
      errors: ["UNAVAILABLE"],
    },
    takes: PortfolioContextBody,
    returns: { 200: PortfolioContextStored },
    handle: ({ caller: { account }, input }) => {
      const portfolio_context = { ...empty, ...input };
      deps.control.write(() =>
        deps.control.contexts.putOfAccount(account.id, JSON.stringify(portfolio_context)),
      );
      return { ok: true, account_id: account.id, portfolio_context };
    },
  });
