/*
 * The reader of CSV is our own.
 * Decision: CSV is read here, by RFC 4180, one piece of bytes after the other.
 * Because: csv-parse loses the rest of a piece after a record that is too long, reads bytes that are no UTF-8 as other
 * characters, and takes twice as long; other packages keep a record whole, however long it is.
 * Cost: this file, held against random tables that are cut anywhere.
 * Revisit: if a package refuses single records and goes on.
 */

import { isAscii } from "node:buffer";
import { brokenFile, recordBytesMax } from "./broken";
import { SkippedRecord } from "./skipped-record";
import { byteOrderMark, textOfUtf8 } from "./utf8";

/** A record of a CSV file, and the line on which it begins. */
export interface CsvRecord {
  readonly line: number;
  /** Null where the record is no row: it is too long, no UTF-8, has a NUL, or text after a closing quote. */
  readonly cells: readonly string[] | null;
  readonly isTooLong?: true;
}

/** Reads the records of a CSV file as they come from it, in pieces. Empty lines are no records. */
export async function* csvRecords(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly CsvRecord[]> {
  const reader = new CsvReader();
  for await (const piece of bytes) yield reader.push(piece);
  yield reader.end();
}

const quote = 34;
const comma = 44;
const newline = 10;

class CsvReader {
  /** The bytes that no record has used yet. Each byte is one character of the text, so both have the same indexes. */
  #bytes: Uint8Array = new Uint8Array(0);
  #text = "";
  #isAscii = true;
  #hasNul = false;
  #at = 0;
  #line = 1;
  #isAtStart = true;
  #isLast = false;
  #skipped: SkippedRecord | null = null;

  push(piece: Uint8Array): readonly CsvRecord[] {
    const records: CsvRecord[] = [];
    this.#take(this.#skipped === null ? piece : this.#skip(this.#skipped, piece, records));
    if (!this.#isAtStart) this.#readAll(records);
    if (this.#bytes.length - this.#at > recordBytesMax) this.#beginToSkip();
    return records;
  }

  end(): readonly CsvRecord[] {
    const records: CsvRecord[] = [];
    this.#isLast = true;
    if (this.#skipped?.isQuoted) throw quoteNeverEnds(this.#skipped.line);
    if (this.#skipped !== null) records.push(tooLong(this.#skipped.line));
    this.#readAll(records);
    return records;
  }

  #take(piece: Uint8Array): void {
    const left = this.#bytes.subarray(this.#at);
    let bytes = left.length === 0 ? piece : Buffer.concat([left, piece]);
    // A mark that pieces cut apart is seen when all of it is there.
    if (this.#isAtStart && bytes.length >= byteOrderMark.length) {
      if (byteOrderMark.every((byte, at) => bytes[at] === byte)) bytes = bytes.subarray(3);
      this.#isAtStart = false;
    }
    this.#bytes = bytes;
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    this.#isAscii = isAscii(bytes);
    this.#hasNul = bytes.includes(0);
    this.#at = 0;
  }

  #readAll(records: CsvRecord[]): void {
    while (this.#at < this.#text.length) {
      const record = this.#record();
      if (record === null) return;
      if (!isEmptyLine(record)) records.push(record);
    }
  }

  /** Reads the next record; null where its end has not come yet. */
  #record(): CsvRecord | null {
    const start = this.#at;
    const line = this.#line;
    const cells: string[] = [];
    let isRow = true;
    let at = start;
    do {
      const isQuoted = this.#text.charCodeAt(at) === quote;
      const close = isQuoted ? this.#closingQuote(at) : at;
      if (close === null) return null;
      const end = this.#fieldEnd(isQuoted ? close + 1 : at);
      if (end === null) return null;
      const last = this.#withoutReturn(isQuoted ? close + 1 : at, end);
      const cell = isQuoted ? this.#quoted(at + 1, close) : this.#cell(at, last);
      if (cell === null || (isQuoted && last !== close + 1)) isRow = false;
      cells.push(cell ?? "");
      at = end + 1;
    } while (this.#text.charCodeAt(at - 1) === comma);
    this.#at = Math.min(at, this.#text.length);
    this.#line = line + this.#newlines(start, this.#at);
    if (at - 1 - start > recordBytesMax) return tooLong(line);
    if (this.#hasNul && this.#text.slice(start, at).includes("\0")) isRow = false;
    return { line, cells: isRow ? cells : null };
  }

  /** Finds the quote that closes a field; null where it has not come yet. */
  #closingQuote(open: number): number | null {
    const text = this.#text;
    let at = text.indexOf('"', open + 1);
    while (at >= 0 && text.charCodeAt(at + 1) === quote) at = text.indexOf('"', at + 2);
    if (at < 0 && this.#isLast) throw quoteNeverEnds(this.#line);
    // Where the next piece may begin with a second quote, the end of the field has not come either.
    return at < 0 ? null : at;
  }

  /** Finds the comma or line break that ends a field; null where it has not come yet. */
  #fieldEnd(from: number): number | null {
    const text = this.#text;
    for (let at = from; at < text.length; at++) {
      const character = text.charCodeAt(at);
      if (character === comma || character === newline) return at;
    }
    return this.#isLast ? text.length : null;
  }
  /** The end of a field without the first half of its line break. */
  #withoutReturn(from: number, end: number): number {
    const text = this.#text;
    const isLastField = end === text.length || text.charCodeAt(end) === newline;
    return isLastField && end > from && text.charAt(end - 1) === "\r" ? end - 1 : end;
  }

  #quoted(from: number, to: number): string | null {
    const cell = this.#cell(from, to);
    return cell?.includes('"') ? cell.replaceAll('""', '"') : cell;
  }
  /** Returns the text of a field, or null where it is no UTF-8. */
  #cell(from: number, to: number): string | null {
    const text = this.#text.slice(from, to);
    if (this.#isAscii || isAsciiText(text)) return text;
    return textOfUtf8(this.#bytes.subarray(from, to));
  }

  #newlines(from: number, to: number): number {
    let count = 0;
    let at = this.#text.indexOf("\n", from);
    for (; at >= 0 && at < to; at = this.#text.indexOf("\n", at + 1)) count++;
    return count;
  }

  /** Looks for the end of a record that is too long, and keeps nothing of it. */
  #beginToSkip(): void {
    this.#skipped = new SkippedRecord(this.#line);
    this.#skipped.endIn(this.#bytes.subarray(this.#at));
    this.#at = this.#bytes.length;
  }
  /** Returns what comes after a record that is too long. */
  #skip(skipped: SkippedRecord, piece: Uint8Array, records: CsvRecord[]): Uint8Array {
    const end = skipped.endIn(piece);
    if (end === null) return new Uint8Array(0);
    this.#skipped = null;
    this.#line += skipped.newlines;
    records.push(tooLong(skipped.line));
    return piece.subarray(end);
  }
}

const isAsciiText = (text: string): boolean => !/[\x80-\xff]/.test(text);

const tooLong = (line: number): CsvRecord => ({ line, cells: null, isTooLong: true });

const isEmptyLine = ({ cells }: CsvRecord): boolean => cells?.length === 1 && cells[0] === "";

const quoteNeverEnds = (line: number) =>
  brokenFile(
    `The record on line ${line} opens a quote that never ends. Export the file again.`,
    line,
  );
