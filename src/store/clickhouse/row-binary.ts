import { bytesOf } from "./text";

const firstBytes = 1 << 16;
/** A length below this takes one byte. */
const oneByteLengths = 128;
/** A UTF-16 unit takes at most this many bytes of UTF-8. */
const bytesPerUnit = 3;
const encoder = new TextEncoder();

/** Rows in ClickHouse's format RowBinary, in which nothing is escaped, and a text may consist of any bytes. */
export class RowBinary {
  private bytes = new Uint8Array(firstBytes);
  private view = new DataView(this.bytes.buffer);
  private at = 0;

  uint8(value: number): this {
    this.room(1);
    this.bytes[this.at++] = value;
    return this;
  }
  uint16(value: number): this {
    this.room(2);
    this.view.setUint16(this.at, value, true);
    this.at += 2;
    return this;
  }
  /** Writes a safe integer. */
  int64(value: number): this {
    this.room(8);
    const high = Math.floor(value / 2 ** 32);
    this.view.setUint32(this.at, value - high * 2 ** 32, true);
    this.view.setInt32(this.at + 4, high, true);
    this.at += 8;
    return this;
  }
  big(value: bigint): this {
    this.room(8);
    this.view.setBigInt64(this.at, BigInt.asIntN(64, value), true);
    this.at += 8;
    return this;
  }
  text(value: string): this {
    return value.isWellFormed() ? this.encoded(value, null) : this.raw(bytesOf(value));
  }
  /** Writes a text behind a byte. */
  marked(mark: number, value: string): this {
    if (value.isWellFormed()) return this.encoded(value, mark);
    return this.raw(Buffer.concat([Uint8Array.of(mark), bytesOf(value)]));
  }
  raw(value: Uint8Array): this {
    this.length(value.length);
    this.room(value.length);
    this.bytes.set(value, this.at);
    this.at += value.length;
    return this;
  }
  /** Writes seven bits in each byte, the lowest first. */
  length(value: number): this {
    this.room(10);
    let left = value;
    for (; left > 127; left = Math.floor(left / 128)) this.bytes[this.at++] = (left % 128) | 128;
    this.bytes[this.at++] = left;
    return this;
  }
  get isEmpty(): boolean {
    return this.at === 0;
  }
  done(): Uint8Array {
    return this.bytes.subarray(0, this.at);
  }

  /** Encodes into the rows. The length, known afterwards, seldom takes more than the byte that is left for it. */
  private encoded(value: string, mark: number | null): this {
    this.room(1 + 1 + bytesPerUnit * value.length);
    const lengthAt = this.at;
    const textAt = lengthAt + (mark === null ? 1 : 2);
    const { written } = encoder.encodeInto(value, this.bytes.subarray(textAt));
    const length = written + textAt - lengthAt - 1;
    if (length < oneByteLengths) {
      this.bytes[lengthAt] = length;
      if (mark !== null) this.bytes[lengthAt + 1] = mark;
      this.at = lengthAt + 1 + length;
      return this;
    }
    const text = this.bytes.slice(textAt, textAt + written);
    this.length(length);
    this.room(length);
    if (mark !== null) this.bytes[this.at++] = mark;
    this.bytes.set(text, this.at);
    this.at += written;
    return this;
  }
  private room(more: number): void {
    if (this.at + more <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.bytes.length, this.at + more));
    grown.set(this.bytes);
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }
}
