import { commandRules, exfiltrateRules, markupRules, overrideRules, roleRules } from "./word-rules";

export const rulesVersion = 1;

export const trustCategories = [
  "override",
  "role",
  "command",
  "exfiltrate",
  "markup",
  "hidden",
  "mixed_script",
] as const;
export type TrustCategory = (typeof trustCategories)[number];

export interface TrustRule {
  readonly category: TrustCategory;
  readonly pattern: string;
  readonly flags: string;
}

/** Tag characters, with which text can be written that nobody sees. */
const tag = String.raw`[\u{E0000}-\u{E007F}]`;
/** The flags of England, Scotland and Wales are a black flag followed by these tags. */
const flagTags = ["gbeng", "gbsct", "gbwls"]
  .map((name) => [...name].map((letter) => `\\u{E00${letter.charCodeAt(0).toString(16)}}`).join(""))
  .join("|");

/** These rules look at the text as it came, as they find characters that the other rules do not see. */
const hiddenRules = [
  // A tag that no flag begins, one in no flag that there is, and one behind a whole flag.
  String.raw`(?<![\u{1F3F4}\u{E0000}-\u{E007F}])${tag}`,
  String.raw`\u{1F3F4}(?!(?:${flagTags})\u{E007F})${tag}`,
  String.raw`\u{E007F}${tag}`,
  String.raw`[\u202A-\u202E\u2066-\u2069]`,
  String.raw`\u001B[@-_]|\u009B`,
  String.raw`[\u200B-\u200D\u2060\uFEFF]{3}`,
];

const latin = String.raw`\p{Script=Latin}`;
const greek = String.raw`\p{Script=Greek}`;
const cyrillic = String.raw`\p{Script=Cyrillic}`;

/** A Greek letter at the end of a word is a sign more often than a disguise: "10 μm", "ΔE". */
const mixedRules = [
  `${latin}${cyrillic}|${cyrillic}${latin}`,
  `${latin}${greek}${latin}|${latin}{2}${greek}|${greek}{2}${latin}|[οικνρτυχ]${latin}{3}`,
];

const rulesOf = (category: TrustCategory, patterns: readonly string[], flags: string) =>
  patterns.map((pattern): TrustRule => ({ category, pattern, flags }));

/**
 * The words in which people give orders to programs that read, for which texts of strangers are searched. They are
 * English and lexical, and find the obvious only. Every quantifier has an upper bound and stands in no other, so that
 * the time a text takes grows with its length and no faster, whatever the text is.
 */
export const trustRules: readonly TrustRule[] = [
  ...rulesOf("override", overrideRules, ""),
  ...rulesOf("role", roleRules, ""),
  ...rulesOf("command", commandRules, ""),
  ...rulesOf("exfiltrate", exfiltrateRules, ""),
  ...rulesOf("markup", markupRules, ""),
  ...rulesOf("hidden", hiddenRules, "u"),
  ...rulesOf("mixed_script", mixedRules, "u"),
];
