/*
 * MCP is written over the operations.
 * Decision: `mcp/` knows the list of operations and nothing of features. A tool is a row of `mcp/tools.ts` and asks
 * `operation.call`; whatever read has no row is reached by `more_reads`, which a test holds.
 * Because: an SDK would bring a second validator, sessions and 100 packages for forty lines of JSON-RPC.
 * Cost: the protocol's revisions are ours to follow, in `mcp/protocol.ts`.
 * Revisit: with a revision that needs streams.
 */

import { isObject } from "../http/operation/input";

/** Revisions without sessions: each request names its own version. */
const statelessVersion = "2026-07-28";
/** Revisions that begin with `initialize`; nothing of it is remembered here. */
const handshakeVersions = ["2025-11-25", "2025-06-18", "2025-03-26"] as const;
const handshakeDefault = handshakeVersions[0];
export const versions: readonly string[] = [statelessVersion, ...handshakeVersions];

const parseErrorCode = -32_700;
const invalidRequestCode = -32_600;
export const unknownMethodCode = -32_601;
export const invalidParamsCode = -32_602;
const headerMismatchCode = -32_020;
const unsupportedVersionCode = -32_022;

export type Id = string | number;
export type Params = Readonly<Record<string, unknown>>;

/** One that wants an answer. */
export interface RpcRequest {
  readonly id: Id;
  readonly method: string;
  readonly params: Params;
  /** Tells whether it speaks the revision without sessions. */
  readonly isStateless: boolean;
}

/** Refused by the protocol itself. What an operation refuses is a result (refusal.ts). */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly status = 200,
    readonly data?: unknown,
    readonly id: Id | null = null,
  ) {
    super(message);
    this.name = "RpcError";
  }
}

/** Returns the message of a body; null for a notification. Throws RpcError. */
export function requestOf(text: string, headers: Headers): RpcRequest | null {
  const message = parsed(text);
  if (!isObject(message) || message.jsonrpc !== "2.0") {
    throw invalidRequest(
      Array.isArray(message)
        ? "Send one message per request, not a list."
        : 'A message must be an object with "jsonrpc": "2.0".',
    );
  }
  const { id, method, params = {} } = message;
  if (id === undefined && typeof method === "string") return null;
  if (!isId(id)) throw invalidRequest('"id" must be a string or a number.');
  if (typeof method !== "string") throw invalidRequest('"method" must be a string.', id);
  if (!isObject(params)) throw invalidRequest('"params" must be an object.', id);
  return { id, method, params, isStateless: isStateless({ id, method, params }, headers) };
}

/** Reads the method without any check, for what has to be told before a message is looked at. */
export function methodIn(text: string): string | null {
  try {
    const message: unknown = JSON.parse(text);
    return isObject(message) && typeof message.method === "string" ? message.method : null;
  } catch {
    return null;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcError(parseErrorCode, "The request body is not valid JSON.", 400);
  }
}

const invalidRequest = (message: string, id: Id | null = null): RpcError =>
  new RpcError(invalidRequestCode, message, 400, undefined, id);

const isId = (id: unknown): id is Id => typeof id === "string" || Number.isSafeInteger(id);

/** The version that `initialize` is answered with. */
export const agreedVersion = ({ protocolVersion }: Params): string =>
  handshakeVersions.find((one) => one === protocolVersion) ?? handshakeDefault;

const metaPrefix = "io.modelcontextprotocol/";

/** Tells which revision a request speaks, on which its headers and its `_meta` must agree. */
function isStateless(request: Omit<RpcRequest, "isStateless">, headers: Headers): boolean {
  const { id, method, params } = request;
  const meta = isObject(params._meta) ? params._meta : {};
  const inBody = meta[`${metaPrefix}protocolVersion`];
  const inHeader = headers.get("mcp-protocol-version");
  if (inBody === undefined) {
    requireHandshake(request, inHeader);
    return false;
  }
  if (inBody !== statelessVersion) throw unsupported(inBody, id);
  if (inHeader !== inBody) throw mismatch("MCP-Protocol-Version", id);
  if (headers.get("mcp-method") !== method) throw mismatch("Mcp-Method", id);
  const name = nameIn(method, params);
  if (name !== undefined && decoded(headers.get("mcp-name")) !== name) {
    throw mismatch("Mcp-Name", id);
  }
  if (!isObject(meta[`${metaPrefix}clientCapabilities`])) {
    const message = `"_meta" must have "${metaPrefix}clientCapabilities", an object.`;
    throw new RpcError(invalidParamsCode, message, 400, undefined, id);
  }
  return true;
}

/** Checks a request of the older revisions, where the header is optional and `initialize` comes before it is known. */
function requireHandshake(
  { id, method }: Pick<RpcRequest, "id" | "method">,
  version: string | null,
) {
  if (version === null || method === "initialize") return;
  if (version === statelessVersion) throw mismatch("MCP-Protocol-Version", id);
  if (!handshakeVersions.some((one) => one === version)) throw unsupported(version, id);
}

const unsupported = (requested: unknown, id: Id): RpcError =>
  new RpcError(
    unsupportedVersionCode,
    `This server supports the protocol versions ${versions.join(", ")}.`,
    400,
    {
      supported: versions,
      ...(typeof requested === "string" && { requested: requested.slice(0, 64) }),
    },
    id,
  );

const mismatch = (header: string, id: Id): RpcError =>
  new RpcError(
    headerMismatchCode,
    `The header ${header} must match the request body.`,
    400,
    undefined,
    id,
  );

/** Returns the value of a body that `Mcp-Name` repeats. */
function nameIn(method: string, { name, uri }: Params): unknown {
  if (method === "tools/call" || method === "prompts/get") return name;
  return method === "resources/read" ? uri : undefined;
}

/** A header has ASCII alone: other names come as `=?base64?…?=`. */
function decoded(header: string | null): string | null {
  const base64 = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(header ?? "")?.[1];
  return base64 === undefined ? header : Buffer.from(base64, "base64").toString("utf8");
}
