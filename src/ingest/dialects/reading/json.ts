import { isObject, type JsonObject } from "../../properties";
import { type Refusal, refusal } from "../../refusal";

/** Parses a JSON text; what is no JSON is a refusal, which no JSON value can be taken for. */
export function readJson(text: string): { readonly value: unknown } | Refusal {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return noJson;
  }
}

/** The object that a value is, or that its JSON text has. */
export function objectIn(value: unknown): JsonObject | null {
  if (isObject(value)) return value;
  if (typeof value !== "string" || !value.trimStart().startsWith("{")) return null;
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** A text that is not empty. */
export const textIn = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : null;

/** An id: senders write them as texts or as numbers. */
export const idIn = (value: unknown): string | null =>
  typeof value === "number" && Number.isFinite(value) ? String(value) : textIn(value);

/** A number, or a text that is one. */
export function numberIn(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string" || value.trim() === "") return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

const noJson = refusal("INVALID_BODY", "The body is not valid JSON.");
