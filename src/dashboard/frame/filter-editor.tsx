import { useId, useState } from "preact/hooks";
import type { PropertiesAnswer, QueryAnswer } from "../data/answers";
import * as queries from "../data/queries";
import { useRead } from "../data/reads";
import {
  commonFields,
  type Filter,
  goalField,
  nameOf,
  ops,
  plainOps,
  sessionFields,
  takesList,
  takesNothing,
} from "../state/filters";
import { maySee } from "../state/rights";
import { scope } from "../state/scope";
import { shared } from "../state/share";
import { useGoalNames } from "../ui/goal-names";
import { Icon } from "../ui/icons";
import { optionsFor, optionsOf } from "../ui/options";
import { SaidWhole } from "../ui/said";
import {
  type Draft,
  didField,
  draftsOf,
  filterOfDrafts,
  newDraft,
  opsOf,
  withField,
  withOp,
  withValue,
} from "./filter-draft";

/** The API takes at most this many conditions in a group. */
const alternativesMax = 10;

interface EditorProps {
  /** The filter; null for a new one. */
  readonly filter: Filter | null;
  readonly save: (filter: Filter) => void;
  /** One condition with one value, as a step of a funnel takes it. */
  readonly isPlain?: boolean;
}

/** One condition, or several of which one must hold. The values to choose from are those that were sent. */
export function FilterEditor({ filter, save, isPlain = false }: EditorProps) {
  const [drafts, setDrafts] = useState(draftsOf(filter));
  const made = filterOfDrafts(drafts);
  const change = (at: number, draft: Draft | null) =>
    setDrafts(drafts.flatMap((one, i) => (i !== at ? [one] : draft === null ? [] : [draft])));
  const submit = (event: Event) => {
    event.preventDefault();
    if (made !== null) save(made);
  };
  return (
    <form class="filter-form" onSubmit={submit}>
      {drafts.map((draft, i) => (
        <fieldset key={i} class="alternative">
          {drafts.length > 1 && (
            <legend>
              {i === 0 ? "Either" : "or"}
              <button
                type="button"
                class="plain"
                aria-label={`Remove alternative ${i + 1}`}
                onClick={() => change(i, null)}
              >
                <Icon name="close" />
              </button>
            </legend>
          )}
          <ConditionFields
            draft={draft}
            kind={isPlain ? "step" : "any"}
            change={(next) => change(i, next)}
          />
        </fieldset>
      ))}
      {!isPlain && drafts.length < alternativesMax && (
        <button
          type="button"
          class="second"
          onClick={() => setDrafts([...drafts, { ...newDraft, field: drafts[0]?.field ?? "" }])}
        >
          Or …
        </button>
      )}
      <button type="submit" disabled={made === null}>
        {filter === null ? "Add filter" : "Save filter"}
      </button>
    </form>
  );
}

/** A step of a funnel and a goal take conditions on the event itself; a step takes one value, a goal no visitor. */
type Kind = "any" | "step" | "goal";

interface ConditionProps {
  readonly draft: Draft;
  readonly kind: Kind;
  readonly change: (draft: Draft) => void;
}

/** Field, comparison and value of one condition. */
export function ConditionFields({ draft, kind, change }: ConditionProps) {
  const { field, op } = draft;
  const properties = queries.properties(scope.value);
  const known = useRead<PropertiesAnswer>("Events and property keys", properties).data;
  const offered = opsOf(field) ?? (kind === "step" ? plainOps : ops);
  return (
    <>
      <FieldChoice
        field={field}
        keys={known?.property_keys ?? []}
        kind={kind}
        choose={(next) => change(withField(draft, next))}
      />
      <label>
        Comparison
        <select value={op} onChange={(event) => change(withOp(draft, event.currentTarget.value))}>
          {optionsOf(offered)}
        </select>
      </label>
      {field === goalField ? (
        <GoalValue draft={draft} change={change} />
      ) : (
        !takesNothing(op) && (
          <Value
            draft={draft}
            events={known?.events.map(({ event }) => event) ?? []}
            change={change}
          />
        )
      )}
    </>
  );
}

interface FieldChoiceProps {
  readonly field: string;
  readonly keys: readonly string[];
  readonly kind: Kind;
  readonly choose: (field: string) => void;
}

function FieldChoice({ field, keys, kind, choose }: FieldChoiceProps) {
  const own = keys.map((key) => `properties.${key}`).filter((key) => !commonFields.includes(key));
  const groups: readonly (readonly [label: string, fields: readonly string[]])[] = [
    ["Common", commonFields.filter((one) => maySee(one) && (kind !== "goal" || !isOfVisitor(one)))],
    ...(kind === "any" ? ([["Session", sessionFields]] as const) : []),
    ["Properties", own],
  ];
  const hasDid = kind === "any" && (shared?.filters.length ?? 0) === 0;
  const isKnown = opsOf(field) !== null || groups.some(([, fields]) => fields.includes(field));
  return (
    <label>
      Field
      <select value={field} onChange={(event) => choose(event.currentTarget.value)}>
        {!isKnown && <option value={field}>{nameOf(field)}</option>}
        {groups.map(([label, fields]) => (
          <optgroup key={label} label={label}>
            {optionsFor(fields, nameOf)}
          </optgroup>
        ))}
        {hasDid && <option value={didField}>What the visitor did</option>}
        {kind === "any" && <option value={goalField}>Goal reached</option>}
      </select>
    </label>
  );
}

type GoalValueProps = Pick<ConditionProps, "draft" | "change">;

/** One of the goals of the project. */
function GoalValue({ draft, change }: GoalValueProps) {
  const goals = useGoalNames();
  const isKnown = goals.some(({ id }) => id === draft.text);
  return (
    <label>
      Goal
      <select
        value={draft.text}
        onChange={(event) => change({ ...draft, text: event.currentTarget.value })}
      >
        {!isKnown && <option value={draft.text}>{draft.text || "Choose a goal"}</option>}
        {goals.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ValueProps {
  readonly draft: Draft;
  readonly events: readonly string[];
  readonly change: (draft: Draft) => void;
}

/** One value, or with "is one of" as many as are added by Enter. */
function Value({ draft, events, change }: ValueProps) {
  const id = useId();
  const { field, op, values, text } = draft;
  const isList = takesList(op);
  const addByEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !isList || text === "") return;
    event.preventDefault();
    change(withValue(draft));
  };
  return (
    <>
      {values.length > 0 && (
        <ul class="values" aria-label="Values">
          {values.map((value) => (
            <li key={value} class="chip">
              <SaidWhole text={value} />
              <button
                type="button"
                aria-label={`Remove value: ${value}`}
                onClick={() =>
                  change({ ...draft, values: values.filter((other) => other !== value) })
                }
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <label>
        {isList ? "Value (press Enter to add more)" : "Value"}
        <input
          value={text}
          list={id}
          autocomplete="off"
          onKeyDown={addByEnter}
          onInput={(event) => change({ ...draft, text: event.currentTarget.value })}
        />
      </label>
      <Offered id={id} field={field} events={events} />
    </>
  );
}

const isOfVisitor = (field: string): boolean => field === "user_id" || field === "session_id";

interface OfferedProps {
  readonly id: string;
  readonly field: string;
  readonly events: readonly string[];
}

function Offered({ id, field, events }: OfferedProps) {
  const isEvent = field === "event" || field === didField;
  const isSingle = isOfVisitor(field);
  const request = isEvent || isSingle ? null : queries.valuesToChoose(scope.value, field);
  const answer = useRead<QueryAnswer>("Suggested values", request).data;
  const values = answer?.rows.map((row) => row[field] ?? null).filter((one) => one !== null) ?? [];
  return (
    <datalist id={id}>
      {(isEvent ? events : isSingle ? [] : values).map((one) => (
        <option key={one} value={one} label={String(one)} />
      ))}
    </datalist>
  );
}
