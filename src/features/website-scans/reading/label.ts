/** The most of a page's text that enters an answer at one place. */
const labelCharsMax = 80;

/** Invisible characters, and those that turn the direction of the text around them, hide what a label says. */
const unseen = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/** One line of plain text of at most 80 characters. */
export function labelOf(text: string): string {
  const line = text.replace(unseen, " ").replace(/\s+/g, " ").trim();
  return [...line.slice(0, 2 * labelCharsMax)].slice(0, labelCharsMax).join("").trim();
}
