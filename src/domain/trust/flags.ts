import { gaplessForm, gaplessGate, gated, gateOf, signs } from "./gates";
import { type TrustCategory, trustCategories, trustRules } from "./rules";

/** The part of a text that is looked at, in code points: an order that begins later is not found. */
export const lookedAtCharsMax = 4_096;
/** A shorter text gives no orders; it can only hide something. */
const orderCharsMin = 12;

/** Returns the categories for which a text is flagged, in their order; most texts have none. */
export function categoriesOf(text: string): readonly TrustCategory[] {
  if (isHarmless(text)) return none;
  const raw = firstCodePoints(text);
  const found = new Set<TrustCategory>();
  const isAscii = isPlain(raw);
  if (!isAscii) test(raw, hidden, found);
  const words = isAscii ? folded(raw) : normalized(raw);
  if (isLongEnough(words)) test(words, isAscii ? inAscii : inAny, found);
  return found.size === 0 ? none : trustCategories.filter((category) => found.has(category));
}

/** Tells quickly that most ids, names, paths and addresses are flagged for nothing. */
export const isHarmless = (text: string): boolean =>
  text.length < orderCharsMin
    ? isPlain(text)
    : gaplessForm.test(text) && !gaplessGate.test(text.toLowerCase());

/** Returns a text as rules see it: nothing invisible, one case, one kind of space. */
export const normalized = (text: string): string =>
  folded(text.normalize("NFKC").replace(formatCharacters, ""));

const none: readonly TrustCategory[] = [];

/** Characters that are not drawn themselves, such as joiners, marks of direction, selectors of variants and fillers. */
const formatCharacters = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Lines stay lines: a line that begins with the name of a role is an order where a space before it would be none. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  const spaced = /\s\s|[^\S ]/.test(lower)
    ? lower.replace(/[^\S\n]+/g, " ").replace(/ ?\n\s*/g, "\n")
    : lower;
  return spaced.trim();
}

/**
 * Tells whether a text has only printable ASCII, as most have: nothing is hidden in it, and its letters are of one
 * script.
 */
const isPlain = (text: string): boolean => !/[^\x20-\x7e]/.test(text);

function firstCodePoints(text: string): string {
  if (text.length <= lookedAtCharsMax) return text;
  let at = 0;
  for (let count = 0; count < lookedAtCharsMax && at < text.length; count++) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, at);
}

function isLongEnough(text: string): boolean {
  if (text.length < orderCharsMin) return false;
  return text.length >= 2 * orderCharsMin || [...text].length >= orderCharsMin;
}

interface Category {
  readonly category: TrustCategory;
  /** No rule of the category holds for a text without a match of both. */
  readonly sign: RegExp | undefined;
  readonly gate: RegExp | null;
  readonly expressions: readonly RegExp[];
}

const look = (category: TrustCategory, gate: RegExp | null): Category => ({
  category,
  sign: signs[category],
  gate,
  expressions: trustRules
    .filter((rule) => rule.category === category)
    .map(({ pattern, flags }) => new RegExp(pattern, flags)),
});

const hidden = [look("hidden", null)];
const inAscii = gated.map((category) => look(category, gateOf(category)));
const inAny = [...inAscii, look("mixed_script", null)];

function test(text: string, looks: readonly Category[], found: Set<TrustCategory>): void {
  for (const { category, sign, gate, expressions } of looks) {
    if (sign?.test(text) === false || gate?.test(text) === false) continue;
    if (expressions.some((expression) => expression.test(text))) found.add(category);
  }
}
