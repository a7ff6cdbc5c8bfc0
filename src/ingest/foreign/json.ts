import { isObject, type JsonObject } from "../properties";
import { type Refusal, refusal } from "../refusal";
import { isoTimeMs } from "./iso-time";

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

/** Unix ms of an ISO time; null where there is none, NaN where it is no time. */
export function isoTimeIn(value: unknown): number | null {
  if (value === undefined || value === null || value === "") return null;
  return typeof value === "string" ? isoTimeMs(value) : Number.NaN;
}

/** Width and height of a screen as the tracker writes them; null unless both are told. */
export function screenIn(width: unknown, height: unknown): string | null {
  const [wide, high] = [numberIn(width), numberIn(height)];
  return wide === null || high === null ? null : `${wide}x${high}`;
}

/** An object without some of its keys. */
export function without(object: JsonObject, keys: ReadonlySet<string>): JsonObject {
  const rest: JsonObject = {};
  for (const key of Object.keys(object)) {
    if (!keys.has(key) && key !== "__proto__") rest[key] = object[key];
  }
  return rest;
}

const noJson = refusal("INVALID_BODY", "The body is not valid JSON.");
