/*
 * A selector that is not known hides everything.
 * Decision: the settings take selectors of the standard's list alone; in a browser that does not know one, all text is
 * masked, or the page is blocked.
 * Because: left out without a word, what somebody asked to hide would be recorded.
 * Cost: a grammar of our own, which refuses what a new standard adds; recordings without text in old browsers.
 * Revisit: when a new pseudo-class is worth having.
 */

/**
 * Tells whether a text is a selector of CSS by which browsers find elements. A browser refuses or ignores selectors
 * that it does not know, and what was to be hidden would be recorded; so this takes no more than the standard's
 * selectors of elements: no pseudo-elements, no namespaces, no pseudo-classes of one vendor or library (`:contains`,
 * `:visible`), and no `:scope`, which is each element itself when one is asked whether it matches. Every bracket and
 * quote must be closed, as entries are joined to one list.
 */
export function isSelector(text: string): boolean {
  const reader = { text, at: 0, isInHas: false };
  return takeList(reader, false) && reader.at === text.length;
}

interface Reader {
  readonly text: string;
  at: number;
  /** Browsers refuse one `:has` inside of another, and read over it within `:is`. */
  isInHas: boolean;
}

/** Hexadecimal digits are taken as far as they go: nothing can be read in two ways, so nothing is tried twice. */
const escaped = String.raw`\\(?:[\da-f]{6}[ \t\n\r\f]?|[\da-f]{1,5}(?![\da-f])[ \t\n\r\f]?|[^\n\r\f\da-f])`;
const other = String.raw`\u0080-\u{10ffff}`;
/** Two hyphens and an angle bracket are the end of an HTML comment to CSS. */
const name = `(?:--(?!>)|-?(?:[a-z_${other}]|${escaped}))(?:[-a-z_0-9${other}]|${escaped})*`;
const quoted = String.raw`"(?:[^"\\\n\r\f]|\\[^])*"|'(?:[^'\\\n\r\f]|\\[^])*'`;
const space = String.raw`[ \t\n\r\f]`;
const step = String.raw`[+-]?\d*n(?:${space}*[+-]${space}*\d+)?|[+-]?\d+|even|odd`;
const value = `${space}*(?:${name}|${quoted})${space}*(?:i${space}*)?`;
const token = (source: string): RegExp => new RegExp(source, "iuy");

const tokens = {
  space: token(`${space}*`),
  comma: token(`${space}*,${space}*`),
  combinator: token(`${space}*[>+~]${space}*|${space}+(?![,)>+~]|$)`),
  leading: token(`[>+~]${space}*`),
  type: token(String.raw`\*|${name}`),
  idOrClass: token(`[#.]${name}`),
  attribute: token(String.raw`\[${space}*${name}${space}*(?:[~|^$*]?=${value})?\]`),
  /** The flag `i` together with `u` would take the sign of kelvin for a letter of `:link`. */
  pseudoClass: /:[A-Za-z-]+/y,
  open: token(String.raw`\(${space}*`),
  close: token(String.raw`${space}*\)`),
  step: token(String.raw`(?:${step})(?![\w-])`),
  of: token(`${space}+of${space}+`),
  direction: token("ltr|rtl"),
  language: token(name),
};

const pseudoClasses: ReadonlySet<string> = new Set(
  `active any-link autofill checked default defined disabled empty enabled first-child first-of-type focus
  focus-visible focus-within fullscreen hover in-range indeterminate invalid last-child last-of-type link modal
  only-child only-of-type optional out-of-range placeholder-shown popover-open read-only read-write required root target
   user-invalid user-valid valid visited`.split(/\s+/),
);

/** Readers of the arguments of those pseudo-classes that have some. */
const functions: ReadonlyMap<string, (reader: Reader) => boolean> = new Map([
  ...["is", "where", "not"].map(
    (one) => [one, (reader: Reader) => takeList(reader, false)] as const,
  ),
  ["has", takeHas],
  ...["nth-child", "nth-last-child"].map((one) => [one, takeNthOf] as const),
  ...["nth-of-type", "nth-last-of-type"].map(
    (one) => [one, (reader: Reader) => take(reader, tokens.step)] as const,
  ),
  ["dir", (reader) => take(reader, tokens.direction)],
  ["lang", (reader) => take(reader, tokens.language)],
]);

function take(reader: Reader, expected: RegExp): boolean {
  expected.lastIndex = reader.at;
  const found = expected.exec(reader.text);
  if (found === null) return false;
  reader.at = expected.lastIndex;
  return true;
}

function takeList(reader: Reader, isRelative: boolean): boolean {
  take(reader, tokens.space);
  do {
    if (isRelative) take(reader, tokens.leading);
    do {
      if (!takeCompound(reader)) return false;
    } while (take(reader, tokens.combinator));
  } while (take(reader, tokens.comma));
  take(reader, tokens.space);
  return true;
}

function takeCompound(reader: Reader): boolean {
  const from = reader.at;
  take(reader, tokens.type);
  while (take(reader, tokens.idOrClass) || take(reader, tokens.attribute) || takePseudo(reader));
  return reader.at > from;
}

function takePseudo(reader: Reader): boolean {
  const from = reader.at;
  if (!take(reader, tokens.pseudoClass)) return false;
  const named = reader.text.slice(from + 1, reader.at).toLowerCase();
  if (pseudoClasses.has(named)) return true;
  const takeInner = functions.get(named);
  const isWhole =
    takeInner !== undefined &&
    take(reader, tokens.open) &&
    takeInner(reader) &&
    take(reader, tokens.close);
  // At an unknown name the reader stays where it was, so that the text is not read to its end.
  if (!isWhole) reader.at = from;
  return isWhole;
}

function takeHas(reader: Reader): boolean {
  if (reader.isInHas) return false;
  reader.isInHas = true;
  const isWhole = takeList(reader, true);
  reader.isInHas = false;
  return isWhole;
}

function takeNthOf(reader: Reader): boolean {
  if (!take(reader, tokens.step)) return false;
  return !take(reader, tokens.of) || takeList(reader, false);
}
