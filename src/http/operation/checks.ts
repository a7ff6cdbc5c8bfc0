import type { Caller } from "../../domain/caller";
import { ApiError, invalidField } from "../../domain/errors";
import { bodyBytesMax, largeBodyCharsMin } from "../../domain/limits";
import { findProject, type Project } from "../../store/control/project-selector";
import { addressLimits } from "../auth/address-limits";
import { identifyCaller } from "../auth/caller";
import { requireAccess, requirePlan, spendRequest } from "../auth/gate";
import { identifyShare, openShare } from "../auth/share-caller";
import type { Deps } from "../deps";
import { parseJson, readText, unread } from "../edge/body";
import { LargeBodies } from "../edge/large-bodies";
import type { RequestContext } from "../edge/request-context";
import { queryOf } from "../edge/url";
import {
  isObject,
  type Node,
  nothing,
  refuseUnknownParameters,
  shapeBody,
  shapeQuery,
} from "./input";
import { sentNames } from "./spellings";

/** The checks of a request (docs/api/errors.md); `operation.ts` puts them in order. */

export type Shaped = Readonly<Record<string, unknown>>;

/** Body size, and reading it. Bodies of GET and HEAD mean nothing and stay unread, but are bounded like any other. */
export async function readBody(context: RequestContext, bytesMax = bodyBytesMax): Promise<string> {
  const { request } = context;
  const text = hasQuery(request) ? unread(request, bytesMax) : await readText(request, bytesMax);
  if (text.length > largeBodyCharsMin) await takeTurn(context);
  begin(context);
  return text;
}

/** Waits until a large body may be taken apart. */
export async function takeTurn({ deps, request }: RequestContext): Promise<void> {
  const { address } = deps.server.peerOf(request);
  await largeBodies.turn(deps.rates.networkKey(address));
}

const largeBodies = new LargeBodies();

/** Lets a request begin, unless it was read after the server began to stop. */
export function begin(context: RequestContext): void {
  if (context.deps.server.isStopping()) {
    throw new ApiError("UNAVAILABLE", "The server is shutting down. Try again in a moment.");
  }
  context.begin();
}

/**
 * Credential, rate limit (of what counts), demo and scope, plan. Only a share's password takes time: whoever else was
 * looked at is still who it was when the work begins, which happens in the same turn of the event loop.
 */
export function admit(context: RequestContext, isCounted = true): Caller | Promise<Caller> {
  const { deps, request } = context;
  const share = identifyShare(deps, request);
  if (share !== null) return openShare(deps, request, letIn(context, share));
  const caller = admitIfAny(context, isCounted);
  if (caller === null) {
    throw new ApiError(
      "AUTH_REQUIRED",
      "Send a credential: an agent session as Authorization: Bearer, or an API key as X-API-Key.",
    );
  }
  return caller;
}

/** Admits the caller where a credential may be left out: null then. Shares are none there. */
export function admitIfAny(context: RequestContext, isCounted = true): Caller | null {
  const caller = identifyCaller(context.deps, context.request);
  return caller === null ? null : letIn(context, caller, isCounted);
}

function letIn(context: RequestContext, caller: Caller, isCounted = true): Caller {
  const { deps, route } = context;
  context.admit(caller);
  if (isCounted) context.spend(spendRequest(deps, caller));
  requireAccess(route, caller);
  requirePlan(deps, route.rule, caller);
  return caller;
}

/** A part of the step "demo": it looks nobody up by address. What is no JSON is refused as it would be without it. */
export function refuseAddressInDemo(caller: Caller, text: string): void {
  if (caller.isDemo) refuseAddress(caller, parseJson(text));
}

export function refuseAddress({ isDemo }: Caller, body: unknown): void {
  if (!isDemo || !isObject(body) || (body.email ?? null) === null) return;
  throw new ApiError("DEMO_READ_ONLY", "The demo cannot look up users by email. Use user_id.");
}

/** The limits of sign-in and the like, by address. */
export function spendByAddress({ deps, request, route }: RequestContext): void {
  const limit = addressLimits.get(route.name);
  if (limit === undefined) return;
  const { address } = deps.server.peerOf(request);
  deps.rates.spendOfAddress(limit.bucket, address, limit.perMinute);
}

/** JSON shape. An operation takes its input from one place, and nothing from the other but what `beside` names. */
export function shapeInput(
  context: RequestContext,
  takes: Node,
  text: string,
  beside: Node = nothing,
): Shaped {
  const { request, route } = context;
  const query = queryOf(request);
  const isQuery = route.takesQuery;
  if (!route.isLenient) {
    refuseUnknownParameters(isQuery ? takes : beside, query);
  }
  const given = isQuery ? Object.fromEntries(query) : parseJson(text);
  if (isObject(given)) context.sentNames = sentNames(Object.keys(takes.properties ?? {}), given);
  if (isQuery) return shapeQuery(takes, query);
  return merged(shapeBody(takes, given), shapeQuery(beside, query));
}

function merged(inBody: Shaped, inQuery: Shaped): Shaped {
  for (const [name, value] of Object.entries(inQuery)) {
    if ((inBody[name] ?? value) === value) continue;
    throw invalidField(name, `"${name}" was sent twice with different values. Send it once.`);
  }
  return { ...inBody, ...inQuery };
}

/** Project: named by `project`, an id or an exact name. */
export function projectOf(
  deps: Deps,
  caller: Caller,
  { project }: Shaped,
  find: typeof findProject = findProject,
): Project {
  if (typeof project === "string" && project !== "") return find(deps, caller, project);
  throw new ApiError(
    "PROJECT_REQUIRED",
    '"project" is required: send the name or id of a project. GET /projects lists them.',
  );
}

/** Tells whether the input is in the query string, as for GET and HEAD. */
const hasQuery = ({ method }: Request): boolean => method === "GET" || method === "HEAD";
