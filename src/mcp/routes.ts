import type { Config } from "../config";
import type { Caller } from "../domain/caller";
import { ApiError } from "../domain/errors";
import { identifyProgram } from "../http/auth/caller";
import { spendRequest } from "../http/auth/gate";
import type { Deps } from "../http/deps";
import { isLoopback } from "../http/edge/address";
import { RateLimited } from "../http/edge/rates";
import { Reply } from "../http/edge/reply";
import type { RequestContext } from "../http/edge/request-context";
import { queryOf } from "../http/edge/url";
import type { Feature } from "../http/feature";
import { readBody } from "../http/operation/checks";
import { free } from "../http/operation/facts";
import { type Operation, operation } from "../http/operation/operation";
import { refusedByRate } from "./call";
import { resultOfMethod } from "./methods";
import { methodIn, RpcError, type RpcRequest, requestOf } from "./protocol";
import { McpAnswer, McpError, McpMessage } from "./schema";
import { Toolbox } from "./toolbox";

/** Model Context Protocol over the operations: `served` are those that tools may ask. */
export const mcpFeature = (deps: Deps, served: () => readonly Operation[]): Feature => {
  // Most servers are never asked for tools, and no start waits for them.
  let box: Toolbox | null = null;
  const toolbox = (): Toolbox => {
    box ??= new Toolbox(served());
    return box;
  };
  const described = {
    // Its tools have the gates of the operations that they ask.
    access: free("program", "D"),
    isLenient: true as const,
    doc: {
      id: "askMcp",
      summary: "Model Context Protocol",
      description: "JSON-RPC 2.0, one message per request. Reads and some changes as tools.",
      tag: "Service",
      errors: ["ORIGIN_NOT_ALLOWED" as const],
    },
    takes: McpMessage,
    returns: { 200: McpAnswer, 400: McpError, 404: McpError },
  };
  return {
    operations: [
      operation("POST /mcp", described, { answer: (context) => answerTo(deps, toolbox, context) }),
    ],
  };
};

/** Answers in the order of checks that all operations have, with JSON-RPC's shape in place of a body's. */
async function answerTo(
  deps: Deps,
  toolbox: () => Toolbox,
  context: RequestContext,
): Promise<unknown> {
  const { request } = context;
  refuseForeignOrigin(deps.config, request.headers);
  const text = await readBody(context);
  const caller = callerOf(deps, context);
  const limited = spend(deps, context, caller);
  if (limited !== null && methodIn(text) !== "tools/call") throw limited;
  try {
    const message = requestOf(text, request.headers);
    if (message === null) return new Response(null, { status: 202 });
    return await resultOf(message, async () =>
      limited === null
        ? resultOfMethod(toolbox(), { context, caller }, message)
        : refusedByRate(limited, message, context),
    );
  } catch (error) {
    if (error instanceof RpcError) return refusal(error, error.id);
    throw error;
  }
}

async function resultOf({ id }: RpcRequest, work: () => Promise<unknown>): Promise<Reply<unknown>> {
  try {
    return new Reply(200, JSON.stringify({ jsonrpc: "2.0", id, result: await work() }));
  } catch (error) {
    if (error instanceof RpcError) return refusal(error, id);
    throw error;
  }
}

function refusal({ code, message, status, data }: RpcError, id: RpcRequest["id"] | null) {
  const error = { code, message, ...(data !== undefined && { data }) };
  return new Reply(status, JSON.stringify({ jsonrpc: "2.0", id, error }));
}

const plainOrigin = /^https?:\/\/(localhost|[\d.]+|\[::1\])(:\d{1,5})?$/;
/** A page that this machine serves. */
function isOfThisMachine(origin: string): boolean {
  const host = plainOrigin.exec(origin)?.[1];
  return host !== undefined && (/^(localhost|\[::1\])$/.test(host) || isLoopback(host));
}

/** Only pages send an Origin, and a page that is open in a browser here is not to speak for whoever runs a client. */
function refuseForeignOrigin({ publicOrigin, mcpOrigins }: Config, headers: Headers): void {
  const origin = headers.get("origin");
  if (origin === null || origin === publicOrigin || isOfThisMachine(origin)) return;
  if (mcpOrigins.includes(origin)) return;
  throw new ApiError(
    "ORIGIN_NOT_ALLOWED",
    "This server does not allow MCP requests from this origin. Its administrator can add it to MCP_ORIGINS.",
  );
}

/** Identifies the caller by a header alone, as addresses are written into logs. */
function callerOf(deps: Deps, context: RequestContext): Caller {
  const query = queryOf(context.request);
  if (["key", "token", "access_token"].some((name) => query.has(name))) {
    throw new ApiError(
      "INVALID_TOKEN",
      "Do not put credentials in the URL. Send an agent session as Authorization: Bearer, or an API key as " +
        "X-API-Key.",
    );
  }
  const caller = identifyProgram(deps, context.request);
  if (caller === null) {
    throw new ApiError(
      "AUTH_REQUIRED",
      "Send a credential: an agent session as Authorization: Bearer, or an API key as X-API-Key.",
    );
  }
  context.admit(caller);
  return caller;
}

/** Each request is one of the limit. What is over it is told by a call's own result, which comes later. */
function spend(deps: Deps, context: RequestContext, caller: Caller): RateLimited | null {
  try {
    context.spend(spendRequest(deps, caller));
    return null;
  } catch (error) {
    if (!(error instanceof RateLimited)) throw error;
    context.spend(error.allowance);
    return error;
  }
}
