import { readText } from "../../../lib/code-points";
import { comma, quote } from "../../shared/json-text";
import { type PlacedTexts, Texts } from "./texts";

const backslash = 92;
/** Between two texts of a list there are a quote, a comma and a quote. */
const betweenBytes = 3;

/**
 * A list of texts that all have the same length, such as the session ids that one tracker makes. The place of a text
 * follows from its index, so that no table of places is needed and the JSON stays as it is.
 */
export class FixedLengthTexts implements PlacedTexts {
  private constructor(
    readonly bytes: Uint8Array,
    private readonly length: number,
  ) {}

  /** Returns the texts of a list as JSON.stringify writes it; null if they have several lengths or the list others. */
  static of(json: Buffer, count: number): FixedLengthTexts | null {
    // Each text comes with three bytes of quotes and comma; brackets instead of the last comma make one byte more.
    const step = (json.length - 1) / count;
    if (count === 0 || !Number.isInteger(step) || step < betweenBytes) return null;
    // Without backslashes each quote begins or ends a text. So if all of them are at the expected places, the list has
    // no other values.
    if (json.includes(backslash) || json[1] !== quote || json[json.length - 2] !== quote)
      return null;
    for (let at = step; at < json.length - 1; at += step) {
      if (json[at] !== comma || json[at - 1] !== quote || json[at + 1] !== quote) return null;
    }
    return new FixedLengthTexts(json, step - betweenBytes);
  }

  get byteLength(): number {
    return this.bytes.byteLength;
  }
  startOf(index: number): number {
    return 2 + index * (this.length + betweenBytes);
  }
  endOf(index: number): number {
    return this.startOf(index) + this.length;
  }
  text(index: number): string {
    return readText(this.bytes, this.startOf(index), this.endOf(index));
  }
}

/** Returns the values of a list in JSON, for callers that read few of them. */
export const placedTexts = (json: Buffer, count: number): PlacedTexts =>
  FixedLengthTexts.of(json, count) ?? Texts.parse(json);
