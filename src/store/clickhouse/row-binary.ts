import { bytesOf } from "./text";

const firstBytes = 1 << 16;

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
    return this.big(BigInt(value));
  }
  big(value: bigint): this {
    this.room(8);
    this.view.setBigInt64(this.at, BigInt.asIntN(64, value), true);
    this.at += 8;
    return this;
  }
  text(value: string): this {
    return this.raw(bytesOf(value));
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

  private room(more: number): void {
    if (this.at + more <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.bytes.length, this.at + more));
    grown.set(this.bytes);
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }
}
