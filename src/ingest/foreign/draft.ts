import type { Automated } from "../bots";
import type { JsonObject } from "../properties";
import type { ForeignEvent, ForeignIdentity } from "./item";

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
