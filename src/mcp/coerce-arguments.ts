import type { Node } from "../http/operation/input";
import { isObject } from "../lib/is-object";
import type { Arguments } from "./tools";

/**
 * Returns the arguments of a read in the form that its operation takes. Agents send lists where an operation has a
 * query string, in which filters are JSON and commas separate words, and texts where an operation has lists.
 */
export const coerceArguments = (args: Arguments, { properties = {} }: Node): Arguments =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, coerce(value, properties[name])]),
  );

function coerce(value: unknown, taken: unknown): unknown {
  const type = isObject(taken) ? taken.type : undefined;
  if (type === "string" && Array.isArray(value)) return textOf(value);
  if (type === "array" && typeof value === "string") return listIn(value) ?? value;
  return value;
}

/** An empty list is the same as an absent field. */
function textOf(list: readonly unknown[]): string | undefined {
  if (list.length === 0) return undefined;
  const areWords = list.every((one) => typeof one === "string");
  return areWords ? list.join(",") : JSON.stringify(list);
}

/** Only JSON becomes a list. Other texts stay as they are, and the operation refuses them with a message. */
function listIn(text: string): readonly unknown[] | null {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}
