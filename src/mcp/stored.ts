import { isObject } from "../http/operation/input";
import { storedText } from "../lib/inert-text";
import type { Arguments } from "./tools";

/**
 * Returns a tool's arguments with each text as it is stored, so that a value that a tool has shown works as a filter.
 * Where filters are a text, the texts within its JSON are restored, so that it stays JSON.
 */
export const storedArguments = (args: Arguments): Arguments =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const inner = name === "filters" && typeof value === "string" ? jsonOf(value) : undefined;
      return [name, inner === undefined ? stored(value) : JSON.stringify(stored(inner))];
    }),
  );

function stored(value: unknown): unknown {
  if (typeof value === "string") return storedText(value);
  if (Array.isArray(value)) return value.map(stored);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, stored(part)]));
}

/** Parses JSON; undefined for a text that is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
