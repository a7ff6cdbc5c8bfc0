import { sha256Hex } from "../../lib/ids";
import { codePointCount } from "../../lib/text";
import { digestChars } from "./fields";
import { categoriesOf } from "./flags";
import { type TrustCategory, trustCategories } from "./rules";

/** Names a flagged text without showing it. */
export const digestOf = (text: string): string => sha256Hex(text).slice(0, digestChars);

/** Returns the mask that is shown in place of a flagged text. */
export const maskOf = (digest: string): string => `[flagged:${digest}]`;

/** Returns the digest in a mask; null for every other text. */
export const digestInMask = (text: string): string | null => mask.exec(text)?.[1] ?? null;
const mask = new RegExp(`^\\[flagged:([0-9a-f]{${digestChars}})\\]$`);

/** The decisions of a project's owner about flagged texts. */
export interface TrustPolicy {
  readonly flagged: "show" | "mask";
  /** Digests of texts that are never flagged again. */
  readonly cleared: readonly string[];
}
export const policyDefault: TrustPolicy = { flagged: "show", cleared: [] };

/** A text that rules flag. */
export interface Flag {
  readonly digest: string;
  /** The categories as bits, in the order of `trustCategories`. */
  readonly categories: number;
  /** The length in code points. */
  readonly length: number;
}

export function flagOf(text: string): Flag | null {
  const found = categoriesOf(text);
  if (found.length === 0) return null;
  const categories = found.reduce((bits, one) => bits | bitOf(one), 0);
  return { digest: digestOf(text), categories, length: codePointCount(text) };
}

export const bitOf = (category: TrustCategory): number => 1 << trustCategories.indexOf(category);
export const categoriesIn = (bits: number): TrustCategory[] =>
  trustCategories.filter((category) => (bits & bitOf(category)) !== 0);
