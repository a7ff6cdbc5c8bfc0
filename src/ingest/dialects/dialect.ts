import type { SourceKind } from "../../domain/source";
import type { StaticFile } from "../../http/edge/static-file";
import type { ForeignEvent, ForeignIdentity, Unsupported } from "../foreign/item";
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
