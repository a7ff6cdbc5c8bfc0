import { ApiError, errorStatus } from "../../domain/errors";
import { bodyBytesMax, largeBodyCharsMin } from "../../domain/limits";
import { addressOfPage } from "../../http/auth/own-origin";
import type { Deps } from "../../http/deps";
import { readBytes } from "../../http/edge/body";
import { retryAfterOf } from "../../http/edge/errors";
import { Reply } from "../../http/edge/reply";
import type { RequestContext } from "../../http/edge/request-context";
import { pathOf, queryTextOf } from "../../http/edge/url";
import type { ForeignRoute } from "../../http/foreign/route";
import { begin, takeTurn } from "../../http/operation/checks";
import type { KnownSource } from "../../store/control/source-directory";
import { isRefusal, type Refusal, refusal } from "../refusal";
import { type Collector, refusalOf } from "./collector";
import type {
  Answer,
  CollectingEndpoint,
  Dialect,
  ForeignRequest,
  ShowingEndpoint,
} from "./dialect";
import { dialectAt, endpointAt, type Found, placed } from "./paths";
import { readParameters } from "./reading/parameters";
import { unpackBody } from "./reading/unpack";

const methods = ["GET", "POST"] as const;
const prefix = "/in/";

/** The paths of all dialects: below the prefix of a source, and at the root of a server that took over a host. */
export function foreignRoutes(deps: Deps, collector: Collector): readonly ForeignRoute[] {
  const belowPrefix = methods.map(
    (method): ForeignRoute => ({
      method,
      path: `${prefix}{source}/*`,
      handle: async (context) => answerBelowPrefix(deps, collector, context),
    }),
  );
  const atRoot = placed
    .filter(({ endpoint }) => endpoint.isBelowPrefixOnly !== true)
    .flatMap(({ dialect, endpoint: { path, methods: ofEndpoint } }) =>
      ofEndpoint.flatMap((method) =>
        // Clients write some of them with slashes at the end.
        [routeOf(path), `${routeOf(path)}/*`].map(
          (spelled): ForeignRoute => ({
            method,
            path: spelled,
            handle: async (context) => answerAtRoot(deps, collector, context, dialect),
          }),
        ),
      ),
    );
  return [...belowPrefix, ...atRoot];
}

/** The router reads whole parts of a path; which of them an endpoint means, it says itself (paths.ts). */
const routeOf = (path: string): string => path.replace(/[^/]*\{key\}[^/]*/, "{key}");

async function answerBelowPrefix(
  deps: Deps,
  collector: Collector,
  context: RequestContext,
): Promise<unknown> {
  const id = context.params.source ?? "";
  const rest = pathOf(context.request).slice(prefix.length + id.length);
  const source = deps.control.sourceById(id);
  if (source === undefined) {
    const dialect = dialectAt(rest);
    if (dialect === null) throw new ApiError(unknownSource.code, unknownSource.message);
    // The query says in which form some clients read the answer.
    const asked = requestWithoutBody(context, "", () => "");
    const request = isRefusal(asked) ? null : asked;
    return replyTo(dialect.refuse({ refusal: unknownSource, status: 401 }, request));
  }
  const found = endpointAt(rest, source.kind);
  if (found === null) {
    throw new ApiError("NOT_FOUND", `Clients of ${source.kind} have no such path.`);
  }
  const base = () => `${addressOfPage(deps.config, context.request.headers)}${prefix}${id}`;
  return answerAt({ deps, collector, context, found, source, base });
}

async function answerAtRoot(
  deps: Deps,
  collector: Collector,
  context: RequestContext,
  { kind }: Dialect,
): Promise<unknown> {
  const found = endpointAt(pathOf(context.request), kind);
  if (found === null) throw new ApiError("NOT_FOUND", `Clients of ${kind} have no such path.`);
  const base = () => addressOfPage(deps.config, context.request.headers);
  return answerAt({ deps, collector, context, found, source: null, base });
}

interface ForeignCall {
  readonly deps: Deps;
  readonly collector: Collector;
  readonly context: RequestContext;
  readonly found: Found;
  readonly source: KnownSource | null;
  readonly base: () => string;
}

async function answerAt(asked: ForeignCall): Promise<unknown> {
  const { dialect, endpoint } = asked.found;
  const { request } = asked.context;
  // What collects stores its request, which HEAD must not.
  const method = request.method === "HEAD" && !("read" in endpoint) ? "GET" : request.method;
  if (!endpoint.methods.some((one) => one === method)) return wrongMethod(endpoint.methods);
  if ("script" in endpoint) return await endpoint.script.respond(request);
  const answer = await foreignAnswer(asked, endpoint);
  return replyTo({ ...answer, headers: { ...answer.headers, ...accessOf(dialect, request) } });
}

/** What goes wrong is told in the form of the dialect, too. */
async function foreignAnswer(
  asked: ForeignCall,
  endpoint: CollectingEndpoint | ShowingEndpoint,
): Promise<Answer> {
  const { deps, collector, context, source } = asked;
  const { dialect } = asked.found;
  const { headers } = context.request;
  let request: ForeignRequest | null = null;
  const refuse = (reason: Refusal, status: number): Answer =>
    dialect.refuse({ refusal: reason, status }, request);
  const refuseUnread = (reason: Refusal): Answer => {
    if (source !== null) collector.countRefused(source, reason, headers, context.arrivedAtMs);
    return refuse(reason, errorStatus[reason.code]);
  };
  try {
    const unread = requestWithoutBody(context, asked.found.pathKey, asked.base);
    if (isRefusal(unread)) return refuseUnread(unread);
    request = unread;
    const body = await bodyOf(context);
    if (typeof body !== "string") return refuseUnread(body);
    request = { ...unread, body };
    if ("show" in endpoint) return endpoint.show(request);
    const peer = deps.server.peerOf(context.request);
    return await collector.collect({ dialect, endpoint, request, source, headers, peer });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const answer = refuse(refusalOf(error), error.status);
    return { ...answer, headers: { ...answer.headers, ...retryAfterOf(error) } };
  }
}

/** A browser shows a page the answer to a request with cookies only if it names that page's origin. */
function accessOf({ sendsCookies }: Dialect, { headers }: Request): Answer["headers"] {
  const origin = headers.get("origin");
  if (sendsCookies !== true || origin === null) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    vary: "origin",
  };
}

/** The request as far as it is known before its body is: a refusal of the body has the form that the query asks for. */
function requestWithoutBody(
  { request, arrivedAtMs }: RequestContext,
  pathKey: string,
  base: () => string,
): ForeignRequest | Refusal {
  const query = readParameters(queryTextOf(request));
  if (isRefusal(query)) return query;
  const { headers, method } = request;
  return { method, pathKey, base, query, body: "", headers, receivedAtMs: arrivedAtMs };
}

/** Reads and unpacks a body, within the bounds of one. */
async function bodyOf(context: RequestContext): Promise<string | Refusal> {
  const { request } = context;
  const bytes = await readBytes(request, bodyBytesMax);
  const body = unpackBody(bytes, request.headers.get("content-encoding"));
  if (typeof body !== "string") return body;
  if (body.length > largeBodyCharsMin) await takeTurn(context);
  begin(context);
  return body;
}

function replyTo({ status, body, headers }: Answer): unknown {
  if (typeof body === "string") return new Reply(status, body, headers);
  return new Response(body, { status, headers });
}

function wrongMethod(allowed: readonly string[]): Reply<unknown> {
  const allow = [...allowed, "OPTIONS"].join(", ");
  const error = { error: "METHOD_NOT_ALLOWED", message: `This path answers ${allow}.` };
  return new Reply(405, JSON.stringify(error), { allow });
}

const unknownSource = refusal(
  "INVALID_TOKEN",
  "No source has this address. Copy its `url` from the project's settings.",
);
