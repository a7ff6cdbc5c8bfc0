import { textOf } from "./values";

const cssCharsMax = 2_000_000;

/**
 * CSS runs no script in any browser of today; what it can do is load. Every address that is not a picture or a font in
 * itself becomes empty, and what else loads gets a name that no browser knows, wherever it stands: strings and comments
 * are not told apart, so that no quote can hide an address. Escapes of letters count as the letters they stand for.
 */
export function css(value: unknown): string {
  const text = textOf(value, cssCharsMax);
  const plain = withPlainLetters(text);
  const clean = withoutLoads(plain);
  return clean === plain ? text : clean;
}

/** One of several texts that a browser may read as one: it neither loads by itself nor joined to its neighbours. */
export function cssPart(value: unknown): string {
  const text = textOf(value, cssCharsMax);
  const plain = withPlainLetters(text);
  const clean = withSafeEdges(withoutLoads(plain));
  return clean === plain ? withSafeEdges(text) : clean;
}

/** The library joins the parts between these marks, and drops the marks. */
const partMark = "/* rr_split */";
export const cssParts = (value: unknown): string => {
  const text = textOf(value, cssCharsMax);
  return text.includes(partMark) ? text.split(partMark).map(cssPart).join(partMark) : css(text);
};

/** Functions that load, but url(); the longer before what it ends like. */
const loaders = ["image-set", "image", "src"] as const;
const names = ["url", ...loaders];

function withoutLoads(text: string): string {
  const imports = withoutImports(text);
  let clean = "";
  let done = 0;
  for (let at = imports.indexOf("("); at >= 0; at = imports.indexOf("(", Math.max(at + 1, done))) {
    const name = loaderBefore(imports, at);
    if (name === undefined) continue;
    clean += imports.slice(done, at - name.length);
    if (name === "url") {
      argument.lastIndex = at + 1;
      const [all = "", double, single, bare] = argument.exec(imports) ?? [];
      clean += `url(${addressOf(double ?? single ?? bare ?? "")})`;
      done = at + 1 + all.length;
    } else {
      clean += "blocked(";
      done = at + 1;
    }
  }
  return done === 0 ? imports : clean + imports.slice(done);
}

/** Matches what stands between the brackets of url(). It always matches, if only nothing. */
const argument = /\s*(?:"([^"]*)"|'([^']*)'|([^)"']*))\s*\)?/y;

/** The last letter alone tells nearly all calls of a style sheet (var, calc, rgb, not) from these. */
function loaderBefore(text: string, at: number): (typeof names)[number] | undefined {
  switch (text.charCodeAt(at - 1) | 0x20) {
    case 0x6c: // l
      return endsWith(text, at, "url") ? "url" : undefined;
    case 0x74: // t
    case 0x65: // e
    case 0x63: // c
      return loaders.find((name) => endsWith(text, at, name));
    default:
      return undefined;
  }
}

const endsWith = (text: string, at: number, name: string): boolean =>
  at >= name.length && text.slice(at - name.length, at).toLowerCase() === name;

/** An at-rule without a known name is read over, with all that belongs to it. */
function withoutImports(text: string): string {
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    if ((text.charCodeAt(at + 1) | 0x20) === 0x69 && imports.test(text)) {
      return text.replace(allImports, "@aa-blocked");
    }
  }
  return text;
}
const imports = /@import/i;
const allImports = /@import/gi;

const embedded =
  /^data:(?:image\/(?:png|gif|jpe?g|webp|avif|svg\+xml)|font\/[\w+-]+|application\/(?:x-)?font[\w+-]*)[;,]/i;
const ownFragment = /^#[\w.:-]{1,200}$/;
/** Characters that could end the address if a quote before it were read differently. */
const unsafeInAddress = /[^\w!#$%&*+,./:;=?~\u0080-\uffff-]/g;

/** Returns the address in quotes if it loads nothing, else an empty one. */
function addressOf(url: string): string {
  const trimmed = url.trim();
  if (ownFragment.test(trimmed)) return `"${trimmed}"`;
  if (!embedded.test(trimmed)) return "";
  return `"${trimmed.replace(unsafeInAddress, percent)}"`;
}

const percent = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`;

/** A letter or a hyphen that is written as an escape: `\75`, `\000075`, `\u`. */
const escapedLetter =
  /\\(?:0000(?:2d|[46][1-9a-f]|[57][0-9a])|0{0,3}(?:2d|[46][1-9a-f]|[57][0-9a])(?![0-9a-f])|[g-z-])/i;
const anyEscape = /\\(?:([0-9a-f]{1,6})(?:\r\n|[ \t\n\r\f])?|([\s\S]))/gi;
const letter = /[a-z-]/i;

/**
 * Letters and hyphens are written out. The other escapes (of the signs of an icon font, say) get all their six digits,
 * so that nothing that follows becomes part of them.
 */
function withPlainLetters(text: string): string {
  if (!text.includes("\\") || !escapedLetter.test(text)) return text;
  return text.replace(anyEscape, (all, hex: string | undefined, single: string | undefined) => {
    if (hex === undefined) return single !== undefined && /[g-z-]/i.test(single) ? single : all;
    const code = Number.parseInt(hex, 16);
    const character = code < 0x80 ? String.fromCharCode(code) : "";
    return letter.test(character) ? character : `\\${hex.padStart(6, "0")} `;
  });
}

/** One of six digits as well: it takes in the space that follows, and a call would be whole again. */
const openEscape = /\\[0-9a-f]{0,6}$/i;
const openImport = /@(?:i(?:m(?:p(?:or?)?)?)?)?$/i;
/** The length of the longest of `names`; an escape is shorter. */
const edgeChars = 9;

/** Adds a space at an edge where the text could be half of `url(`, `@import` or an escape. */
function withSafeEdges(text: string): string {
  const call = text.indexOf("(");
  const start = call >= 0 && call <= edgeChars ? text.slice(0, call).toLowerCase() : null;
  const completes = start !== null && names.some((name) => name.endsWith(start));
  const end = text.slice(-edgeChars);
  // Nearly all texts have neither sign, and there are thousands in a segment.
  const isOpen =
    (end.includes("\\") && openEscape.test(end)) || (end.includes("@") && openImport.test(end));
  return completes || isOpen ? `${completes ? " " : ""}${text}${isOpen ? " " : ""}` : text;
}
