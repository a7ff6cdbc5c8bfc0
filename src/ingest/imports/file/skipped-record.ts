/**
 * A record of CSV that is too long to be kept: its bytes are looked at once, for where it ends. It ends where the same
 * record would end if it were read.
 */
export class SkippedRecord {
  newlines = 0;
  #state: "field" | "plain" | "quoted" | "closed" = "field";

  constructor(readonly line: number) {}

  /** Tells whether a quote is open. */
  get isQuoted(): boolean {
    return this.#state === "quoted";
  }

  /** Returns the index after the record's line break, or null where it has not come. */
  endIn(bytes: Uint8Array): number | null {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (this.#state === "quoted") {
        const close = bytes.indexOf(quote, at);
        this.#countNewlines(bytes, at, close < 0 ? bytes.length : close);
        if (close < 0) return null;
        at = close;
        this.#state = "closed";
        continue;
      }
      if (byte === newline) {
        this.newlines++;
        return at + 1;
      }
      this.#state = this.#after(byte);
    }
    return null;
  }

  /** A quote opens a field where it begins, and is one of its characters after a quote that seemed to close it. */
  #after(byte: number | undefined): "field" | "plain" | "quoted" {
    if (byte === comma) return "field";
    return byte === quote && this.#state !== "plain" ? "quoted" : "plain";
  }

  #countNewlines(bytes: Uint8Array, from: number, to: number): void {
    let at = bytes.indexOf(newline, from);
    for (; at >= 0 && at < to; at = bytes.indexOf(newline, at + 1)) this.newlines++;
  }
}

const quote = 34;
const comma = 44;
const newline = 10;
