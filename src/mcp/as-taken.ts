import type { Node } from "../http/operation/input";
import { isObject } from "../lib/is-object";
import type { Arguments } from "./tools";

/**
 * Returns the arguments of a read in the form that its operation takes. Some reads are asked in a query string, where
 * filters are JSON and lists of words have commas; agents send the lists themselves, and texts where a body has lists.
 */
export const asTaken = (args: Arguments, { properties = {} }: Node): Arguments =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, inForm(value, properties[name])]),
  );

function inForm(value: unknown, taken: unknown): unknown {
  const type = isObject(taken) ? taken.type : undefined;
  if (type === "string" && Array.isArray(value)) return textOf(value);
  if (type === "array" && typeof value === "string") return listIn(value) ?? value;
  return value;
}

/** An empty list asks for nothing, like a field that is left out. */
function textOf(list: readonly unknown[]): string | undefined {
  if (list.length === 0) return undefined;
  const areWords = list.every((one) => typeof one === "string");
  return areWords ? list.join(",") : JSON.stringify(list);
}

/** Only JSON becomes a list: a word stays what it is, and is refused with its name. */
function listIn(text: string): readonly unknown[] | null {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}
