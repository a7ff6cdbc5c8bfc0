/** What the search looks at. */
interface SearchText {
  readonly text: string;
  /** Other words that people use for it. */
  readonly words?: string;
}

const inOrderRank = 0.1;

/**
 * Ranks a text for what somebody wrote: each of the words written must begin a word of the text, stand within the text,
 * or begin one of its other words. Without such words, letters in the same order are enough. Zero is no match.
 */
export function rankOf({ text, words = "" }: SearchText, written: string): number {
  const low = text.toLowerCase();
  const asked = wordsIn(written);
  if (asked.length === 0) return 1;
  const own = wordsIn(low);
  const others = wordsIn(words);
  const ranks = asked.map((word) => {
    if (own.some((one) => one.startsWith(word))) return 4;
    if (low.includes(word)) return 3;
    return others.some((one) => one.startsWith(word)) ? 2 : 0;
  });
  if (ranks.includes(0)) return hasInOrder(low, asked.join("")) ? inOrderRank : 0;
  const begins = low.startsWith(asked.join(" ")) ? 1 : 0;
  return ranks.reduce<number>((sum, rank) => sum + rank, begins) / asked.length;
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
