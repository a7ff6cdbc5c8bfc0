/** A code point that no character has: what begins with it goes on as JSON text. */
const jsonMark = "\uFFFE";

/**
 * Returns a text as it can be written to the file: UTF-8 cannot carry half a surrogate pair, which a visitor may send.
 */
export const toFlaggedText = (text: string): string =>
  text.isWellFormed() && !text.startsWith(jsonMark) ? text : jsonMark + JSON.stringify(text);

/** The text as events have it. */
export function fromFlaggedText(written: string): string {
  if (!written.startsWith(jsonMark)) return written;
  try {
    return JSON.parse(written.slice(jsonMark.length));
  } catch {
    // Versions before wrote every text as it came.
    return written;
  }
}
