import {
  type Did,
  type DidWord,
  didNames,
  didOf,
  type Filter,
  goalField,
  groupOf,
  isAnyOf,
  isCondition,
  isOfSession,
  type Simple,
  takesList,
  takesNothing,
  wordsOf,
} from "../state/filters";

/** A condition while it is written. What the person did stands beside the fields of events. */
export interface Draft {
  readonly field: string;
  readonly op: string;
  /** Chosen already, of several. */
  readonly values: readonly string[];
  readonly text: string;
  /** Further conditions on what happened, which the editor keeps as they are. */
  readonly more?: Omit<Did, DidWord>;
}
export const didField = "did";
const didOps = [
  ["did", "did"],
  ["did_not", "did not"],
  ["session_did", "in this session"],
  ["session_did_not", "not in this session"],
] as const;
/** Returns the operators of goals and visitors; null for a field of events. A goal has those of sessions. */
export const opsOf = (field: string): readonly (readonly [string, string])[] | null =>
  field === didField
    ? didOps
    : field === goalField
      ? didOps.filter(([op]) => isOfSession(op))
      : null;

export const newDraft: Draft = { field: "properties.path", op: "eq", values: [], text: "" };

const draftOfSimple = (filter: Simple): Draft => {
  if (!isCondition(filter)) {
    const [op, happened] = didOf(filter);
    const { [op]: _, ...more } = filter;
    return typeof happened === "string"
      ? { field: didField, op, values: [], text: happened, more }
      : { field: goalField, op, values: [], text: happened.goal, more };
  }
  const { field, op } = filter;
  const { values } = wordsOf(filter);
  return takesList(op)
    ? { field, op, values, text: "" }
    : { field, op, values: [], text: values[0] ?? "" };
};
export const draftsOf = (filter: Filter | null): readonly Draft[] =>
  filter === null ? [newDraft] : (isAnyOf(filter) ? filter.any : [filter]).map(draftOfSimple);

const allValues = ({ values, text }: Draft): readonly string[] =>
  text === "" || values.includes(text) ? values : [...values, text];

/** The filter that the draft describes; null while something is missing. */
function simpleOf(draft: Draft): Simple | null {
  const { field, op, text } = draft;
  if (opsOf(field) === null) {
    if (takesNothing(op)) return { field, op };
    if (takesList(op)) {
      const value = allValues(draft);
      return value.length > 0 ? { field, op, value } : null;
    }
    return text === "" ? null : { field, op, value: text };
  }
  const word = didNames.find((name) => name === op);
  if (text === "" || word === undefined) return null;
  const { since, ...more } = draft.more ?? {};
  const hasSince = since !== undefined && !isOfSession(word);
  return {
    [word]: field === goalField ? { goal: text } : text,
    ...more,
    ...(hasSince && { since }),
  };
}

export function filterOfDrafts(drafts: readonly Draft[]): Filter | null {
  const made = drafts.map(simpleOf).filter((one) => one !== null);
  if (made.length < drafts.length) return null;
  return groupOf(made);
}

/** Changes the field. The operator stays, unless the field has others; so does the value. */
export function withField(draft: Draft, field: string): Draft {
  const [first] = opsOf(field) ?? [];
  const op = first?.[0] ?? (opsOf(draft.field) === null ? draft.op : "eq");
  return { ...newDraft, field, op };
}

/** Keeps what was written so far where the other field allows it. */
export function withOp(draft: Draft, op: string): Draft {
  if (takesNothing(op)) return { ...draft, op, values: [], text: "" };
  if (takesList(op)) return { ...draft, op };
  const [first = ""] = allValues(draft);
  return { ...draft, op, values: [], text: first };
}

export const withValue = (draft: Draft): Draft => ({
  ...draft,
  values: allValues(draft),
  text: "",
});
