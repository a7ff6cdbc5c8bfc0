import type { Caller } from "../../domain/caller";
import { identifyCaller } from "../../http/auth/caller";
import { requireAccess, requirePlan, spendRequest } from "../../http/auth/gate";
import { foreignPage, isOwnOrigin } from "../../http/auth/own-origin";
import type { Deps } from "../../http/deps";
import type { Peer } from "../../http/edge/address";
import { Reply, reply } from "../../http/edge/reply";
import type { RequestContext } from "../../http/edge/request-context";
import { asksForSocket } from "../../http/edge/socket";
import { type CallParts, callOf } from "../../http/operation/call-of";
import { admit, readBody, shapeInput } from "../../http/operation/checks";
import { dataHeaders, factsNow, sourceOf } from "../../http/operation/data-read";
import { type Facts, type OperationName, pro } from "../../http/operation/facts";
import { checkFields, type InputSchema } from "../../http/operation/input";
import { type Operation, operation, type ReturnSchemas } from "../../http/operation/operation";
import type { OperationDoc } from "../../http/operation/operation-doc";
import { assert } from "../../lib/assert";
import { clock } from "../../lib/clock";
import { findProjectOrOldest, type Project } from "../../store/control/project-selector";

type Shaped = Readonly<Record<string, unknown>>;

interface Definition<Input, Context, Answer = unknown> extends Facts {
  readonly doc: OperationDoc;
  readonly takes: InputSchema<Input>;
  readonly returns: ReturnSchemas;
  handle(context: Context): Answer;
}

export interface LiveContext<Input> {
  readonly caller: Caller;
  readonly project: Project;
  readonly input: Input;
}
interface LiveAnswer {
  readonly answer: unknown;
  /** Digests of the flagged texts that are in it. */
  readonly flagged: readonly string[];
}
export interface StreamContext<Input> extends LiveContext<Input> {
  readonly request: Request;
}
export interface SocketContext<Input> {
  readonly request: Request;
  peer(): Peer;
  readonly input: Input;
  /** The caller and the project; null when the request has no credential. */
  readonly known: { readonly caller: Caller; readonly project: Project } | null;
}

/** The order of checks (operation.ts), with a project that need not be named. */
export const liveOperation = <Input>(
  name: OperationName,
  definition: Definition<Input, LiveContext<Input>, LiveAnswer>,
): Operation => {
  const { takes, handle } = definition;
  const work = ({ deps, caller }: Pick<CallParts, "deps" | "caller">, shaped: Shaped) => {
    const project = findProjectOrOldest(deps, caller, shaped.project);
    const { answer, flagged } = handle({ caller, project, input: checkFields(takes, shaped) });
    const { status, json } = reply(200, answer);
    return new Reply(status, json, dataOf(deps, caller, project, flagged));
  };
  return operation(name, definition, {
    answer: async (context) => {
      await readBody(context);
      const caller = await admit(context);
      return work({ deps: context.deps, caller }, shapeInput(context, takes, ""));
    },
    call: callOf(name, definition, work),
  });
};

/** Makes the operation of a stream, which no call can answer. */
export const streamOperation = <Input>(
  name: OperationName,
  definition: Definition<Input, StreamContext<Input>, Response>,
): Operation => {
  const { takes, handle } = definition;
  return operation(name, definition, {
    answer: async (context) => {
      const { deps, request } = context;
      await readBody(context);
      refuseForeignCookie(context, "stream");
      const caller = await admit(context);
      const shaped = shapeInput(context, takes, "");
      const project = findProjectOrOldest(deps, caller, shaped.project);
      const stream = handle({ request, caller, project, input: checkFields(takes, shaped) });
      const facts = dataOf(deps, caller, project, []);
      for (const [name, value] of Object.entries(facts)) stream.headers.set(name, value);
      return stream;
    },
  });
};

/** Returns what every read tells of its data; here that of the present moment. */
function dataOf(deps: Deps, caller: Caller, project: Project, flagged: LiveAnswer["flagged"]) {
  const source = sourceOf(deps, caller, project);
  // No share with filters may ask it.
  return dataHeaders({
    source,
    narrowedBy: [],
    facts: { ...factsNow(deps, source, clock.nowMs()), flagged },
  });
}

/** Makes the operation of a socket, whose credential may follow in its first message. */
export const socketOperation = <Input>(
  name: OperationName,
  definition: Definition<Input, SocketContext<Input>>,
): Operation =>
  operation(name, definition, {
    answer: async (context) => {
      const { deps, request } = context;
      await readBody(context);
      if (asksForSocket(request)) refuseForeignCookie(context, "socket");
      const caller = isLeftForLater(context) ? null : await admit(context);
      const shaped = shapeInput(context, definition.takes, "");
      const known = caller === null ? null : { caller, project: projectOf(deps, caller, shaped) };
      const input = checkFields(definition.takes, shaped);
      return definition.handle({ request, peer: () => deps.server.peerOf(request), input, known });
    },
  });

export const socketName = "GET /live/ws";
export const socketAccess = pro("live:read", "R", { people: true });

/** Admits with the token of a first message: the same steps, without a request that could be refused. */
export function admitLater(deps: Deps, credential: Request, selector: string | undefined) {
  const caller = identifyCaller(deps, credential);
  assert(caller !== null, "the credential of a first message is a header");
  spendRequest(deps, caller);
  requireAccess({ rule: socketAccess, shares: null }, caller);
  requirePlan(deps, socketAccess, caller);
  return { caller, project: findProjectOrOldest(deps, caller, selector) };
}

const isLeftForLater = ({ deps, request }: RequestContext): boolean =>
  asksForSocket(request) && identifyCaller(deps, request) === null;

/**
 * Refuses a cookie from a foreign page. A browser sends its cookie with a socket from any page, and with a stream from
 * pages of the same site. No page needs CORS to read a socket, nor to occupy the account's connections with a stream. A
 * stream of our own page is told by another header: browsers send no Origin with a GET to the page's own origin.
 */
function refuseForeignCookie({ deps, request }: RequestContext, what: "socket" | "stream"): void {
  const { headers } = request;
  if (identifyCaller(deps, request)?.kind !== "cookie" || isOwnOrigin(deps.config, headers)) return;
  const isOwnPage = !headers.has("origin") && headers.get("sec-fetch-site") === "same-origin";
  if (what === "stream" && isOwnPage) return;
  throw foreignPage(deps.config, `A ${what} with the session cookie must come from a page of`);
}

const projectOf = (deps: Deps, caller: Caller, { project }: Shaped): Project =>
  findProjectOrOldest(deps, caller, project);
