/** An object as JSON.parse makes it. Nothing is known of its keys. */
export type Json = Record<string, unknown>;

const textCharsMax = 1_000_000;
const nodeIdMax = 2 ** 31;
const screenPxMax = 20_000;
const pageCharsMax = 500;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Tells whether a value is the id of a node, or of a style sheet. */
export const isId = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value < nodeIdMax;

export const numberOf = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) ? value : 0;

export const textOf = (value: unknown, charsMax = textCharsMax): string => {
  if (typeof value !== "string") return "";
  return value.length > charsMax ? value.slice(0, charsMax) : value;
};

export const screenPx = (value: unknown): number =>
  Math.min(screenPxMax, Math.max(0, numberOf(value)));

export const stars = (text: string): string => "*".repeat(text.length);

const originAndPath = /^https?:\/\/[^/?#\s\\@]{1,255}(?=[/?#]|$)(?:\/[^?#\s\\]*)?/i;

/** An address without its query, fragment and credentials; empty for what is no page of the web. */
export const pageOf = (address: unknown): string =>
  (originAndPath.exec(textOf(address, 4_000))?.[0] ?? "").slice(0, pageCharsMax);

export const wordsOf = (list: string): readonly string[] => list.trim().split(/\s+/);
