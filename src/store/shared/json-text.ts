import { DamagedBlob } from "../damage";

/**
 * Walks over JSON that JSON.stringify wrote, without parsing it: no spaces, and equal values have equal texts. Objects
 * with keys that nobody has seen before are slow to parse and never forgotten by the engine; texts are neither.
 */
export const quote = 34;
export const comma = 44;
const backslash = 92;
export const openBracket = 91;
const closeBracket = 93;
export const openBrace = 123;
const closeBrace = 125;

/** Returns the place behind the string that begins at `at`. */
export function stringEnd(text: string, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (text.charCodeAt(end - 1) === backslash && isEscaped(text, end)) {
    end = text.indexOf('"', end + 1);
  }
  if (end < 0) throw new DamagedBlob("A string has no end.");
  return end + 1;
}

/** Returns the place behind the value that begins at `at`. */
export function valueEnd(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === quote) return stringEnd(text, at);
  if (first === openBrace || first === openBracket) return nestedEnd(text, at);
  let end = at + 1;
  for (;;) {
    const character = text.charCodeAt(end);
    const isEnd = character === comma || character === closeBrace || character === closeBracket;
    if (isEnd || end >= text.length) return end;
    end++;
  }
}

/** Keys and values of an object, as texts, in order. */
export function membersOf(object: string): (readonly [key: string, value: string])[] {
  const members: (readonly [string, string])[] = [];
  for (let at = 1; object.charCodeAt(at) === quote; ) {
    const keyEnd = stringEnd(object, at);
    const end = valueEnd(object, keyEnd + 1);
    members.push([object.slice(at, keyEnd), object.slice(keyEnd + 1, end)]);
    at = end + 1;
  }
  return members;
}

/** The value of one key of an object, as text; the key is given as text as well. Null when there is none. */
export function memberOf(object: string, key: string): string | null {
  for (let at = 1; object.charCodeAt(at) === quote; ) {
    const keyEnd = stringEnd(object, at);
    const end = valueEnd(object, keyEnd + 1);
    if (keyEnd - at === key.length && object.startsWith(key, at)) {
      return object.slice(keyEnd + 1, end);
    }
    at = end + 1;
  }
  return null;
}

/** The value of a string's text. */
export const parseString = (text: string): string =>
  text.includes("\\") ? JSON.parse(text) : text.slice(1, -1);

function nestedEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; ; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) at = stringEnd(text, at) - 1;
    else if (character === openBrace || character === openBracket) depth++;
    else if (character === closeBrace || character === closeBracket) {
      if (--depth === 0) return at + 1;
    } else if (at >= text.length) return at;
  }
}

/** Tells whether an odd number of backslashes stands before. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === backslash) before--;
  return (at - before) % 2 === 0;
}

/** All strings of a JSON text, with their quotes. */
export function* stringsIn(json: string): Generator<string> {
  for (let at = json.indexOf('"'); at >= 0; ) {
    const end = stringEnd(json, at);
    yield json.slice(at, end);
    at = json.indexOf('"', end);
  }
}
