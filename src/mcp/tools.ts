import type { Caller } from "../domain/caller";
import { isScope, mayUse } from "../http/auth/gate";
import { hasRights } from "../http/auth/rights";
import type { OperationName } from "../http/operation/facts";
import type { Operation } from "../http/operation/operation";

export type Arguments = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  /** The description: what the tool answers, when to prefer it, what to call before. */
  readonly description: string;
  /** The operations of the tool. A caller must have the right to all of them, unless the tool asks one of them. */
  readonly operations: readonly OperationName[];
  readonly asks: "all" | "one";
  /** Operations whose answers come along; they can be asked by `more_reads` too. */
  readonly beside?: readonly OperationName[];
  readonly kind: "read" | "change" | "addition";
  readonly isIdempotent?: boolean;
  /** Chooses among several operations the one that these arguments mean. */
  choose?(args: Arguments, caller: Caller): OperationName;
}

const read = (name: string, operation: OperationName, description: string): Tool => ({
  name,
  description,
  operations: [operation],
  asks: "all",
  kind: "read",
});

const isGiven = (value: unknown): boolean => (value ?? null) !== null;

/** All tools, in the order in which they are shown; `more_reads` has what no other one reads (toolbox.ts). */
export const tools: readonly Tool[] = [
  read(
    "list_projects",
    "GET /projects",
    "Projects of the account with ids, names and totals. Call it first.",
  ),
  {
    name: "describe_project",
    description:
      "Event names, property keys, goals, and the project's purpose, terms and releases. Call it before query, " +
      "breakdown or funnel.",
    operations: ["GET /properties", "GET /project-context"],
    beside: ["GET /goals"],
    asks: "all",
    kind: "read",
  },
  read(
    "overview",
    "GET /stats",
    "Visitors, events, sessions and top events of a window, with a time series. Start here.",
  ),
  read(
    "changes",
    "GET /changes",
    "Whether a period differs from the previous one by more than chance, and which countries, pages, " +
      'sources, events or versions explain it. Use it first for any "why".',
  ),
  read(
    "query",
    "POST /query",
    "Any metrics by any groups and filters. Use it if no other tool fits; get names from describe_project. " +
      "`queries` runs several at once.",
  ),
  read(
    "funnel",
    "POST /funnel",
    "Count visitors who complete a list of events in order, and where they stop. Get event names from " +
      "describe_project.",
  ),
  read(
    "paths",
    "POST /paths",
    "Entry pages and steps by which sessions reach a goal event, and where others leave.",
  ),
  read(
    "breakdown",
    "GET /breakdown",
    "Most frequent values of one property, such as path, referrer or plan. Get keys from describe_project.",
  ),
  read("pages", "GET /pages", "Entry and exit pages of sessions with bounce rates and durations."),
  read("retention", "GET /retention", "How many visitors of a day, week or month returned later."),
  read(
    "sessions",
    "GET /sessions",
    "Individual sessions, newest first, with pages, duration and browser. For examples.",
  ),
  read(
    "events",
    "GET /events",
    "Individual events, newest first, with all properties. To check tracking.",
  ),
  read("live", "GET /live", "Visitors, pages and events of the last minutes."),
  {
    name: "journey",
    description:
      "Events of one user, oldest first. Get ids from events, sessions or a query by user_id.",
    operations: ["POST /journey/lookup", "GET /journey"],
    asks: "one",
    kind: "read",
    choose: (_, { isDemo }) => (isDemo ? "GET /journey" : "POST /journey/lookup"),
  },
  read(
    "all_sites",
    "GET /account/all-sites",
    "Events of all projects, compared with the previous period.",
  ),
  {
    name: "bot_traffic",
    description:
      "Crawlers, AI agents and monitors, which no other tool counts. Without `project`: all projects " +
      "together.",
    operations: ["GET /bot-traffic", "GET /account/bot-traffic"],
    asks: "one",
    kind: "read",
    choose: ({ project }) => (isGiven(project) ? "GET /bot-traffic" : "GET /account/bot-traffic"),
  },
  {
    name: "experiments",
    description:
      "A/B tests of a project; with an `id` from that list, one test with results and a recommendation.",
    operations: ["GET /experiments", "GET /experiments/{id}"],
    asks: "one",
    kind: "read",
    choose: ({ id }) => (isGiven(id) ? "GET /experiments/{id}" : "GET /experiments"),
  },
  {
    name: "create_project",
    description:
      "Creates a project, or returns the existing one of that name, with the snippet for its pages.",
    operations: ["POST /projects"],
    asks: "all",
    kind: "addition",
    isIdempotent: true,
  },
  {
    name: "set_project_context",
    description:
      "Replaces a project's context. Call describe_project first, and send everything back with your changes " +
      "and its updated_at.",
    operations: ["PUT /project-context"],
    asks: "all",
    kind: "change",
  },
  {
    name: "create_experiment",
    description:
      "Starts an A/B test immediately. First agree with your human on variants and goal.",
    operations: ["POST /experiments"],
    asks: "all",
    kind: "addition",
  },
  {
    name: "update_experiment",
    description:
      "Pauses, resumes or completes an A/B test; completing is final. Read its results first.",
    operations: ["PATCH /experiments/{id}"],
    asks: "all",
    kind: "change",
  },
  {
    name: "send_feedback",
    description: "Sends feedback to the server's administrator. No secrets, no personal data.",
    operations: ["POST /account/feedback"],
    asks: "all",
    kind: "addition",
  },
];

/** Older paths of operations that have another one. */
const aliases: ReadonlySet<string> = new Set(["POST /events", "POST /journey"]);

/** Tells whether an operation reads something of an account and can be asked by a tool. */
export const isAccountRead = ({ name, rule, isStream, call }: Operation): boolean =>
  call !== undefined &&
  isScope(rule.access) &&
  (rule.read || name.startsWith("GET ")) &&
  !isStream &&
  !aliases.has(name);

const named: ReadonlySet<string> = new Set(tools.flatMap(({ operations }) => operations));

/** Returns the operations of `more_reads`: every read of an account that has no tool of its own. */
export const moreReads = (operations: readonly Operation[]): readonly Operation[] =>
  operations.filter((operation) => isAccountRead(operation) && !named.has(operation.name));

/** Tells whether a credential has the right to an operation, as far as that depends on the caller. */
export const isOpenTo = ({ rule }: Operation, caller: Caller): boolean => {
  if (caller.isDemo) return rule.demo;
  return isScope(rule.access) && mayUse(rule.access, caller) && hasRights(rule, caller);
};
