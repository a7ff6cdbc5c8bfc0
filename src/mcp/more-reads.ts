import { invalidField } from "../domain/errors";
import { splitName } from "../http/operation/facts";
import { isObject, type Node, valueOfText } from "../http/operation/input";
import type { Operation } from "../http/operation/operation";
import type { Arguments } from "./tools";

/** The operations of `more_reads`: what they take, in words and out of what agents send. */

export const moreReadsName = "more_reads";
export const moreReadsDescription = "All other reads by name. `arguments` has their fields.";

/** Fields of nearly every operation, which `instructions` explain once. */
const explained: ReadonlySet<string> = new Set(["context", "tz"]);
const enumCharsMax = 40;

/** Names the fields of each operation; one that may be left out ends with `?`. */
export const moreReadsWords = (operations: readonly Operation[]): string =>
  operations.map((one) => `${one.doc.id}(${fieldsOf(one).join(", ")})`).join(" ");

const fieldsOf = (operation: Operation): readonly string[] => [
  ...pathPartsOf(operation.name).map((part) => spellings(operation.name, part)[0] ?? part),
  ...inputFieldsOf(operation),
];

/** Names the fields of the body, or of the query string. */
export function inputFieldsOf({ takes }: Operation): readonly string[] {
  const { properties = {}, required = [] } = takes;
  const own = Object.entries(properties).filter(([field]) => !explained.has(field));
  return own.map(([field, node]) => {
    const isOptional = !required.includes(field) || node.default !== undefined;
    return `${field}${isOptional ? "?" : ""}${choiceOf(node)}`;
  });
}

function choiceOf({ enum: values, type }: Node): string {
  const choice = values?.join("|") ?? "";
  if (choice !== "" && choice.length <= enumCharsMax) return `: ${choice}`;
  return type === "boolean" ? ": true|false" : "";
}

/** `GET /experiments/{id}` → `id`. */
export const pathPartsOf = (name: string): readonly string[] =>
  [...splitName(name).path.matchAll(/\{(\w+)\}/g)].map(([, part = ""]) => part);

/** Tells whether the part of a path is a project, which all other tools call `project`. */
export const isProjectPart = (name: string, part: string): boolean =>
  part === "id" && splitName(name).path.startsWith("/projects/");

/** The names under which a part of a path may be sent, the one to show first. */
function spellings(name: string, part: string): readonly string[] {
  if (isProjectPart(name, part)) return ["project", part];
  return part === "idOrSlug" ? ["id", "slug", part] : [part];
}

/** What a caller has sent for an operation: the parts of its path, and its other fields. */
export interface Divided {
  readonly input: Arguments;
  readonly params: Readonly<Record<string, string>>;
}

/** Throws MISSING_FIELDS without a part of the path, unless it is a project, which may go without saying. */
export function divided({ name }: Operation, args: Arguments): Divided {
  const input: Record<string, unknown> = { ...args };
  const params: Record<string, string> = {};
  for (const part of pathPartsOf(name)) {
    const names = spellings(name, part);
    const [shown = part] = names;
    const sent = names.filter((one) => (input[one] ?? null) !== null);
    const value = input[sent[0] ?? shown];
    for (const one of names) delete input[one];
    if (typeof value === "string" && value !== "") params[part] = value;
    else if (sent.length > 0 || !isProjectPart(name, part)) {
      throw invalidField(shown, `"${shown}" is required and must be a string.`);
    }
  }
  return { input, params };
}

/** Returns the fields of an operation with numbers and booleans that came as text, as in a query string. */
export function ofTexts({ takes }: Operation, sent: unknown): Arguments {
  if (sent !== undefined && sent !== null && !isObject(sent)) {
    throw invalidField("arguments", '"arguments" must be an object.');
  }
  const fields = Object.entries(sent ?? {}).map(([name, value]) => {
    const node = takes.properties?.[name] ?? known[name];
    const isText = typeof value === "string" && node !== undefined;
    return [name, isText ? valueOfText(node, value) : value];
  });
  return Object.fromEntries(fields);
}
/** A term of requests, which no operation lists. */
const known: Readonly<Record<string, Node>> = { receipt: { type: "boolean" } };
