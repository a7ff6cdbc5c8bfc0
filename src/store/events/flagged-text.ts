/** A code point that no character has. A stored text that begins with it continues as JSON. */
const jsonMark = "\uFFFE";

/**
 * Returns a text in the form for the file: UTF-8 cannot encode half a surrogate pair, which a visitor may send.
 */
export const toFlaggedText = (text: string): string =>
  text.isWellFormed() && !text.startsWith(jsonMark) ? text : jsonMark + JSON.stringify(text);

/** Returns the text as events have it. */
export function fromFlaggedText(written: string): string {
  if (!written.startsWith(jsonMark)) return written;
  try {
    return JSON.parse(written.slice(jsonMark.length));
  } catch {
    // Earlier versions wrote every text as it was.
    return written;
  }
}
