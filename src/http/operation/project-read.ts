/*
 * A read of one project is one value in one file.
 * Decision: `projectRead` makes an operation and the read that it asks the store for of one description. The fields
 * that are the same in every input (`tz`, `since`, `until`, `filters`) decide by their presence in the schema what is
 * derived: the zone, the dates, the checked filters, and the warnings about them.
 * Because: the same dozen lines stood in ten features, and a new read was four files and two lists.
 * Cost: reader threads load the file of a read too, so it may import descriptions alone of `http/`, which a test keeps.
 * A read of another kind (pages of a list, several questions at once, lookups of people) is a `projectOperation` with a
 * `Read` beside it.
 */

import type { ErrorCode } from "../../domain/errors";
import type { Warning } from "../../domain/fields";
import type { FilterItem } from "../../domain/filter-items";
import type { Goals } from "../../domain/goals/goals";
import { type Days, daysOf, windowOf } from "../../domain/period";
import { filterItems, filterItemsOfText, sentFilterErrors } from "../../domain/sent-filters";
import type { KnownDays } from "../../domain/shown-days";
import type { TimeWindow } from "../../domain/time-window";
import { zoneOfRead } from "../../domain/time-zone-name";
import { clock } from "../../lib/clock";
import { importedBeside } from "../../reads/imported-beside";
import { viewOf } from "../../reads/view";
import {
  type About,
  type Filtered,
  type Warned,
  warningsMax,
  warningsOf,
} from "../../reads/warnings";
import type { Read } from "../../store/port";
import type { Snapshot, View } from "../../store/questions";
import type { ProjectContext, projectOperation } from "./account-operation";
import answers from "./example-answers.json";
import type { Facts, OperationName } from "./facts";
import type { InputSchema } from "./input";
import type { Frozen, Operation, ReturnSchemas } from "./operation";
import type { OperationDoc } from "./operation-doc";
import type { TableForm } from "./table";

/** The fields that mean the same in every read. A schema has those of them that it takes. */
interface CommonInput {
  readonly tz?: string;
  readonly since?: string;
  readonly until?: string;
  /** A list in a body, the same list as JSON in a query string. */
  readonly filters?: string | readonly unknown[];
}
/** The fields of an answer that are added to what a read shapes. */
type CommonAnswer = "project" | "project_context" | "warnings" | "imported";

/** The question as it goes to the store: the read's own part, the project, the dates and the checked filters. */
type CheckedInput<Own> = Own & Filtered & { readonly days: Days; readonly known?: KnownDays };
type Shaped<Answer> = Frozen<Omit<Answer, CommonAnswer>>;

interface ProjectReadDefinition<Input, Answer, Own, Found>
  extends Pick<Facts, "access" | "shares"> {
  readonly doc: Pick<OperationDoc, "id" | "summary" | "description">;
  /** The codes of its own, beside those of filters. */
  readonly errors?: readonly ErrorCode[];
  /** A request that is worth copying. */
  readonly example: Readonly<Record<string, unknown>>;
  /** Its answer, where that of the golden corpus, which a command writes, shows too little. */
  readonly exampleAnswer?: unknown;
  readonly takes: InputSchema<Input>;
  readonly returns: InputSchema<Answer>;
  /** The table, if the answer can be had as CSV too. */
  readonly table?: TableForm<Input, Frozen<Answer>>;
  /** The answer points to dates of the window that GET /history has sums of. */
  readonly pointsToDays?: true;
  /**
   * The step "other fields": checks what the schema cannot say, and returns what the read asks beside the project and
   * its filters. Dates that it returns take the place of those from `since` to `until`.
   */
  question(input: Input, moment: Moment): Own & { readonly days?: Days };
  /** The time that may be touched, where it is more than the dates: sessions are judged on all their events. */
  scope?(asked: CheckedInput<Own>): TimeWindow;
  /** Asks the questions. `view` is the project on the dates, with the filters. Runs in a reader thread. */
  ask(snapshot: Snapshot, asked: CheckedInput<Own> & { readonly view: View }): Promise<Found>;
  /** Makes the answer of what was found. Runs in a reader thread. */
  shape(found: Found, asked: CheckedInput<Own>): Shaped<Answer>;
  /** Says what warnings look for beside the filters. */
  doubts?(asked: CheckedInput<Own>, found: Found): Doubts;
}

interface Moment {
  readonly nowMs: number;
  /** The time from which on the project may have had events, deleted ones included. */
  beganAtMs(): number;
  /** Absent for UTC. */
  readonly zone: string | undefined;
  readonly goals: Goals;
}
/** What may be misspelt beside the filters. */
interface Doubts extends Pick<About, "unfound" | "goals"> {
  /** The names of events. */
  readonly names?: readonly string[];
  /** Where names and properties are looked for, if that is not the dates of the question. */
  readonly days?: Days;
  readonly within?: TimeWindow;
  /** Further warnings of the read, which come first. */
  readonly own?: readonly Warning[];
}

/** A read that reader threads find by its name, and the operation that asks for it. */
export interface ProjectRead<Question, Answer> extends Read<Question, Answer> {
  readonly name: OperationName;
  /** Makes the operation, with the function that makes those about a project: reader threads have none. */
  operation(make: typeof projectOperation): Operation;
}

export function projectRead<Input extends CommonInput, Answer, Own extends object, Found>(
  name: OperationName,
  definition: ProjectReadDefinition<Input, Answer, Own, Found>,
): ProjectRead<CheckedInput<Own>, Shaped<Answer> & Warned> {
  const { access, shares, doc, takes, returns, table } = definition;
  const { example: input, exampleAnswer: answer = exampleAnswers.get(name) } = definition;
  const takesFilters = takes.properties?.filters !== undefined;
  const read = storeRead(name, definition, takesFilters);
  const handle = async ({
    project,
    input,
    withAvailable,
    goals,
    ...context
  }: ProjectContext<Input>) => {
    const { tz, since, until, filters } = input;
    const zone = takes.properties?.tz === undefined ? undefined : zoneOfRead(tz, project);
    const nowMs = clock.nowMs();
    const { beganAtMs } = context;
    const own = definition.question(input, { nowMs, beganAtMs, zone, goals });
    const days = own.days ?? daysOf({ since, until, nowMs, zone });
    const checked = takesFilters ? await withAvailable(() => itemsOf(filters, goals), days) : [];
    const question = { ...own, projectId: project.id, days, filters: checked };
    const known = definition.pointsToDays === true ? context.knownDays(days) : null;
    return context.read(read, known === null ? question : { ...question, known }, days);
  };
  const shown: ReturnSchemas = { 200: returns };
  return {
    ...read,
    name,
    operation: (make) =>
      make(name, {
        ...{ access, takes, returns: shown, handle },
        ...(shares !== undefined && { shares }),
        ...(table !== undefined && { table }),
        doc: {
          ...{
            ...doc,
            tag: "Reads",
            example: { input, answer },
          },
          errors: [...(definition.errors ?? []), ...(takesFilters ? sentFilterErrors : [])],
        },
      }),
  };
}

/** Written by `test/golden/write.ts`: the answers of the golden corpus to the examples, with their lists cut short. */
const exampleAnswers: ReadonlyMap<string, unknown> = new Map(Object.entries(answers));

const itemsOf = (filters: CommonInput["filters"], goals: Goals): FilterItem[] =>
  typeof filters === "string" ? filterItemsOfText(filters, goals) : filterItems(filters, goals);

/** The part that runs in a reader thread. */
const storeRead = <Input, Answer, Own, Found>(
  name: string,
  { scope, ask, shape, doubts }: ProjectReadDefinition<Input, Answer, Own, Found>,
  takesFilters: boolean,
): Read<CheckedInput<Own>, Shaped<Answer> & Warned> => ({
  name,
  scope: (asked) => ({
    projectIds: [asked.projectId],
    ...(scope?.(asked) ?? windowOf(asked.days)),
  }),
  async run(snapshot, asked) {
    const { projectId, days, filters } = asked;
    const found = await ask(snapshot, { ...asked, view: viewOf(projectId, days, filters) });
    const { known } = asked;
    const pointer = known === undefined ? {} : await importedBeside(snapshot, projectId, known);
    const answer = { ...shape(found, asked), ...pointer };
    if (!takesFilters) return answer;
    const { names, unfound = [], goals = [], own = [], ...dates } = doubts?.(asked, found) ?? {};
    const about = { ...asked, unfound, goals };
    const { warnings: others = [] } = await warningsOf(snapshot, about, { days, ...dates }, names);
    const warnings = [...own, ...others].slice(0, warningsMax);
    return { ...answer, ...(warnings.length > 0 && { warnings }) };
  },
});
