import type { SourceKind } from "../../domain/source";
import type { StaticFile } from "../../http/edge/static-file";
import type { Automated } from "../bots";
import type { JsonObject } from "../properties";
import type { Refusal } from "../refusal";
import type { Parameters } from "./reading/parameters";

/**
 * The protocol of another product's clients. A dialect is pure: it reads a foreign request as items, and says in the
 * product's own words what became of them. All else is the same for every dialect: `steps/` makes submissions of items.
 */
export interface Dialect {
  readonly kind: SourceKind;
  readonly endpoints: readonly Endpoint[];
  /** Its clients send with cookies, which nobody reads here; browsers want to be told that they may. */
  readonly sendsCookies?: true;
  /** Tells whether a server whose items name no agent is judged by the agent of its own requests. */
  readonly judgesServers: boolean;
  /** How its items say when they happened; absent where they cannot. */
  readonly time?: { readonly field: string; readonly form: string };
  /**
   * Says that a request is refused as a whole, or that all of its items are: by the first of them. The request is null
   * where it could not be read.
   */
  refuse(refused: Refused, request: ForeignRequest | null): Answer;
}

/** One path of a dialect, below the prefix of a source and, unless it says otherwise, at the root. */
export type Endpoint = CollectingEndpoint | ShowingEndpoint | ScriptEndpoint;

interface EndpointPlace {
  /** It begins with a slash and ends without one; `{key}` stands for a part that is read. */
  readonly path: string;
  readonly methods: readonly ("GET" | "POST")[];
  readonly isBelowPrefixOnly?: true;
}

export interface CollectingEndpoint extends EndpointPlace {
  /** Returns the items of a request, or why it has none that could be read. */
  read(request: ForeignRequest): readonly ForeignItem[] | Refusal;
  /** Answers when any item was stored, unsupported or filtered. */
  answer(verdicts: readonly ItemVerdict[], request: ForeignRequest): Answer;
  /** Answers where all items are refused, unless `refuse` of the dialect does. */
  readonly answersRefused?: true;
}

/** A path that stores nothing: settings that a client asks for before it sends. */
export interface ShowingEndpoint extends EndpointPlace {
  show(request: ForeignRequest): Answer;
}

/** A script for the pages of a site. */
export interface ScriptEndpoint extends EndpointPlace {
  readonly script: StaticFile;
}

/** A request of a foreign client: unpacked, and not yet understood. */
export interface ForeignRequest {
  readonly method: string;
  /** The part of the path that stands for `{key}`. */
  readonly pathKey: string;
  /** The address of this server up to where the dialect's paths begin, such as `https://stats.example/in/src_…`. */
  base(): string;
  readonly query: Parameters;
  readonly body: string;
  readonly headers: Pick<Headers, "get">;
  readonly receivedAtMs: number;
}

/** One event, identify or other message of a request, and the keys of the projects that it is for. */
export interface ForeignItem {
  /** Looked at where the request does not name the source: at the root. Each project gets the item. */
  readonly keys: readonly string[];
  readonly content: ForeignEvent | ForeignIdentity | Unsupported | Refusal;
}

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

/** The outcome of one item. */
export type ItemVerdict = "accepted" | "filtered" | "unsupported" | Refusal;

/** A refusal with the status of its answer. */
export interface Refused {
  readonly refusal: Refusal;
  readonly status: number;
}

/** An answer in a foreign form. */
export interface Answer {
  readonly status: number;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  readonly headers: Readonly<Record<string, string>>;
}

export const jsonAnswer = (
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  status,
  body: JSON.stringify(value),
  headers: { "content-type": "application/json; charset=utf-8", ...headers },
});

export const textAnswer = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  status,
  body,
  headers: { "content-type": "text/plain; charset=utf-8", ...headers },
});

export const scriptAnswer = (body: string): Answer => ({
  status: 200,
  body,
  headers: { "content-type": "application/javascript" },
});

/** An image of one pixel, of 43 bytes, that no cache keeps. */
export const pixelAnswer = (
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  status,
  body: pixel,
  headers: { "content-type": "image/gif", "cache-control": "no-store", ...headers },
});
const pixel = new Uint8Array(
  Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==", "base64"),
);
