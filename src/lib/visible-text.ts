/**
 * Code points that a reader cannot see or that change what stands around them: controls, format characters, fillers,
 * marks of direction, variation selectors, tags.
 */
export const hiddenRanges = [
  "0000-001F 007F-009F 00AD-00AD 034F-034F 061C-061C 115F-1160 17B4-17B5 180B-180F 200B-200F 2028-202E 2060-206F",
  "3164-3164 FE00-FE0F FEFF-FEFF FFA0-FFA0 FFF0-FFFB 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF",
].join(" ");
const hiddenClass = hiddenRanges.replace(/(\w+)-(\w+) ?/g, "\\u{$1}-\\u{$2}");
/** A lone surrogate is a code point of its own here, and no half of a pair is. */
const hidden = `[${hiddenClass}\\p{Surrogate}]`;
const hiddenOnly = new RegExp(hidden, "gu");
const hiddenOrEscape = new RegExp(`${hidden}|\\\\(?=u\\{)`, "gu");

/**
 * A text in which everything can be seen: what is hidden stands as `\u{HEX}`, and so does the backslash of a `\u{` that
 * was there before. Two texts stay two, and `\u{HEX}` → code point leads back.
 */
export const visibleText = (text: string): string =>
  text.replace(hiddenOrEscape, (found, at: number, whole: string) =>
    isInPicture(found, at, whole) ? found : `\\u{${hexOf(found.codePointAt(0) ?? 0)}}`,
  );

/** JSON whose strings have escapes in the places of what is hidden: any parser reads the same value. */
export const visibleJson = (value: unknown): string => visibleJsonText(JSON.stringify(value));

/** The same of JSON that JSON.stringify has written. */
export const visibleJsonText = (json: string): string =>
  json.replace(hiddenOnly, (found, at: number, whole: string) =>
    isInPicture(found, at, whole) ? found : found.split("").map(escaped).join(""),
  );

/** Tells whether a selector after a pictograph, or a joiner between two, makes one picture, and so hides nothing. */
function isInPicture(found: string, at: number, whole: string): boolean {
  if (found !== selector && found !== joiner) return false;
  const before = whole.slice(Math.max(0, at - unitsBeforeMax), at);
  if (found === selector) return endsInPictograph.test(before);
  return endsInPicture.test(before) && beginsWithPictograph.test(whole.slice(at + 1, at + 3));
}

const selector = "\ufe0f";
const joiner = "\u200d";
/** A pictograph, a modifier of two units as well, and a selector. */
const unitsBeforeMax = 5;
const endsInPictograph = /\p{Extended_Pictographic}$/u;
const endsInPicture = /\p{Extended_Pictographic}\p{Emoji_Modifier}?\u{FE0F}?$/u;
const beginsWithPictograph = /^\p{Extended_Pictographic}/u;

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
const hexOf = (point: number): string => point.toString(16).toUpperCase();
