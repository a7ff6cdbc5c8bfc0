import type { Goal } from "../../data/goal-answers";
import { goalMax } from "../../data/limits";
import { type Draft, draftsOf, filterOfDrafts } from "../../frame/filter-draft";
import { conditionOf, type Filter } from "../../state/filters";

/** A goal while somebody writes it. */
export interface GoalDraft {
  readonly name: string;
  readonly kind: "event" | "page";
  /** The name of the event, or the page. */
  readonly match: string;
  readonly filters: readonly Draft[];
  readonly property: string;
  readonly currency: string;
  readonly oncePer: string;
}
/** The place of an error: a field of the form, or the form as a whole. */
export type Place = keyof GoalDraft | "form";

export const draftOf = (goal: Goal | null): GoalDraft => ({
  name: goal?.name ?? "",
  kind: goal !== null && goal.page !== null ? "page" : "event",
  match: goal?.event ?? goal?.page ?? "",
  filters: (goal?.filters ?? []).flatMap((one) => draftsOf(conditionOf(one))),
  property: goal?.value?.property ?? "",
  currency: goal?.value?.currency ?? "",
  oncePer: goal?.once_per ?? "",
});

interface Definition {
  readonly event?: string;
  readonly page?: string;
  readonly filters: readonly Filter[];
  readonly value: Goal["value"];
  readonly once_per: string | null;
}

/** Returns the definition in the API's fields; null while one is missing. */
export function definitionOf(draft: GoalDraft): Definition | null {
  const { kind, match, property, currency, oncePer } = draft;
  const filters = draft.filters.map((one) => filterOfDrafts([one])).filter((one) => one !== null);
  if (match.trim() === "" || filters.length < draft.filters.length) return null;
  const code = currency.trim().toUpperCase();
  const value =
    property.trim() === "" ? null : { property: property.trim(), currency: code || null };
  return { [kind]: match, filters, value, once_per: oncePer.trim() || null };
}

/** The same without empty fields, for a query. */
export const questionOf = (draft: GoalDraft) => {
  const definition = definitionOf(draft);
  return (
    definition && Object.fromEntries(Object.entries(definition).filter(([, one]) => one !== null))
  );
};

const placeOfField: Readonly<Record<string, Place>> = {
  name: "name",
  event: "match",
  page: "match",
  value: "property",
  "value.property": "property",
  "value.currency": "currency",
  once_per: "oncePer",
};

interface Refused {
  readonly code: string;
  readonly message: string;
  readonly more: Readonly<Record<string, unknown>>;
}

/** Returns the field that the server refused. In the error of a preview its path begins with `goal`. */
export function placeOf({ code, more }: Refused): Place {
  if (code === "GOAL_NAME_TAKEN") return "name";
  const field = String(more.field ?? "").replace(/^goal\./, "");
  if (field.startsWith("filters") || code.startsWith("INVALID_FILTER")) return "filters";
  return placeOfField[field] ?? "form";
}

const keyWords = "Write the name of a property: letters, digits and _ only.";
const words: Readonly<Partial<Record<Place, string>>> = {
  match: "Write 1 to 256 characters.",
  property: keyWords,
  currency: "Write the three letters of a currency, such as EUR.",
  oncePer: keyWords,
};

/** Returns the error in the words of the form. */
export function wordsOf(refused: Refused): string {
  const { code, message, more } = refused;
  if (code === "GOAL_NAME_TAKEN") return "Another goal has this name. Choose another one.";
  if (code === "GOAL_NOT_FOUND")
    return "Somebody has deleted this goal. Cancel, and make a new one.";
  const place = placeOf(refused);
  if (place === "name") return `Write 1 to ${goalMax.nameChars} characters.`;
  if (place === "form" && more.field === "project") return limitWords;
  // The server counts from 0, and names conditions as a request does.
  const inForm = message.replace(
    /"(?:goal\.)?filters\[(\d+)\][\w.]*"/g,
    (_, at) => `Condition ${Number(at) + 1}`,
  );
  return words[place] ?? inForm;
}

export const limitWords = `A project can have ${goalMax.goals} goals. Delete one to make another.`;
