/** Longer words are nobody's slip of the keyboard, and comparing them would take time. */
const wordCharsMax = 64;
/** A beginning that is shorter than this says too little: `to` begins `token`. */
const beginningCharsMin = 4;

/**
 * The one of the known words that a misspelt one most likely means: the same but for case and separators, or a few
 * letters away, or the beginning of it or begun by it. Of equally near ones it is the first that begins with the same
 * letter, as most slips come later in a word. Null when none is near.
 */
export function nearest(word: string, known: readonly string[]): string | null {
  if (word.length > wordCharsMax) return null;
  const asked = folded(word);
  const found = known
    .map((one) => ({ one, distance: distanceBetween(asked, folded(one)) }))
    .filter(({ one, distance }) => distance <= slipsMax(word.length, one.length))
    .sort((a, b) => a.distance - b.distance || begins(b.one, asked) - begins(a.one, asked))[0];
  if (found !== undefined) return found.one;
  return known.find((one) => isBeginning(asked, folded(one))) ?? null;
}

/** Ends a refusal with the word that was probably meant; with nothing when none is near. */
export const didYouMean = (meant: string | null): string =>
  meant === null ? "" : ` Did you mean "${meant}"?`;

const folded = (word: string): string => word.toLowerCase().replace(/[^a-z0-9]/g, "");

const begins = (one: string, asked: string): number =>
  folded(one).charAt(0) === asked.charAt(0) ? 1 : 0;

/** The number of edits that leave words of these lengths recognizable. */
function slipsMax(a: number, b: number): number {
  if (Math.max(a, b) <= 2) return 0;
  return Math.min(a, b) < 5 || Math.max(a, b) === 5 ? 1 : 2;
}

function isBeginning(a: string, b: string): boolean {
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a];
  return shorter.length >= beginningCharsMin && longer.startsWith(shorter);
}

/** Every cell that is asked for is there; the dashboard's compiler, which reads this file too, cannot know. */
const cell = (row: readonly number[], at: number): number => row[at] ?? 0;

/** Letters left out, added, changed, or swapped with their neighbour (optimal string alignment). */
function distanceBetween(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a.charAt(i - 1) === b.charAt(j - 1);
      let least = Math.min(
        cell(row, j - 1) + 1,
        cell(last, j) + 1,
        cell(last, j - 1) + (isSame ? 0 : 1),
      );
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) least = Math.min(least, cell(before, j - 2) + 1);
      row.push(least);
    }
    before = last;
    last = row;
  }
  return cell(last, b.length);
}
