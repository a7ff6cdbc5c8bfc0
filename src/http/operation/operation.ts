import type { Caller } from "../../domain/caller";
import type { Days } from "../../domain/period";
import { assert } from "../../lib/assert";
import type { StandardSchema } from "../../lib/schema";
import type { Project } from "../../store/control/project-selector";
import type { Read } from "../../store/port";
import { narrowed, refusePeople } from "../auth/share-access";
import type { Deps } from "../deps";
import type { Peer } from "../edge/address";
import { parseJson } from "../edge/body";
import { jsonHeaders } from "../edge/headers";
import { mount } from "../edge/mount";
import { Reply } from "../edge/reply";
import type { RequestContext, Route } from "../edge/request-context";
import { pageHeaders } from "../pages/html";
import { type AboutProject, aboutProject } from "./about-project";
import {
  admit,
  projectOf,
  readBody,
  refuseAddressInDemo,
  shapeInput,
  spendByAddress,
} from "./checks";
import {
  endpointIndex,
  hasAccount,
  htmlOperations,
  type OperationName,
  quietOperations,
  splitName,
} from "./endpoint-index";
import { checkFields, type InputSchema } from "./input";
import { describeOperation, type OperationDoc } from "./openapi";

/**
 * How a feature says what an operation is; access, plan and marks come from the endpoint index. The contract's order
 * of checks is that of the lines in the functions below:
 *
 *   route → body size → credential → rate limit → demo/scope → plan → JSON shape → project → other fields →
 *   monthly read cap → work
 *
 * A handler begins at "other fields", with what schemas cannot say. `read` and `countRead` are "monthly read cap", so
 * a handler checks everything before it calls one of them.
 */
export interface Definition<Context, Input, Returns extends ReturnSchemas, Answer> {
  readonly doc: OperationDoc;
  /** The query string of GET, the body of all others. */
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
type Value<S> = S extends StandardSchema<infer T> ? Frozen<T> : never;
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/** What every handler gets. */
export interface Context {
  readonly request: Request;
  readonly requestId: string;
  /** Parts of the path that are in braces in the pattern, decoded. */
  readonly params: Readonly<Record<string, string>>;
  peer(): Peer;
}

export interface InputContext<Input> extends Context {
  readonly input: Input;
}

interface IngestContext extends Context {
  /** The body as it was parsed, unchecked. */
  readonly json: unknown;
}

interface IngestDefinition<Input, Returns extends ReturnSchemas, Answer>
  extends Definition<IngestContext, Input, Returns, Answer> {
  /** JSON.parse, unless it is named. Throws what that throws. */
  parse?(text: string): unknown;
}

export interface SignedContext extends Context {
  /** The body as it came: what a signature is over. */
  readonly text: string;
}

export interface AccountContext<Input> extends InputContext<Input> {
  readonly caller: Caller;
  /** The monthly read cap, then the count. For R operations that need nothing of the event store. */
  countRead(): void;
  /** The monthly read cap, the count (for a project too, if the path led to one), then the read itself. */
  read<Question, Output>(
    read: Read<Question, Output>,
    question: Question,
    project?: Project,
  ): Promise<Reply<Output>>;
}

export interface ProjectContext<Input> extends InputContext<Input> {
  readonly caller: Caller;
  readonly project: Project;
  countRead(): void;
  /**
   * As above; `project` (the name) is put in front of the answer's own fields, and the project's context, with the
   * annotations near `days`: the dates that the caller asked for.
   */
  read<Question, Output>(
    read: Read<Question, Output>,
    question: Question,
    days: Days,
  ): Promise<Reply<AboutProject & Output>>;
}

/** Without an account: health, sign-in. */
export function publicOperation<
  Input,
  const Returns extends ReturnSchemas,
  const Answer extends AnswerOf<Returns>,
>(
  deps: Deps,
  name: OperationName,
  definition: Definition<InputContext<Input>, Input, Returns, Answer>,
) {
  return mountOperation(deps, name, definition, async (context) => {
    const text = await readBody(context, definition.bodyBytesMax);
    spendByAddress(context);
    const shaped = shapeInput(context, definition.takes, text);
    const input = checkFields(definition.takes, shaped);
    return definition.handle({ ...contextOf(context), input });
  });
}

/** Ingestion: the token in the body is the credential, so the JSON comes first and all else is the pipeline's. */
export function ingestOperation<
  Input,
  const Returns extends ReturnSchemas,
  const Answer extends AnswerOf<Returns>,
>(deps: Deps, name: OperationName, definition: IngestDefinition<Input, Returns, Answer>) {
  return mountOperation(deps, name, definition, async (context) => {
    const json = parseJson(await readBody(context, definition.bodyBytesMax), definition.parse);
    return definition.handle({ ...contextOf(context), json });
  });
}

/** From a service that signs what it sends: the handler checks that first, and only then what the body says. */
export function signedOperation<
  Input,
  const Returns extends ReturnSchemas,
  const Answer extends AnswerOf<Returns>,
>(deps: Deps, name: OperationName, definition: Definition<SignedContext, Input, Returns, Answer>) {
  return mountOperation(deps, name, definition, async (context) => {
    const text = await readBody(context, definition.bodyBytesMax);
    return definition.handle({ ...contextOf(context), text });
  });
}

/** With an account: API key, browser session or agent session, as the index says. */
export function accountOperation<
  Input,
  const Returns extends ReturnSchemas,
  const Answer extends AnswerOf<Returns>,
>(
  deps: Deps,
  name: OperationName,
  definition: Definition<AccountContext<Input>, Input, Returns, Answer>,
) {
  return mountOperation(deps, name, definition, async (context) => {
    const text = await readBody(context, definition.bodyBytesMax);
    const admitted = admit(context);
    const caller = admitted instanceof Promise ? await admitted : admitted;
    refuseAddressInDemo(caller, text);
    const shaped = shapeInput(context, definition.takes, text);
    const input = checkFields(definition.takes, shaped);
    return definition.handle({
      ...contextOf(context),
      input,
      caller,
      countRead: () => deps.usage.countRead(caller, null),
      read: async (read, question, project) => {
        const asked = narrowed(caller, read, question);
        deps.usage.countRead(caller, project?.id ?? null);
        return ask(context, caller, read, asked);
      },
    });
  });
}

/** About one project of the account, named by `project` in the query string or body. */
export function projectOperation<
  Input,
  const Returns extends ReturnSchemas,
  const Answer extends AnswerOf<Returns>,
>(
  deps: Deps,
  name: OperationName,
  definition: Definition<ProjectContext<Input>, Input, Returns, Answer>,
) {
  return mountOperation(deps, name, definition, async (context) => {
    const text = await readBody(context, definition.bodyBytesMax);
    const admitted = admit(context);
    const caller = admitted instanceof Promise ? await admitted : admitted;
    refuseAddressInDemo(caller, text);
    const shaped = shapeInput(context, definition.takes, text);
    refusePeople(caller, shaped);
    const project = projectOf(context, caller, shaped);
    const input = checkFields(definition.takes, shaped);
    return definition.handle({
      ...contextOf(context),
      input,
      caller,
      project,
      countRead: () => deps.usage.countRead(caller, project.id),
      read: async (read, question, days) => {
        const asked = narrowed(caller, read, question);
        deps.usage.countRead(caller, project.id);
        const answer = await ask(context, caller, read, asked);
        return headed(aboutProject(deps, project, days), answer);
      },
    });
  });
}

/** What all kinds of operations come down to. */
export function mountOperation<Input>(
  deps: Deps,
  name: OperationName,
  definition: Pick<Definition<never, Input, ReturnSchemas, unknown>, "doc" | "takes" | "returns">,
  work: (context: RequestContext) => Promise<unknown>,
) {
  const { method, path } = splitName(name);
  const isPage = htmlOperations.has(name);
  const route: Route = {
    name,
    rule: endpointIndex[name],
    format: isPage ? (method === "GET" ? "html" : "asked") : "json",
    status: Number(Object.keys(definition.returns)[0] ?? 200),
    headers: new Headers({
      ...(isPage ? pageHeaders : jsonHeaders(path)),
      ...(isPrivate(name) ? { "cache-control": "no-store" } : {}),
    }),
    metrics: deps.metrics.route(method, path),
    isLogged: !quietOperations.has(name),
  };
  return mount(deps, route, work, { describe: () => describeOperation(name, definition) });
}

/** What belongs to an account, and what hands out its credentials. */
function isPrivate(name: OperationName): boolean {
  const { access } = endpointIndex[name];
  return hasAccount(access) || (access === "none" && !name.startsWith("GET "));
}

export const contextOf = ({ deps, request, requestId, params }: RequestContext): Context => ({
  request,
  requestId,
  params,
  peer: () => deps.server.peerOf(request),
});

/** The work of a stored read. It stops when the client hangs up. */
async function ask<Question, Output>(
  { deps, request, arrivedAtMs }: RequestContext,
  caller: Caller,
  read: Read<Question, Output>,
  question: Question,
): Promise<Reply<Output>> {
  const answer = await deps.store.read(read, question, {
    accountId: caller.account.id,
    signal: request.signal,
    arrivedAtMs,
  });
  const timing = `queue;dur=${answer.queueMs.toFixed(1)}, store;dur=${answer.storeMs.toFixed(1)}`;
  return new Reply<Output>(200, answer.json, { "server-timing": timing });
}

function headed<Output>(
  about: AboutProject,
  { status, json, headers }: Reply<Output>,
): Reply<AboutProject & Output> {
  assert(json.startsWith('{"'), "the answer of a read is an object with fields");
  return new Reply(status, `${JSON.stringify(about).slice(0, -1)},${json.slice(1)}`, headers);
}
