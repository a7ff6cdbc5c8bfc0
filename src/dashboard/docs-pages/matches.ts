/** A section of a page, as the server writes it (`http/docs/search.ts`). */
export interface Section {
  readonly path: string;
  readonly title: string;
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}
export interface Match {
  readonly section: Section;
  /** The text around the first word that it has. */
  readonly excerpt: string;
}

const matchesMax = 20;
const excerptChars = 140;
const beforeChars = 40;

/** Splits the text of the search field into words. */
export const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter((word) => word !== "");

/** The sections that have all words, best first: headings count more than titles of pages, and these more than text. */
export function matchesOf(
  sections: readonly Section[],
  words: readonly string[],
): readonly Match[] {
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, matchesMax)
    .map(({ section }) => ({ section, excerpt: excerptOf(section.text, words) }));
}

function scoreOf(section: Section, words: readonly string[]): number {
  const heading = section.heading.toLowerCase();
  const title = section.title.toLowerCase();
  const text = section.text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    const score =
      (heading.includes(word) ? 10 : 0) +
      (title.includes(word) ? (section.anchor === "" ? 10 : 3) : 0) +
      (text.includes(word) ? 1 : 0);
    if (score === 0) return 0;
    sum += score;
  }
  return sum;
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - beforeChars);
  const from = places.length === 0 || start === 0 ? 0 : text.indexOf(" ", start) + 1;
  const part = text.slice(from, from + excerptChars);
  return `${from > 0 ? "… " : ""}${part}${from + excerptChars < text.length ? " …" : ""}`;
}
