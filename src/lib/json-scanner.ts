/**
 * Walks over JSON text without making anything of it, as strict as JSON.parse: a flood of keys that nobody has sent
 * before, or a hundred thousand brackets, cost no more than their bytes. Throws SyntaxError where JSON.parse does.
 */
export class JsonScanner {
  #at = 0;
  constructor(readonly text: string) {
    this.#skipSpaces();
  }

  /** The type of the value that comes next. */
  get type(): JsonType {
    const first = this.text.charCodeAt(this.#at);
    if (first === openBrace) return "object";
    if (first === openBracket) return "array";
    if (first === quote) return "string";
    if (first === 110) return "null";
    return first === 116 || first === 102 ? "boolean" : "number";
  }

  /** The members of the object that comes next; `visit` must walk over the value of each. */
  members(visit: (key: string) => void): void {
    this.#expect(openBrace);
    if (this.#ends(closeBrace)) return;
    do visit(this.#key());
    while (this.#goesOn(closeBrace));
  }

  /** The items of the list that comes next; `visit` must walk over each. */
  items(visit: () => void): void {
    this.#expect(openBracket);
    if (this.#ends(closeBracket)) return;
    do visit();
    while (this.#goesOn(closeBracket));
  }

  /** The string that comes next, as it was meant. */
  string(): string {
    const from = this.#at;
    this.#skipScalar("string");
    return JSON.parse(this.since(from));
  }

  /** The place in the text that the scanner has reached. */
  get at(): number {
    return this.#at;
  }
  /** Returns the text between a place and the one that was reached, as it was written. */
  since(at: number): string {
    return this.text.slice(at, this.#at);
  }

  /** Walks over one value, however deep it is. */
  skip(): void {
    /** The objects (true) and lists (false) that were opened and not yet closed. */
    const open: boolean[] = [];
    for (;;) {
      const { type } = this;
      if (type === "object") {
        this.#expect(openBrace);
        if (!this.#ends(closeBrace)) {
          open.push(true);
          this.#skipKey();
          continue;
        }
      } else if (type === "array") {
        this.#expect(openBracket);
        if (!this.#ends(closeBracket)) {
          open.push(false);
          continue;
        }
      } else this.#skipScalar(type);
      if (this.#isClosed(open)) return;
    }
  }

  /** Throws if anything but space follows the last value. */
  end(): void {
    if (this.#at !== this.text.length) throw malformed();
  }

  /** After a value: closes what ends with it. True when nothing is open any more. */
  #isClosed(open: boolean[]): boolean {
    for (let inside = open.at(-1); inside !== undefined; inside = open.at(-1)) {
      if (this.#goesOn(inside ? closeBrace : closeBracket)) {
        if (inside) this.#skipKey();
        return false;
      }
      open.pop();
    }
    return true;
  }

  #key(): string {
    const from = this.#at + 1;
    this.#skipKey();
    const to = this.#keyEnd;
    const written = this.text.slice(from, to);
    return written.includes("\\") ? JSON.parse(`"${written}"`) : written;
  }
  /** The place at which the last scanned key ended. */
  #keyEnd = 0;
  #skipKey(): void {
    if (this.text.charCodeAt(this.#at) !== quote) throw malformed();
    this.#keyEnd = stringEnd(this.text, this.#at) - 1;
    this.#at = this.#keyEnd + 1;
    this.#skipSpaces();
    this.#expect(colon);
  }

  #skipScalar(type: JsonType): void {
    if (type === "string") this.#at = stringEnd(this.text, this.#at);
    else if (type === "number") this.#at = numberEnd(this.text, this.#at);
    else {
      const word = words.find((one) => this.text.startsWith(one, this.#at));
      if (word === undefined) throw malformed();
      this.#at += word.length;
    }
    this.#skipSpaces();
  }

  #expect(character: number): void {
    if (this.text.charCodeAt(this.#at) !== character) throw malformed();
    this.#at++;
    this.#skipSpaces();
  }
  #ends(close: number): boolean {
    if (this.text.charCodeAt(this.#at) !== close) return false;
    this.#expect(close);
    return true;
  }
  #goesOn(close: number): boolean {
    if (this.#ends(close)) return false;
    this.#expect(comma);
    return true;
  }
  #skipSpaces(): void {
    while (isSpace(this.text.charCodeAt(this.#at))) this.#at++;
  }
}

export type JsonType = "object" | "array" | "string" | "number" | "boolean" | "null";

const quote = 34;
const comma = 44;
const minus = 45;
const zero = 48;
const colon = 58;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;
const words = ["true", "false", "null"];

const isSpace = (character: number): boolean =>
  character === 32 || character === 10 || character === 13 || character === 9;
const isDigit = (character: number): boolean => character >= zero && character <= 57;

function stringEnd(text: string, at: number): number {
  for (let next = at + 1; ; next++) {
    const character = text.charCodeAt(next);
    if (character === quote) return next + 1;
    // `charCodeAt` is NaN behind the last character.
    if (!(character >= 32)) throw malformed();
    if (character === backslash) next = escapeEnd(text, next);
  }
}

/** Returns the place of the last character of an escape. */
function escapeEnd(text: string, at: number): number {
  const kind = text.charAt(at + 1);
  if (kind !== "" && '"\\/bfnrt'.includes(kind)) return at + 1;
  if (kind === "u" && /^[0-9a-f]{4}$/i.test(text.slice(at + 2, at + 6))) return at + 5;
  throw malformed();
}

function numberEnd(text: string, at: number): number {
  let next = text.charCodeAt(at) === minus ? at + 1 : at;
  next = text.charCodeAt(next) === zero ? next + 1 : digitsEnd(text, next);
  if (text.charCodeAt(next) === 46) next = digitsEnd(text, next + 1);
  if ((text.charCodeAt(next) | 32) !== 101) return next;
  const sign = text.charCodeAt(next + 1);
  return digitsEnd(text, sign === 43 || sign === minus ? next + 2 : next + 1);
}

function digitsEnd(text: string, at: number): number {
  let next = at;
  while (isDigit(text.charCodeAt(next))) next++;
  if (next === at) throw malformed();
  return next;
}

const malformed = (): SyntaxError => new SyntaxError("The text is not JSON.");
