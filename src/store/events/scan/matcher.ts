import type { Condition } from "../../../domain/filter";
import { compareText } from "../../../lib/text";

export type Matcher = (text: string) => boolean;

const cachedTextsMax = 50_000;

/** Returns the test of a condition on the text of a value. `not_in` and `is_null` are opposites of other operators. */
export function matcherOf({ op, value }: Condition): Matcher {
  if (typeof value !== "string") {
    const accepted = new Set(value);
    return (text) => accepted.has(text);
  }
  switch (op) {
    case "not_null":
      return () => true;
    case "eq":
      return (text) => text === value;
    case "neq":
      return (text) => text !== value;
    case "prefix":
      return (text) => text.startsWith(value);
    case "contains": {
      const part = lowerAscii(value);
      return memoized((text) => lowerAscii(text).includes(part));
    }
    default:
      return comparing(op, value);
  }
}

function comparing(op: Condition["op"], expected: string): Matcher {
  const number = numberOf(expected);
  const compare = (text: string): number => {
    const other = number === null ? null : numberOf(text);
    return number === null || other === null ? compareText(text, expected) : other - number;
  };
  switch (op) {
    case "gt":
      return (text) => compare(text) > 0;
    case "lt":
      return (text) => compare(text) < 0;
    case "gte":
      return (text) => compare(text) >= 0;
    default:
      return (text) => compare(text) <= 0;
  }
}

const numberForm = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Returns the finite number that a text contains; null if it contains none. */
function numberOf(text: string): number | null {
  if (!numberForm.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

const lowerAscii = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Caches results by text, as the same texts occur in many segments. */
function memoized(passes: Matcher): Matcher {
  const verdicts = new Map<string, boolean>();
  return (text) => {
    let verdict = verdicts.get(text);
    if (verdict === undefined) {
      verdict = passes(text);
      if (verdicts.size < cachedTextsMax) verdicts.set(text, verdict);
    }
    return verdict;
  };
}
