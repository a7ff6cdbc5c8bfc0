import type { Automated } from "../bots";
import type { JsonObject } from "../properties";

/** A message of another product, in terms that all products share. */
export interface ForeignEvent {
  readonly kind: "event";
  readonly name: string;
  readonly page: ForeignPage;
  /** The properties that the dialect names itself, such as `title`. Null and empty texts count as absent. */
  readonly facts: JsonObject;
  /** The properties that the sender chose. */
  readonly own: JsonObject;
  /** The agent that the item names; it counts where no browser sends. */
  readonly agent: string | null;
  /** The program that the item says was its sender. */
  readonly automated?: Automated | null;
  /** Null is a visitor without an id. */
  readonly userId: string | null;
  /** The session that the sender names, or how it is found: by the time between events, or a new one. */
  readonly session: { readonly id: string | null } | "by time" | "new";
  readonly time: ForeignTime;
  /** The foreign id, whatever its form. */
  readonly eventId: string | null;
}

export interface ForeignIdentity {
  readonly kind: "identity";
  /** Null is a visitor without an id. */
  readonly previousId: string | null;
  readonly userId: string | null;
  readonly traits: JsonObject | null;
  readonly page: ForeignPage;
  readonly agent: string | null;
  readonly time: ForeignTime;
}

/** Traits without what belongs to the sender's product; null where nothing is left. */
export function traitsIn(...sent: readonly (JsonObject | null)[]): JsonObject | null {
  const traits: JsonObject = {};
  for (const one of sent) {
    for (const [key, value] of Object.entries(one ?? {})) {
      if (!key.startsWith("$") && key !== "__proto__") traits[key] = value;
    }
  }
  return Object.keys(traits).length === 0 ? null : traits;
}

/** A message of which nothing is stored, and that is answered as if something was. */
export interface Unsupported {
  readonly kind: "unsupported";
}
export const unsupported: Unsupported = { kind: "unsupported" };

/** The page of an item as it was sent. */
export interface ForeignPage {
  /** An address, or the path of one. */
  readonly url: unknown;
  /** The host of an address that names none. */
  readonly host?: unknown;
  readonly referrer?: unknown;
  /** A query string beside the address that names the campaign. */
  readonly query?: unknown;
  /** The campaign that the item names itself, as `utm_*`: it counts where the address has none. */
  readonly campaign?: JsonObject;
  /** Tells whether that campaign counts before the address's. */
  readonly campaignComesFirst?: boolean;
  /** Tells whether every fragment is a part of the path. */
  readonly keepsFragment?: boolean;
}

/** Unix ms by the sender's clock, null where nothing is said; NaN is a text that is no time. */
export interface ForeignTime {
  readonly timestamp: number | null;
  readonly sentAt: number | null;
}
export const atReceipt: ForeignTime = { timestamp: null, sentAt: null };
