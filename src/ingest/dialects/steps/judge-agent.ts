import { automatedBy } from "../../bots";
import type { Draft } from "../../foreign/draft";
import type { ItemContext } from "./context";

/**
 * Finds the agent of an item and judges it. A browser's request speaks for itself; a server may name the agent of its
 * visitor. The country is that of the request's address, so it counts only where the request's own agent was judged.
 */
export function judgeAgent(draft: Draft, context: ItemContext): Draft {
  const { origin, requestAgent, judgesServers } = context;
  const isOfItem = origin === null && draft.item.agent !== null;
  if (origin === null && !isOfItem && !judgesServers) return draft;
  const agent = isOfItem ? draft.item.agent : requestAgent;
  const automated = draft.automated ?? automatedBy(agent);
  if (automated !== null || isOfItem) return { ...draft, agent, automated };
  return { ...draft, agent, country: context.country() };
}
