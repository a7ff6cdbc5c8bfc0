/*
 * Properties stay as they came.
 * Decision: properties written as JSON.stringify writes them, spaces aside, are not parsed on their way in but walked
 * over; anything else, and what mentions email, is parsed as before (`lib/object-text.ts`).
 * Because: making objects of keys that nobody has sent before took 50 of 55 µs per event under a flood of such.
 * Cost: a walker over JSON of our own (200 lines), held against JSON.parse by random texts, spoiled ones included.
 * Revisit: if an engine comes that forgets the keys of objects.
 */

import { NestedKeys } from "./nested-keys";

/**
 * A JSON object that was not taken apart: exactly the text that JSON.stringify would write of it, and whether all of
 * its keys are known to be ASCII.
 */
export class ObjectText {
  constructor(
    readonly text: string,
    readonly hasAsciiKeys = false,
  ) {}

  parse(): Record<string, unknown> {
    return JSON.parse(this.text);
  }
  toJSON(): unknown {
    return this.parse();
  }
}

/**
 * JSON.parse, but objects under `key` stay text where they are written as JSON.stringify writes them, which nearly
 * every client does, some with spaces in between. To make objects of ever new keys takes twenty times as long as to see
 * that they need not be made. Anything unusual, mistakes included, is left to JSON.parse. `text` must be well-formed
 * Unicode.
 */
export function parseKeepingTexts(text: string, key: string): unknown {
  return (
    unlessUnusual(() => new Envelope(text, key).read()) ??
    unlessUnusual(() => new Envelope(withoutSpaces(text), key).read()) ??
    JSON.parse(text)
  );
}

function unlessUnusual(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error !== unusual) throw error;
    return null;
  }
}

/** The error is made once, as throwing costs little when no stack trace is taken. */
const unusual = new Error("The text is not as JSON.stringify writes it.");

const quote = 34;
const plus = 43;
const comma = 44;
const minus = 45;
const zero = 48;
const nine = 57;
const colon = 58;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;
const space = 32;

/** Parses what is around the objects whose text is kept. */
class Envelope {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly keptKey: string,
  ) {}

  read(): unknown {
    const value = this.value(0);
    if (this.at !== this.text.length) throw unusual;
    return value;
  }

  private value(depth: number): unknown {
    const { text, at } = this;
    const first = text.charCodeAt(at);
    if (first === openBrace) return this.object(depth + 1);
    if (first === openBracket) return this.array(depth + 1);
    this.at = scalarEnd(text, at, first);
    if (first === quote) return this.string(at);
    if (first === minus || isDigit(first)) return Number(text.slice(at, this.at));
    return first === 110 ? null : first === 116;
  }

  private string(at: number): string {
    const content = this.text.slice(at + 1, this.at - 1);
    return content.includes("\\") ? JSON.parse(`"${content}"`) : content;
  }

  private object(depth: number): Record<string, unknown> {
    if (depth > depthMax) throw unusual;
    const { text } = this;
    const object: Record<string, unknown> = {};
    this.at++;
    if (this.ends(closeBrace)) return object;
    do {
      const keyAt = this.at;
      this.at = stringEnd(text, keyAt);
      const key = this.string(keyAt);
      // An assignment would not make a member of it.
      if (key === "__proto__") throw unusual;
      this.expect(colon);
      object[key] = this.isKept(key) ? this.keptObject() : this.value(depth);
    } while (this.goesOn(closeBrace));
    return object;
  }
  private isKept(key: string): boolean {
    return key === this.keptKey && this.text.charCodeAt(this.at) === openBrace;
  }
  private keptObject(): ObjectText {
    const from = this.at;
    keys.bits = 0;
    this.at = objectEnd(this.text, from, 1);
    return new ObjectText(this.text.slice(from, this.at), keys.bits <= 127);
  }

  private array(depth: number): unknown[] {
    if (depth > depthMax) throw unusual;
    const array: unknown[] = [];
    this.at++;
    if (this.ends(closeBracket)) return array;
    do array.push(this.value(depth));
    while (this.goesOn(closeBracket));
    return array;
  }

  private expect(character: number): void {
    if (this.text.charCodeAt(this.at++) !== character) throw unusual;
  }
  private ends(close: number): boolean {
    if (this.text.charCodeAt(this.at) !== close) return false;
    this.at++;
    return true;
  }
  private goesOn(close: number): boolean {
    if (this.ends(close)) return false;
    this.expect(comma);
    return true;
  }
}

/** Returns JSON without the spaces between its parts. Throws where there are none. */
function withoutSpaces(text: string): string {
  let without = "";
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) at = stringEnd(text, at) - 1;
    if (!isSpace(character)) continue;
    let end = at + 1;
    while (isSpace(text.charCodeAt(end))) end++;
    // Space between two words separates them, and the text is not JSON.
    if (isMark(text.charAt(at - 1)) || isMark(text.charAt(end))) {
      without += text.slice(from, at);
      from = end;
    }
    at = end - 1;
  }
  if (from === 0) throw unusual;
  return without + text.slice(from);
}
const isSpace = (character: number): boolean =>
  character === space || character === 10 || character === 13 || character === 9;
/** Tells whether a character is one of JSON's structure; "" is an end of the text. */
const isMark = (character: string): boolean => "{}[]:,".includes(character);

/** Deeper ones are left to JSON.parse. */
const depthMax = 16;
const keys = new NestedKeys(depthMax);

function objectEnd(text: string, at: number, depth: number): number {
  if (depth > depthMax) throw unusual;
  let next = at + 1;
  if (text.charCodeAt(next) === closeBrace) return next + 1;
  keys.begin(depth);
  for (;;) {
    if (text.charCodeAt(next) !== quote) throw unusual;
    // JSON.stringify puts keys that are integers first.
    if (isDigit(text.charCodeAt(++next))) throw unusual;
    let hash = 0;
    let bits = 0;
    for (let character = text.charCodeAt(next); character !== quote; ) {
      if (!(character >= space) || character === backslash) throw unusual;
      hash = Math.imul(hash ^ character, 0x01000193);
      hash ^= hash >>> 15;
      bits |= character;
      character = text.charCodeAt(++next);
    }
    if (!keys.add(depth, hash, bits)) throw unusual;
    if (text.charCodeAt(next + 1) !== colon) throw unusual;
    next = valueEnd(text, next + 2, depth);
    const after = text.charCodeAt(next++);
    if (after === closeBrace) return next;
    if (after !== comma) throw unusual;
  }
}

function arrayEnd(text: string, at: number, depth: number): number {
  if (depth > depthMax) throw unusual;
  let next = at + 1;
  if (text.charCodeAt(next) === closeBracket) return next + 1;
  for (;;) {
    next = valueEnd(text, next, depth);
    const after = text.charCodeAt(next++);
    if (after === closeBracket) return next;
    if (after !== comma) throw unusual;
  }
}

function valueEnd(text: string, at: number, depth: number): number {
  const first = text.charCodeAt(at);
  if (first === openBrace) return objectEnd(text, at, depth + 1);
  if (first === openBracket) return arrayEnd(text, at, depth + 1);
  return scalarEnd(text, at, first);
}

function scalarEnd(text: string, at: number, first: number): number {
  if (first === quote) return stringEnd(text, at);
  if (first === minus || isDigit(first)) return numberEnd(text, at);
  for (const word of words) if (text.startsWith(word, at)) return at + word.length;
  throw unusual;
}
const words = ["true", "false", "null"];

function stringEnd(text: string, at: number): number {
  if (text.charCodeAt(at) !== quote) throw unusual;
  for (let next = at + 1; ; next++) {
    const character = text.charCodeAt(next);
    if (character === quote) return next + 1;
    // `charCodeAt` is NaN behind the last character.
    if (!(character >= space)) throw unusual;
    // JSON.stringify writes only these escapes of one character; any other is unusual.
    if (character === backslash && !'"\\bfnrt'.includes(text.charAt(++next))) throw unusual;
  }
}

/** A longer integer, and all other numbers, may be written in another way than JSON.stringify would. */
const plainDigitsMax = 15;

function numberEnd(text: string, at: number): number {
  const digitsAt = text.charCodeAt(at) === minus ? at + 1 : at;
  let next = digitsAt;
  while (isDigit(text.charCodeAt(next))) next++;
  const digits = next - digitsAt;
  const isPlain = digits <= plainDigitsMax && text.charCodeAt(digitsAt) !== zero && digits > 0;
  if (isPlain && !isInNumber(text.charCodeAt(next))) return next;
  while (isInNumber(text.charCodeAt(next))) next++;
  const number = text.slice(at, next);
  if (String(Number(number)) !== number) throw unusual;
  return next;
}

const isDigit = (character: number): boolean => character >= zero && character <= nine;
/** Digits, signs, point and exponent. */
const isInNumber = (character: number): boolean =>
  isDigit(character) ||
  character === plus ||
  character === minus ||
  character === 46 ||
  (character | 32) === 101;
