import { textOf } from "../../../domain/filter";
import { bytesPerUnitMax, readText, writeText } from "../../../lib/code-points";
import { DamagedBlob } from "../../damage";
import { comma, openBrace, openBracket, quote } from "../../shared/json-text";

const backslash = 92;
const closeBrace = 125;
const closeBracket = 93;

/* The kinds of values: a value may have no text, be a string, or be another value that has a text. */
export const noText = 0;
export const stringText = 1;
const otherText = 2;

/** A list of texts as bytes of lib/code-points.ts, with the place of each in these bytes. */
export interface PlacedTexts {
  readonly bytes: Uint8Array;
  readonly byteLength: number;
  startOf(index: number): number;
  endOf(index: number): number;
  text(index: number): string | null;
}

/**
 * The values of a dictionary as the texts that filters compare (domain/filter.ts, textOf), in bytes of
 * lib/code-points.ts. If nearly every event has its own value, strings would take five times as much memory, and reads
 * only count most of them.
 */
export class Texts implements PlacedTexts {
  constructor(
    readonly bytes: Uint8Array,
    /** The start of each text, and the end of the last one. */
    readonly starts: Uint32Array,
    readonly kinds: Uint8Array,
  ) {}

  get length(): number {
    return this.kinds.length;
  }
  get byteLength(): number {
    return this.bytes.byteLength + this.starts.byteLength + this.kinds.byteLength;
  }
  startOf(index: number): number {
    return this.starts[index];
  }
  endOf(index: number): number {
    return this.starts[index + 1];
  }
  /** Returns a value's text; null for a value that has none. */
  text(index: number): string | null {
    if (this.kinds[index] === noText) return null;
    return readText(this.bytes, this.starts[index], this.starts[index + 1]);
  }

  static of(values: readonly unknown[]): Texts {
    const builder = new TextsBuilder(1_024);
    for (const value of values) builder.addValue(value);
    return builder.build();
  }

  /** Parses a stored dictionary, which is a list as JSON.stringify writes it. */
  static parse(json: Buffer): Texts {
    // No text is longer than its JSON.
    const builder = new TextsBuilder(json.length);
    for (let at = 1; at < json.length - 1; at++) {
      const end = json[at] === quote ? builder.addString(json, at) : builder.addOther(json, at);
      if (json[end] !== comma && end !== json.length - 1)
        throw new DamagedBlob("A list has no commas.");
      at = end;
    }
    return builder.build();
  }
}

class TextsBuilder {
  private starts = new Uint32Array(1_024);
  private kinds = new Uint8Array(1_024);
  private count = 0;
  private used = 0;
  private bytes: Uint8Array;

  constructor(bytes: number) {
    this.bytes = new Uint8Array(bytes);
  }

  addValue(value: unknown): void {
    const text = textOf(value);
    if (text === null) {
      this.end(noText);
      return;
    }
    const needed = this.used + text.length * bytesPerUnitMax;
    if (needed > this.bytes.length) {
      const larger = new Uint8Array(needed * 2);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.used = writeText(this.bytes, this.used, text);
    this.end(typeof value === "string" ? stringText : otherText);
  }
  /** Adds the string that begins at `from`, and returns its end. */
  addString(json: Buffer, from: number): number {
    const { bytes } = this;
    let to = this.used;
    let at = from + 1;
    for (; json[at] !== quote && json[at] !== backslash && at < json.length; at++)
      bytes[to++] = json[at];
    if (json[at] === quote) {
      this.used = to;
      this.end(stringText);
      return at + 1;
    }
    const end = stringEnd(json, from);
    this.addValue(JSON.parse(json.toString("utf8", from, end)));
    return end;
  }
  addOther(json: Buffer, from: number): number {
    const end = otherEnd(json, from);
    this.addValue(JSON.parse(json.toString("utf8", from, end)));
    return end;
  }
  private end(kind: number): void {
    if (this.count + 1 >= this.starts.length) {
      const starts = new Uint32Array(this.starts.length * 2);
      const kinds = new Uint8Array(this.kinds.length * 2);
      starts.set(this.starts);
      kinds.set(this.kinds);
      this.starts = starts;
      this.kinds = kinds;
    }
    this.kinds[this.count] = kind;
    this.starts[++this.count] = this.used;
  }
  build(): Texts {
    const { bytes, starts, kinds, count, used } = this;
    return new Texts(bytes.slice(0, used), starts.slice(0, count + 1), kinds.slice(0, count));
  }
}

function stringEnd(json: Buffer, from: number): number {
  let at = from + 1;
  for (; json[at] !== quote; at++) {
    if (at >= json.length) throw new DamagedBlob("A string has no end.");
    if (json[at] === backslash) at++;
  }
  return at + 1;
}

/** Returns the end of a number, a word, a list or an object. */
function otherEnd(json: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at++) {
    const byte = json[at];
    if (byte === quote) at = stringEnd(json, at) - 1;
    else if (byte === openBrace || byte === openBracket) depth++;
    else if (depth === 0 && (byte === comma || byte === closeBracket)) return at;
    else if (byte === closeBrace || byte === closeBracket) depth--;
  }
  throw new DamagedBlob("A value has no end.");
}
