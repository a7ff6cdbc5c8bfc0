/**
 * Texts and patterns of an owner: in a pattern each `*` stands for any run of characters. A match takes time that is
 * linear in the lengths of text and pattern, whatever both are: no regular expression is made of what somebody wrote.
 */
export class Patterns {
  readonly #exact: ReadonlySet<string>;
  readonly #patterns: readonly Pattern[];

  constructor(texts: readonly string[]) {
    this.#exact = new Set(texts.filter((text) => !text.includes("*")));
    this.#patterns = texts.filter((text) => text.includes("*")).map((text) => new Pattern(text));
  }

  get isEmpty(): boolean {
    return this.#exact.size === 0 && this.#patterns.length === 0;
  }

  has(text: string): boolean {
    if (this.#exact.has(text)) return true;
    for (const pattern of this.#patterns) if (pattern.matches(text)) return true;
    return false;
  }
}

/** A text begins with the first part, ends with the last one, and has the others in between, in their order. */
class Pattern {
  readonly #first: string;
  readonly #last: string;
  readonly #between: readonly Needle[];

  constructor(text: string) {
    const parts = text.split("*");
    this.#first = parts[0] ?? "";
    this.#last = parts.at(-1) ?? "";
    const between = parts.slice(1, -1).filter((part) => part !== "");
    this.#between = between.map((part) => new Needle(part));
  }

  matches(text: string): boolean {
    const end = text.length - this.#last.length;
    let at = this.#first.length;
    if (at > end || !text.startsWith(this.#first) || !text.endsWith(this.#last)) return false;
    for (const needle of this.#between) {
      at = needle.endIn(text, at, end);
      if (at < 0) return false;
    }
    return true;
  }
}

/** A text to be found in others by the method of Knuth, Morris and Pratt, which never goes back in the other text. */
class Needle {
  readonly #text: string;
  /** For each length of a beginning of the text: the longest shorter beginning that this one ends with. */
  readonly #shorter: Uint16Array;

  constructor(text: string) {
    this.#text = text;
    this.#shorter = new Uint16Array(text.length + 1);
    for (let at = 1, matched = 0; at < text.length; at++) {
      matched = this.#next(matched, text.charCodeAt(at));
      this.#shorter[at + 1] = matched;
    }
  }

  /** Returns the end of the earliest occurrence between two places; -1 where there is none. */
  endIn(text: string, from: number, to: number): number {
    for (let at = from, matched = 0; at < to; at++) {
      matched = this.#next(matched, text.charCodeAt(at));
      if (matched === this.#text.length) return at + 1;
    }
    return -1;
  }

  /** Returns how much of the text is matched with one more character. */
  #next(before: number, character: number): number {
    let matched = before;
    while (matched > 0 && this.#text.charCodeAt(matched) !== character) {
      matched = this.#shorter[matched] ?? 0;
    }
    return this.#text.charCodeAt(matched) === character ? matched + 1 : 0;
  }
}
