import { comparedDays, lastMoment } from "../../domain/period";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { accountOperation, projectOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import { accountBotTrafficExample, botTrafficExample } from "./examples";
import { accountBotTrafficRead, botTrafficRead } from "./read";
import {
  AccountBotTrafficQuery,
  AccountBotTrafficResponse,
  BotTrafficQuery,
  BotTrafficResponse,
  botTrafficLimitDefault,
} from "./schema";

export const botTrafficFeature = (deps: Deps): Feature => ({
  operations: [ofProject(), ofAccount(deps)],
});

const ofProject = () =>
  projectOperation("GET /bot-traffic", {
    access: free("analytics:read", "RD"),
    shares: { isUnfiltered: true },
    doc: {
      id: "getBotTraffic",
      summary: "Automated requests to a project",
      description:
        "Crawlers, AI agents, monitors and scripts that sent events. They are counted here and in no other " +
        "number, by category and by name, with the events that were dropped.",
      tag: "Reads",
      example: botTrafficExample,
    },
    takes: BotTrafficQuery,
    returns: { 200: BotTrafficResponse },
    handle: ({ project, input, read }) => {
      const { period: label = "7d", limit = botTrafficLimitDefault } = input;
      const days = comparedDays(label, lastMoment(input.until, clock.nowMs()));
      return read(botTrafficRead, { projectId: project.id, label, limit, ...days }, days.current);
    },
  });

const ofAccount = (deps: Deps) =>
  accountOperation("GET /account/bot-traffic", {
    access: free("account:read", "RD"),
    doc: {
      id: "getAccountBotTraffic",
      summary: "Automated requests to all projects",
      description:
        "The same over all live projects of the account, with the projects that got most.",
      tag: "Reads",
      example: accountBotTrafficExample,
    },
    takes: AccountBotTrafficQuery,
    returns: { 200: AccountBotTrafficResponse },
    handle: ({ caller, input, read }) => {
      const { period: label = "7d", limit = botTrafficLimitDefault } = input;
      const projects = deps.control.projects
        .ofAccount(caller.account.id)
        .map(({ id, name }) => ({ id, name }));
      const days = comparedDays(label, lastMoment(input.until, clock.nowMs()));
      return read(accountBotTrafficRead, { projects, label, limit, ...days }, days.current);
    },
  });
