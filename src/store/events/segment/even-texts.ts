import { readText } from "../../../lib/code-points";
import { comma, quote } from "../../shared/json-text";
import { type PlacedTexts, Texts } from "./texts";

const backslash = 92;
/** The bytes between two texts of a list: a quote, a comma and a quote. */
const betweenBytes = 3;

/**
 * Texts of one length, as the ids of sessions are that one tracker makes: where they lie in a list is known without a
 * look at those before, and nothing is made of them.
 */
export class EvenTexts implements PlacedTexts {
  private constructor(
    readonly bytes: Uint8Array,
    private readonly length: number,
  ) {}

  /** Returns the texts of a list in JSON, as JSON.stringify writes it; null when it has others too. */
  static of(json: Buffer, count: number): EvenTexts | null {
    // Each text brings what is between it and the next, and the list one byte more.
    const step = (json.length - 1) / count;
    if (count === 0 || !Number.isInteger(step) || step < betweenBytes) return null;
    // Without it each quote begins or ends a text: as many as there are have such ends, and there is no other value.
    if (json.includes(backslash) || json[1] !== quote || json[json.length - 2] !== quote)
      return null;
    for (let at = step; at < json.length - 1; at += step) {
      if (json[at] !== comma || json[at - 1] !== quote || json[at + 1] !== quote) return null;
    }
    return new EvenTexts(json, step - betweenBytes);
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

/** The values of a list in JSON, most of which are texts that nobody reads. */
export const placedTexts = (json: Buffer, count: number): PlacedTexts =>
  EvenTexts.of(json, count) ?? Texts.parse(json);
