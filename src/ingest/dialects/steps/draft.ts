import type { Automated } from "../../bots";
import type { JsonObject } from "../../properties";
import type { ForeignEvent, ForeignIdentity } from "../dialect";

/** The place where an item happened, as properties. */
export interface Page {
  readonly facts: JsonObject;
  /** The host name without its port; empty where none is known. */
  readonly host: string;
}

/** An item on its way to a submission: each step adds what it finds. */
export interface Draft {
  readonly item: ForeignEvent | ForeignIdentity;
  /** The agent that was judged; null where none is. */
  readonly agent: string | null;
  readonly automated: Automated | null;
  readonly country: string | null;
  readonly page: Page;
  readonly properties: JsonObject | null;
  /** The id of a visitor without one; null where the item names its user, or where nobody needs it. */
  readonly visitor: string | null;
  readonly eventId: string | null;
}

/** What the steps may ask about a request and its sender. */
export interface ItemContext {
  /** The `Origin` header; null is a server. */
  readonly origin: string | null;
  /** The User-Agent of the request. */
  readonly requestAgent: string | null;
  /** Tells whether a server whose items name no agent is judged by its own. */
  readonly judgesServers: boolean;
  /** The country of the request's address. */
  country(): string | null;
  visitorId(agent: string, host: string, timeMs: number): string;
  readonly receivedAtMs: number;
}

export const draftOf = (item: ForeignEvent | ForeignIdentity): Draft => ({
  item,
  agent: null,
  automated: item.kind === "event" ? (item.automated ?? null) : null,
  country: null,
  page: noPlace,
  properties: null,
  visitor: null,
  eventId: null,
});
const noPlace: Page = { facts: {}, host: "" };
