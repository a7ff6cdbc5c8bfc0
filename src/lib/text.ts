/** Ascending code-point order. UTF-16 order differs where a surrogate pair meets a character above the surrogates. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === shorter) return a.length - b.length;
  const x = a.charCodeAt(at);
  const y = b.charCodeAt(at);
  if (!isSurrogate(x) && !isSurrogate(y)) return x - y;
  // The difference may lie in the second half of a character whose first halves are equal.
  if (at > 0 && isLead(a.charCodeAt(at - 1))) {
    const difference = codePointAt(a, at - 1) - codePointAt(b, at - 1);
    if (difference !== 0) return difference;
  }
  return codePointAt(a, at) - codePointAt(b, at);
}

/** Orders labels of groups: null first, numbers by value, texts by code points. */
export function compareLabels(a: string | number | null, b: string | number | null): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return compareText(String(a), String(b));
}

/** Lengths count code points, not UTF-16 units. */
export function codePointCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/**
 * Tells whether a text has more code points than that; it counts them only where the number of UTF-16 units leaves it
 * open.
 */
export const isLongerThan = (text: string, charsMax: number): boolean =>
  text.length > charsMax && (text.length > 2 * charsMax || codePointCount(text) > charsMax);

/**
 * An integer as English writes it: 1,000,000. The engine can say it too, for which it reads its tables of all
 * languages: 2 MB in a process that needs nothing else of them.
 */
export const withSeparators = (integer: number): string =>
  String(integer).replace(/\B(?=(\d{3})+$)/g, ",");

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
const isLead = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const codePointAt = (text: string, at: number): number => text.codePointAt(at) ?? 0;
