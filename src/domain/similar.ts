/**
 * Only this much of each name is compared: the rest says little more, and names may be thousands of characters long.
 */
const comparedCharsMax = 64;

/**
 * The names that are most like what was asked for, at most `count` of them; equally similar ones in the order given.
 * Cost: one pass over the first characters of each name.
 */
export function mostSimilar<Item>(
  asked: string,
  items: readonly Item[],
  nameOf: (item: Item) => string,
  count: number,
): Item[] {
  const wanted = pairsOf(asked);
  return items
    .map((item) => ({ item, similarity: similarity(wanted, pairsOf(nameOf(item))) }))
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, count)
    .map(({ item }) => item);
}

/** Distinct pairs of neighbouring characters, both ends included, whatever the case. */
function pairsOf(name: string): ReadonlySet<string> {
  const text = ` ${name.slice(0, comparedCharsMax).toLowerCase()} `;
  const pairs = new Set<string>();
  if (name === "") return pairs;
  for (let at = 0; at + 1 < text.length; at++) pairs.add(text.slice(at, at + 2));
  return pairs;
}

/** Returns the share of pairs of letters that both have (Dice's coefficient), from 0 to 1. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared++;
  return (2 * shared) / (a.size + b.size);
}
