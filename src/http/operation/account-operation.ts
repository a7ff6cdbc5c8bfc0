import type { Caller } from "../../domain/caller";
import type { Goals } from "../../domain/goals/goals";
import type { Days } from "../../domain/period";
import type { KnownDays } from "../../domain/shown-days";
import { ownHostsOf } from "../../domain/sources/referrer";
import { assert } from "../../lib/assert";
import type { Project } from "../../store/control/project-selector";
import type { Read } from "../../store/port";
import { narrowingOf, refusePeople } from "../auth/share-access";
import { Reply, replyOf } from "../edge/reply";
import { goalsOf } from "../goals-of";
import { type AboutProject, aboutProject } from "./about-project";
import { withAvailableProperties } from "./available-properties";
import { type CallParts, callOf } from "./call-of";
import { admit, projectOf, readBody, refuseAddressInDemo, type Shaped, shapeInput } from "./checks";
import { inFormAsked, shownCsv } from "./csv-form";
import {
  DataLog,
  dataHeaders,
  factsNow,
  factsRequest,
  sourceOf,
  storedDaysOfRead,
} from "./data-read";
import type { Facts, OperationName } from "./facts";
import { checkFields, isObject } from "./input";
import {
  type AnswerOf,
  type Context,
  type Definition,
  type Operation,
  operation,
  type RequestHead,
  type ReturnSchemas,
  type Value,
} from "./operation";
import { withReceipt } from "./receipt";
import { beganAtMsOf, knownDaysOf } from "./stored-before";
import type { TableForm } from "./table";
import { termsOnly, wantsReceipt, withTerms } from "./terms";

/** What handlers are given about a caller who was admitted. */
export interface AccountContext<Input> extends Omit<Context, "request"> {
  readonly request: RequestHead;
  readonly input: Input;
  readonly caller: Caller;
  /** Checks the monthly read cap, then counts a read. It is for R operations that need nothing of the event store. */
  countRead(): void;
  /** Checks the monthly read cap, counts the read (for a project too, if the path led to one), then makes it. */
  read<Question, Output>(
    read: Read<Question, Output>,
    question: Question,
    days: Days,
    project?: Project,
  ): Promise<Reply<Output>>;
}

export interface ProjectContext<Input> extends Omit<AccountContext<Input>, "read"> {
  readonly project: Project;
  readonly goals: Goals;
  /** The answer tells of recordings, too: as they were after this change. */
  sawRecordings(lastChange: number): void;
  /**
   * Reads as above, and puts `project` (the name) before the answer's own fields, and the project's context, with the
   * annotations near `days`: the dates that the caller asked for.
   */
  read<Question, Output>(
    read: Read<Question, Output>,
    question: Question,
    days: Days,
  ): Promise<Reply<AboutProject & Output>>;
  /** Returns the time from which on the project may have had events, deleted ones included, in Unix ms. */
  beganAtMs(): number;
  /** Returns those of the dates that have sums of days; null if none has, and for shares with filters. */
  knownDays(days: Days): KnownDays | null;
  /** Makes a check of filters; where it refuses a field, the refusal names what the project has in `days`. */
  withAvailable<T>(check: () => T, days: Days): Promise<T>;
  /** Several questions at once, of one snapshot. Each counts as a read. */
  readEach<Question, Output>(
    read: Read<{ readonly questions: readonly Question[] }, Output>,
    questions: readonly Question[],
    days: Days,
  ): Promise<Reply<AboutProject & Output>>;
}

interface AccountDefinition<Input, Returns extends ReturnSchemas, Answer>
  extends Definition<AccountContext<Input>, Input, Returns, Answer> {
  /** Refuses a path that names nothing of the caller's, before the fields are looked at. */
  checkPath?(asked: Pick<AccountContext<Input>, "caller" | "params">): void;
  /** The table, if the answer can be had as CSV too. */
  readonly table?: TableForm<Input, Value<Returns[keyof Returns]>>;
}

/** Defines an operation with an account: API key, browser session or agent session, as the index says. */
export const accountOperation = <
  Input,
  const Returns extends ReturnSchemas,
  const Answer extends AnswerOf<Returns>,
>(
  name: OperationName,
  definition: AccountDefinition<Input, Returns, Answer>,
): Operation =>
  admitted(name, definition, (asked, shaped) => {
    const { deps, caller } = asked;
    definition.checkPath?.(asked);
    const input = checkFields(definition.takes, shaped);
    const toForm = inFormAsked(name, definition.table, asked.terms, input);
    const answer = definition.handle({
      ...headOf(asked),
      input,
      caller,
      countRead: () => deps.usage.countRead(caller, null),
      read: async (read, question, days, project) => {
        deps.usage.countRead(caller, project?.id ?? null);
        return ask(asked, read, question, days, project ?? null);
      },
    });
    return toForm(withFacts(asked, name, definition, input, null, answer));
  });

/** What a feature says about an operation on a project. */
interface ProjectDefinition<Input, Returns extends ReturnSchemas, Answer>
  extends Definition<ProjectContext<Input>, Input, Returns, Answer> {
  /** The table, if the answer can be had as CSV too. */
  readonly table?: TableForm<Input, Value<Returns[keyof Returns]>>;
}

/** About one project of the account, named by `project` in the query string or body. */
export const projectOperation = <
  Input,
  const Returns extends ReturnSchemas,
  const Answer extends AnswerOf<Returns>,
>(
  name: OperationName,
  definition: ProjectDefinition<Input, Returns, Answer>,
): Operation =>
  admitted(name, definition, (asked, shaped) => {
    const { deps, caller } = asked;
    // Only the questions of reads can single somebody out: texts that a member writes may have any words.
    if (definition.access.read || caller.share !== null) refusePeople(caller, shaped);
    const project = projectOf(deps, caller, shaped);
    const input = checkFields(definition.takes, shaped);
    const toForm = inFormAsked(name, definition.table, asked.terms, input);
    const goals = goalsOf(deps, project);
    asked.data.goals = goals;
    const about = (days: Days) =>
      aboutProject(deps, project, days, { context: shaped.context !== false });
    const answer = definition.handle({
      ...headOf(asked),
      input,
      caller,
      project,
      goals,
      sawRecordings: (lastChange) => {
        asked.data.recordings = lastChange;
      },
      countRead: () => deps.usage.countRead(caller, project.id),
      read: async (read, question, days) => {
        deps.usage.countRead(caller, project.id);
        return headed(about(days), await ask(asked, read, question, days, project));
      },
      beganAtMs: () => beganAtMsOf(deps, project),
      knownDays: (days) => knownDaysOf(deps, caller, project, days),
      withAvailable: (check, days) => {
        const { signal } = asked.request;
        const { id: accountId } = caller.account;
        const asking = { accountId, signal, arrivedAtMs: asked.arrivedAtMs };
        const request = { ...asking, narrowedBy: narrowingOf(caller, project) };
        return withAvailableProperties(deps, check, request, project.id, days);
      },
      readEach: async (read, questions, days) => {
        deps.usage.countRead(caller, project.id, questions.length);
        return headed(about(days), await ask(asked, read, { questions }, days, project));
      },
    });
    return toForm(withFacts(asked, name, definition, input, project, answer));
  });

const headOf = ({ request, requestId, params, peer, setIdle }: CallParts) => ({
  request,
  requestId,
  params,
  peer,
  setIdle,
});

type Admitted<Input> = Definition<never, Input, ReturnSchemas, unknown> & {
  readonly table?: TableForm<Input, never>;
};

/** Runs the checks before the input is looked at, for a request and for a call; `work` is the same for both. */
function admitted<Input>(
  name: OperationName,
  definition: Admitted<Input>,
  work: (asked: CallParts, shaped: Shaped) => unknown,
): Operation {
  const { takes, bodyBytesMax, table } = definition;
  const forms = { hasTable: table !== undefined, hasReceipt: definition.access.read };
  const isPlain = !forms.hasTable && !forms.hasReceipt;
  const [known, beside] = [withTerms(takes, forms), termsOnly(forms)];
  return operation(name, definition, {
    hasReceipt: forms.hasReceipt,
    answer: async (context) => {
      const text = await readBody(context, bodyBytesMax);
      const admission = admit(context);
      const caller = admission instanceof Promise ? await admission : admission;
      refuseAddressInDemo(caller, text);
      const { deps, request, requestId, params, arrivedAtMs } = context;
      const setIdle = (seconds: number): void => deps.server.setIdle(request, seconds);
      const peer = () => deps.server.peerOf(request);
      const asked = { deps, caller, request, requestId, params, arrivedAtMs, peer, setIdle };
      if (isPlain) {
        return work({ ...asked, data: new DataLog(false) }, shapeInput(context, takes, text));
      }
      const sent = shapeInput(context, known, text, beside);
      const { format, receipt, ...shaped } = sent;
      const data = new DataLog(wantsReceipt(receipt));
      const terms = { format, headers: request.headers, data };
      return work({ ...asked, data, terms }, shaped);
    },
    call: callOf(name, { ...definition, hasReceipt: forms.hasReceipt }, work),
    ...(table !== undefined && { csv: shownCsv(table, definition.doc) }),
  });
}

/** The work of a stored read. It stops when the client hangs up. */
async function ask<Question, Output>(
  { deps, caller, request, arrivedAtMs, data }: CallParts,
  read: Read<Question, Output>,
  question: Question,
  days: Days,
  project: Project | null,
): Promise<Reply<Output>> {
  // Before the store is asked: what changes meanwhile is of the next version.
  const source = sourceOf(deps, caller, project);
  const narrowedBy = narrowingOf(caller, project);
  const answer = await deps.store.read(read, question, {
    accountId: caller.account.id,
    signal: request.signal,
    arrivedAtMs,
    narrowedBy,
    facts: factsRequest(source, project, days, data.wantsReceipt),
    ...(project !== null && { ownHosts: ownHostsOf(project) }),
  });
  const { facts, queueMs, storeMs } = answer;
  const asked = isObject(question) ? question : {};
  data.last = { source, project, narrowedBy, days, question: asked, facts };
  const timing = `queue;dur=${queueMs.toFixed(1)}, store;dur=${storeMs.toFixed(1)}`;
  return new Reply<Output>(200, answer.json, {
    "server-timing": timing,
    ...dataHeaders(data.last),
  });
}

type AnsweredOperation = Facts & Pick<Operation, "takes" | "returns">;

/** Adds facts about the data to the answer of a read: headers, and a receipt if the request wants one. */
async function withFacts(
  { deps, caller, params, arrivedAtMs, data }: CallParts,
  name: OperationName,
  { access, takes, takesQuery, returns }: AnsweredOperation,
  input: unknown,
  project: Project | null,
  made: unknown,
): Promise<unknown> {
  const answer = await made;
  if (!access.read || answer instanceof Response) return answer;
  const { status, json, headers } = replyOf(answer, Number(Object.keys(returns)[0] ?? 200));
  const known = data.last?.source ?? sourceOf(deps, caller, project);
  const source = { ...known, recordings: data.recordings ?? known.recordings };
  const facts = data.last?.facts ?? factsNow(deps, source, arrivedAtMs);
  const narrowedBy = narrowingOf(caller, project);
  const read = { project, narrowedBy, days: null, question: {}, facts, ...data.last, source };
  const own = { ...headers, ...dataHeaders(read) };
  if (!data.wantsReceipt) return new Reply(status, json, own);
  const isQuery = takesQuery === true || name.startsWith("GET ");
  const storedDays = storedDaysOfRead(deps, caller, project);
  const { goals } = data;
  const isShare = caller.share !== null;
  const asked = { name, takes, isQuery, params, input, storedDays, goals, isShare };
  return new Reply(status, withReceipt(json, read, asked), own);
}

function headed<Output>(
  about: AboutProject,
  { status, json, headers }: Reply<Output>,
): Reply<AboutProject & Output> {
  assert(json.startsWith('{"'), "the answer of a read is an object with fields");
  return new Reply(status, `${JSON.stringify(about).slice(0, -1)},${json.slice(1)}`, headers);
}
