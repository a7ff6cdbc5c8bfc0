/**
 * A matcher of our own for the part of regular expressions that rules are written in. It goes through alternatives one
 * after the other and takes back what did not lead on, as engines do at worst, and counts what it tries.
 */
export interface Pattern {
  /** Tells whether a pattern is found, and how many steps the search took. */
  search(text: string): { readonly isFound: boolean; readonly steps: number };
  /** Tells whether a text of these characters alone may match: false where each text that does has another one. */
  canMatch(alphabet: readonly string[]): boolean;
  /** Quantifiers: how often at most, and the largest one within what is repeated. */
  readonly repeats: readonly { readonly max: number; readonly maxWithin: number }[];
}

type Next = (at: number) => boolean;
/** Tells whether it matches at a place and what follows does too. */
type Node = (at: number, next: Next) => boolean;

interface Made {
  readonly node: Node;
  readonly canMatch: Pattern["canMatch"];
  readonly maxRepeat: number;
}

export function patternOf(source: string, flags: string): Pattern {
  const reader = new PatternReader(source, flags);
  const { node, canMatch } = reader.alternatives();
  return { repeats: reader.repeats, canMatch, search: (text) => reader.search(node, text) };
}

class PatternReader {
  readonly repeats: { max: number; maxWithin: number }[] = [];
  readonly #chars: readonly string[];
  #points: readonly string[] = [];
  #steps = 0;
  #at = 0;

  constructor(
    source: string,
    private readonly flags: string,
  ) {
    this.#chars = this.#split(source);
  }

  search(node: Node, text: string): { readonly isFound: boolean; readonly steps: number } {
    this.#points = this.#split(text);
    this.#steps = 0;
    const places = Array.from({ length: this.#points.length + 1 }, (_, place) => place);
    const isFound = places.some((place) => node(place, () => true));
    return { isFound, steps: this.#steps };
  }

  alternatives(): Made {
    const options = [this.#sequence()];
    while (this.#chars[this.#at] === "|") {
      this.#at++;
      options.push(this.#sequence());
    }
    return {
      node: (from, next) => options.some(({ node }) => node(from, next)),
      canMatch: (alphabet) => options.some(({ canMatch }) => canMatch(alphabet)),
      maxRepeat: Math.max(...options.map(({ maxRepeat }) => maxRepeat)),
    };
  }

  #split(text: string): readonly string[] {
    return this.flags.includes("u") ? [...text] : text.split("");
  }
  #sequence(): Made {
    const parts: Made[] = [];
    let maxRepeat = 1;
    while (this.#at < this.#chars.length && !"|)".includes(this.#chars[this.#at] ?? "")) {
      const one = this.#quantified(this.#atom());
      parts.push(one);
      maxRepeat = Math.max(maxRepeat, one.maxRepeat);
    }
    const node = parts.reduceRight<Node>(
      (after, part) => (from, next) => part.node(from, (to) => after(to, next)),
      (from, next) => next(from),
    );
    const canMatch: Made["canMatch"] = (alphabet) => parts.every((one) => one.canMatch(alphabet));
    return { node, canMatch, maxRepeat };
  }
  #quantified(once: Made): Made {
    const { node, maxRepeat } = once;
    const [min, max] = this.#quantifier();
    if (min === 1 && max === 1) return once;
    this.repeats.push({ max, maxWithin: maxRepeat });
    const repeat = (count: number, from: number, next: Next): boolean => {
      this.#steps++;
      if (count < max && node(from, (to) => to > from && repeat(count + 1, to, next))) return true;
      return count >= min && next(from);
    };
    return {
      node: (from, next) => repeat(0, from, next),
      canMatch: (alphabet) => min === 0 || once.canMatch(alphabet),
      maxRepeat: Math.max(max, maxRepeat),
    };
  }
  #quantifier(): readonly [min: number, max: number] {
    const found = /^(?:\?|\*|\+|\{(\d+)(,?)(\d*)\})/.exec(this.#ahead());
    if (found === null) return [1, 1];
    const [all, min = "0", comma, max = ""] = found;
    this.#at += all.length;
    if (all === "?") return [0, 1];
    if (max !== "") return [Number(min), Number(max)];
    return [Number(min), comma === "" ? Number(min) : Number.POSITIVE_INFINITY];
  }
  #atom(): Made {
    const char = this.#chars[this.#at] ?? "";
    if (char === "(") return this.#group();
    if (char === "[") return this.#oneOf(this.#classLength());
    if (char === "\\") return this.#escape();
    if (char === ".")
      throw new Error("A point stands for nearly anything: a class says what is meant.");
    this.#at++;
    if (char === "^") return this.#place((from) => from === 0);
    if (char === "$") return this.#place((from) => from === this.#points.length);
    return this.#one((point) => point === char);
  }
  #escape(): Made {
    if (this.#chars[this.#at + 1] !== "b") return this.#oneOf(this.#escapeLength());
    this.#at += 2;
    const isWord = (place: number): boolean => /^\w$/.test(this.#points[place] ?? "");
    return this.#place((from) => isWord(from - 1) !== isWord(from));
  }
  #group(): Made {
    const kind = ["(?:", "(?!", "(?=", "(?<!", "(?<="].find((one) => this.#ahead().startsWith(one));
    if (kind === undefined) throw new Error("A group that is kept has no use.");
    this.#at += kind.length;
    const inner = this.alternatives();
    this.#at++; // the bracket that closes it
    if (kind === "(?:") return inner;
    const isWanted = kind.endsWith("=");
    const { node } = inner;
    if (!kind.includes("<")) return this.#place((from) => node(from, () => true) === isWanted);
    const isBefore = (from: number): boolean =>
      [2, 1, 0].some((length) => from >= length && node(from - length, (end) => end === from));
    return this.#place((from) => isBefore(from) === isWanted);
  }
  /** A class or an escape: the runtime says what it stands for. */
  #oneOf(length: number): Made {
    const source = this.#chars.slice(this.#at, this.#at + length).join("");
    this.#at += length;
    const expression = new RegExp(`^${source}$`, this.flags);
    return this.#one((point) => expression.test(point));
  }
  #one(isMatch: (point: string) => boolean): Made {
    const isAt = (from: number): boolean => {
      const point = this.#points[from];
      return point !== undefined && isMatch(point);
    };
    const canMatch: Made["canMatch"] = (alphabet) => alphabet.some(isMatch);
    return { node: this.#counted(isAt, 1), canMatch, maxRepeat: 1 };
  }
  #place(isThere: (from: number) => boolean): Made {
    return { node: this.#counted(isThere, 0), canMatch: () => true, maxRepeat: 1 };
  }
  #counted(isThere: (from: number) => boolean, length: number): Node {
    return (from, next) => {
      this.#steps++;
      return isThere(from) && next(from + length);
    };
  }
  #classLength(): number {
    let length = 1;
    while (this.#chars[this.#at + length] !== "]") {
      length += this.#chars[this.#at + length] === "\\" ? 2 : 1;
    }
    return length + 1;
  }
  #escapeLength(): number {
    const hex = "[\\dA-Fa-f]";
    const found = new RegExp(
      `^\\\\(?:u\\{${hex}+\\}|u${hex}{4}|x${hex}{2}|[pP]\\{\\w+=\\w+\\}|.)`,
      "s",
    );
    return [...(found.exec(this.#ahead())?.[0] ?? "")].length;
  }
  #ahead(): string {
    return this.#chars.slice(this.#at, this.#at + aheadMax).join("");
  }
}

/** Longer than any quantifier, escape or beginning of a group. */
const aheadMax = 32;
