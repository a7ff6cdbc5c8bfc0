import { isObject, type JsonObject } from "../../properties";
import { brokenFile, recordBytesMax } from "./broken";
import { byteOrderMark, textOfUtf8 } from "./utf8";

/** A JSON value of a file, and the line on which it begins. */
export interface JsonRecord {
  readonly line: number;
  /** The value's text; null where it is too long or no UTF-8. */
  readonly text: string | null;
  readonly isTooLong?: true;
}

/** The object of a record; null where it is none. */
export function objectOf({ text }: JsonRecord): JsonObject | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Reads the values of a JSON file as they come from it, in pieces: one value a line, or the elements of one list. */
export async function* jsonRecords(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly JsonRecord[]> {
  let start: Uint8Array = new Uint8Array(0);
  let reader: LineReader | ListReader | null = null;
  for await (const piece of bytes) {
    if (reader !== null) {
      yield reader.push(piece);
      continue;
    }
    start = Buffer.concat([start, piece]);
    if (start.length < byteOrderMark.length) continue;
    reader = readerFor(start);
    if (reader !== null) yield reader.push(withoutMark(start));
  }
  if (reader === null) {
    reader = readerFor(start) ?? new LineReader();
    yield reader.push(withoutMark(start));
  }
  yield reader.end();
}

const openBracket = 91;
const newline = 10;

/** Finds out by its first character whether a file is one list; null where that has not come yet. */
function readerFor(start: Uint8Array): LineReader | ListReader | null {
  const first = withoutMark(start).find((byte) => byte > 32);
  if (first === undefined) return start.length > recordBytesMax ? new LineReader() : null;
  return first === openBracket ? new ListReader() : new LineReader();
}

const withoutMark = (bytes: Uint8Array): Uint8Array =>
  byteOrderMark.every((byte, at) => bytes[at] === byte)
    ? bytes.subarray(byteOrderMark.length)
    : bytes;

/** The bytes of a record that has not ended yet. One that is too long is not kept. */
class Unfinished {
  line = 1;
  #pieces: Uint8Array[] = [];
  #length = 0;

  add(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length > recordBytesMax) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece.slice());
  }

  /** Returns the record that ends with these bytes; null where it has none. */
  finish(last: Uint8Array): JsonRecord | null {
    const { line } = this;
    const isTooLong = this.#length + last.length > recordBytesMax;
    const bytes = this.#length === 0 ? last : Buffer.concat([...this.#pieces, last]);
    this.#pieces = [];
    this.#length = 0;
    if (isTooLong) return { line, text: null, isTooLong };
    const text = textOfUtf8(bytes);
    return text?.trim() === "" ? null : { line, text };
  }
}

/** Reads one value a line. */
class LineReader {
  readonly #unfinished = new Unfinished();

  push(piece: Uint8Array): readonly JsonRecord[] {
    const records: JsonRecord[] = [];
    let from = 0;
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, from)) {
      const record = this.#unfinished.finish(piece.subarray(from, end));
      if (record !== null) records.push(record);
      this.#unfinished.line++;
      from = end + 1;
    }
    this.#unfinished.add(piece.subarray(from));
    return records;
  }

  end(): readonly JsonRecord[] {
    const record = this.#unfinished.finish(new Uint8Array(0));
    return record === null ? [] : [record];
  }
}

const quote = 34;
const comma = 44;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;
const space = 32;

/** Reads the elements of one list. */
class ListReader {
  readonly #unfinished = new Unfinished();
  #records: JsonRecord[] = [];
  #line = 1;
  /** The brackets and braces that are open, the list's own included. */
  #depth = 0;
  #hasBegun = false;
  #isInText = false;
  #isEscaped = false;
  #isOver = false;

  push(piece: Uint8Array): readonly JsonRecord[] {
    this.#records = [];
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] ?? 0;
      if (byte === newline) this.#line++;
      if (this.#isInText) this.#readInText(byte);
      else if (byte > space && this.#readOutside(byte, piece.subarray(from, at))) from = at + 1;
    }
    this.#unfinished.add(piece.subarray(from));
    return this.#records;
  }

  end(): readonly JsonRecord[] {
    if (this.#depth > 0) {
      throw brokenFile(
        `The list in the file does not end: it is cut short on line ${this.#line}. Export it again.`,
        this.#line,
      );
    }
    return [];
  }

  #readInText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) this.#isInText = false;
  }

  /** Reads a byte outside of texts. Returns whether the next element begins after it. */
  #readOutside(byte: number, before: Uint8Array): boolean {
    if (this.#isOver) throw goesOn(this.#line);
    switch (byte) {
      case openBracket:
      case openBrace:
        this.#depth++;
        return this.#depth === 1 || this.#begin();
      case closeBracket:
      case closeBrace:
        this.#depth--;
        this.#isOver = this.#depth === 0;
        return this.#isOver && this.#finish(before);
      case comma:
        return this.#depth === 1 && this.#finish(before);
      case quote:
        this.#isInText = true;
        return this.#begin();
      default:
        return this.#begin();
    }
  }

  #begin(): false {
    if (!this.#hasBegun) this.#unfinished.line = this.#line;
    this.#hasBegun = true;
    return false;
  }
  #finish(before: Uint8Array): true {
    const record = this.#unfinished.finish(before);
    if (record !== null) this.#records.push(record);
    this.#hasBegun = false;
    return true;
  }
}

const goesOn = (line: number) =>
  brokenFile(`Line ${line} goes on after the end of the list. Export the file again.`, line);
