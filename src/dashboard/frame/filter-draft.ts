import {
  type Filter,
  groupOf,
  isAnyOf,
  type Simple,
  takesList,
  takesNothing,
} from "../state/filters";

/** A condition while it is written. What the person did stands beside the fields of events. */
export interface Draft {
  readonly field: string;
  readonly op: string;
  /** Chosen already, of several. */
  readonly values: readonly string[];
  readonly text: string;
}
export const didField = "did";
export const didOps = [
  ["did", "did"],
  ["did_not", "did not"],
] as const;

export const newDraft: Draft = { field: "properties.path", op: "eq", values: [], text: "" };

const draftOfSimple = (filter: Simple): Draft => {
  if ("did" in filter) return { field: didField, op: "did", values: [], text: filter.did };
  if ("did_not" in filter) {
    return { field: didField, op: "did_not", values: [], text: filter.did_not };
  }
  const { field, op, value } = filter;
  return typeof value === "string"
    ? { field, op, values: [], text: value }
    : { field, op, values: value ?? [], text: "" };
};
export const draftsOf = (filter: Filter | null): readonly Draft[] =>
  filter === null ? [newDraft] : (isAnyOf(filter) ? filter.any : [filter]).map(draftOfSimple);

const allValues = ({ values, text }: Draft): readonly string[] =>
  text === "" || values.includes(text) ? values : [...values, text];

/** The filter that the draft describes; null while something is missing. */
function simpleOf(draft: Draft): Simple | null {
  const { field, op, text } = draft;
  if (field !== didField) {
    if (takesNothing(op)) return { field, op };
    if (takesList(op)) {
      const value = allValues(draft);
      return value.length > 0 ? { field, op, value } : null;
    }
    return text === "" ? null : { field, op, value: text };
  }
  if (text === "") return null;
  return op === "did" ? { did: text } : { did_not: text };
}

export function filterOfDrafts(drafts: readonly Draft[]): Filter | null {
  const made = drafts.map(simpleOf).filter((one) => one !== null);
  if (made.length < drafts.length) return null;
  return groupOf(made);
}

/** Changes the field. The operator stays, unless the field has others; so does the value. */
export function withField(draft: Draft, field: string): Draft {
  const isDid = field === didField;
  const op = isDid ? "did" : draft.field === didField ? "eq" : draft.op;
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
