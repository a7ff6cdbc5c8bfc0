import { comparedWindow } from "../../domain/period";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { accountOperation, projectOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import { readableProjects } from "../../store/control/project-selector";
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
      summary: "Get bot traffic of a project",
      description:
        "Crawlers, AI agents, monitors and scripts that sent events, by category and name, with the dropped " +
        "events. No other read counts them.",
      tag: "Reads",
      example: botTrafficExample,
    },
    takes: BotTrafficQuery,
    returns: { 200: BotTrafficResponse },
    handle: ({ project, input, read }) => {
      const { limit = botTrafficLimitDefault } = input;
      const period = comparedWindow({ ...input, nowMs: clock.nowMs() });
      return read(botTrafficRead, { projectId: project.id, limit, ...period }, period.current);
    },
  });

const ofAccount = (deps: Deps) =>
  accountOperation("GET /account/bot-traffic", {
    access: free("account:read", "RD"),
    doc: {
      id: "getAccountBotTraffic",
      summary: "Get bot traffic of all projects",
      description:
        "Like GET /bot-traffic, for all projects of the account, with the most affected projects.",
      tag: "Reads",
      example: accountBotTrafficExample,
    },
    takes: AccountBotTrafficQuery,
    returns: { 200: AccountBotTrafficResponse },
    handle: ({ caller, input, read }) => {
      const { limit = botTrafficLimitDefault } = input;
      const projects = readableProjects(deps, caller).map(({ id, name }) => ({ id, name }));
      const period = comparedWindow({ ...input, nowMs: clock.nowMs() });
      return read(accountBotTrafficRead, { projects, limit, ...period }, period.current);
    },
  });
