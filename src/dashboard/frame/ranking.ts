/** A text that the search ranks. */
interface SearchText {
  readonly text: string;
  /** Other words that people use for it. */
  readonly words?: string;
}

const inOrderRank = 0.1;

/**
 * Ranks a text by the words that the reader wrote. Each word must begin a word of the text, stand within the text, or
 * begin a synonym. A text that fails this but has all the letters in the same order gets a low rank; any other gets 0.
 */
export function rankOf({ text, words = "" }: SearchText, written: string): number {
  const low = text.toLowerCase();
  const terms = wordsIn(written);
  if (terms.length === 0) return 1;
  const own = wordsIn(low);
  const others = wordsIn(words);
  const ranks = terms.map((word) => {
    if (own.some((one) => one.startsWith(word))) return 4;
    if (low.includes(word)) return 3;
    return others.some((one) => one.startsWith(word)) ? 2 : 0;
  });
  if (ranks.includes(0)) return hasInOrder(low, terms.join("")) ? inOrderRank : 0;
  const begins = low.startsWith(terms.join(" ")) ? 1 : 0;
  return ranks.reduce<number>((sum, rank) => sum + rank, begins) / terms.length;
}

const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,;:()]+/)
    .filter((word) => word !== "");

function hasInOrder(text: string, letters: string): boolean {
  let from = -1;
  return [...letters].every((letter) => {
    from = text.indexOf(letter, from + 1);
    return from >= 0;
  });
}
