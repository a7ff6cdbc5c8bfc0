import type { Caller } from "../../domain/caller";
import type { StandardSchema } from "../../lib/schema";
import type { Deps } from "../deps";
import type { Peer } from "../edge/address";
import type { Reply } from "../edge/reply";
import type { RequestContext } from "../edge/request-context";
import type { AccessRule, Facts, OperationName, ShareRule } from "./facts";
import type { InputSchema } from "./input";
import type { OperationDoc } from "./operation-doc";

/**
 * One thing that can be asked of this server, as a value: HTTP, the OpenAPI document and whatever else shows
 * operations render one list of these (`features/index.ts`). How each kind is asked is in the files beside this one,
 * which make them; the order of checks (docs/api/errors.md) is that of the lines there:
 *
 *   route → body size → credential → rate limit → demo/scope → plan → JSON shape → project → other fields →
 *   monthly read cap → work
 *
 * A handler begins at "other fields", with what schemas cannot say. `read` and `countRead` are "monthly read cap", so
 * a handler checks everything before it calls one of them.
 */
export interface Operation {
  /** Method and path: `GET /projects/{id}`. */
  readonly name: OperationName;
  /** Who may ask, on which plan, and whether it counts as a read. */
  readonly rule: AccessRule;
  /** The terms for shares; null for an operation that is closed to them. */
  readonly shares: ShareRule | null;
  /** Further facts, as `Facts` has them. */
  readonly isPage: boolean;
  readonly isStream: boolean;
  readonly isLenient: boolean;
  readonly isQuiet: boolean;
  readonly takesQuery: boolean;
  readonly doc: OperationDoc;
  /** The query string of GET, the body of all others. */
  readonly takes: InputSchema<unknown>;
  /** The answers by status; the first is that of a bare value. */
  readonly returns: ReturnSchemas;
  /** The CSV of the example, where the answer can be had as CSV too. */
  readonly csv?: { readonly example: string | undefined };
  /** Tells whether a request may ask for a receipt of what was read (receipt.ts). */
  readonly hasReceipt: boolean;
  /** The whole order of checks, then the work, for a request of its own. */
  answer(context: RequestContext): Promise<unknown>;
  /**
   * The checks from "demo/scope" on, then the work. Absent where only a request can ask: pages, streams, sign-in,
   * ingestion.
   */
  readonly call?: (call: Call) => Promise<Reply<unknown>>;
}

/** A question of a caller who was admitted by other means than a request for this operation, as a tool call is. */
export interface Call {
  readonly deps: Deps;
  readonly caller: Caller;
  /** The fields of `takes`, as a JSON body would have them, unchecked. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Parts of the path that are in braces in the pattern. */
  readonly params: Readonly<Record<string, string>>;
  /** The request that brought the call: the host that it was sent to, and when its client hangs up. */
  readonly request: RequestHead;
  readonly requestId: string;
  readonly arrivedAtMs: number;
  /** The sender of the request. */
  peer(): Peer;
  /** Lets the connection be silent for that time. */
  setIdle(seconds: number): void;
}

export type RequestHead = Pick<Request, "headers" | "signal">;

/** What a feature says about an operation. The type of `handle`'s `input` follows from `takes`. */
export interface Definition<Context, Input, Returns extends ReturnSchemas, Answer> extends Facts {
  readonly doc: OperationDoc;
  readonly takes: InputSchema<Input>;
  /** The answers by status. A bare value goes out with the first of them, anything else as a Reply. */
  readonly returns: Returns;
  readonly bodyBytesMax?: number;
  handle(context: Context): Answer | Promise<Answer>;
}

export type ReturnSchemas = Readonly<Record<number, InputSchema<unknown>>>;
export type AnswerOf<Returns extends ReturnSchemas> =
  | Value<Returns[keyof Returns]>
  | Reply<Value<Returns[keyof Returns]>>
  | Response;
export type Value<S> = S extends StandardSchema<infer T> ? Frozen<T> : never;
export type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/** What every handler is given about a request. */
export interface Context {
  readonly request: Request;
  readonly requestId: string;
  /** Parts of the path that are in braces in the pattern, decoded. */
  readonly params: Readonly<Record<string, string>>;
  peer(): Peer;
  /** Lets the connection be silent for that time. */
  setIdle(seconds: number): void;
}

export interface InputContext<Input> extends Context {
  readonly input: Input;
}

export const contextOf = ({ deps, request, requestId, params }: RequestContext): Context => ({
  request,
  requestId,
  params,
  peer: () => deps.server.peerOf(request),
  setIdle: (seconds) => deps.server.setIdle(request, seconds),
});

type Described = Facts & Pick<Operation, "doc" | "takes" | "returns">;

/** Makes an operation of any kind. */
export const operation = (
  name: OperationName,
  { doc, takes, returns, ...facts }: Described,
  ways: Pick<Operation, "answer" | "call" | "csv"> & { readonly hasReceipt?: boolean },
): Operation => ({
  ...{ name, rule: facts.access, shares: facts.shares ?? null, doc, takes, returns },
  isPage: facts.isPage === true,
  isStream: facts.isStream === true,
  isLenient: facts.isLenient === true,
  isQuiet: facts.isQuiet === true,
  takesQuery: facts.takesQuery === true || name.startsWith("GET "),
  ...{ hasReceipt: false, ...ways },
});
