import type { Draft } from "../../foreign/draft";
import type { ItemContext } from "./context";

/** Names a visitor without an id by the keyed hash of what is known of the sender (visitor-ids.ts). */
export function nameVisitor(draft: Draft, context: ItemContext): Draft {
  const { item, automated, agent, page } = draft;
  const isNamed = item.kind === "event" ? item.userId !== null : item.previousId !== null;
  if (isNamed || automated !== null) return draft;
  const timeMs = item.time.timestamp ?? context.receivedAtMs;
  return { ...draft, visitor: context.visitorId(agent ?? "", page.host, timeMs) };
}
