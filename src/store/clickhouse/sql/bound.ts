import type { Parameters } from "../client";
import type { ParameterValue } from "../text";

/** A parameter's text has at most this many characters, as ClickHouse takes 128 KiB. */
const listCharsMax = 60_000;
/** A DateTime64 can hold this time, and no event is later. */
const timeMax = Date.UTC(2200, 0, 1);

export const timeWithin = (timeMs: number): number =>
  Math.min(Math.max(Math.ceil(timeMs), 0), timeMax);

/** The bound values of one statement. A value that is added becomes a placeholder, and never part of the text. */
export class Bound {
  private readonly added: Record<string, ParameterValue> = {};
  private count = 0;

  get values(): Parameters {
    return this.added;
  }
  text(value: string): string {
    return this.add(value, "String");
  }
  /** Takes any number of texts, which are sent in several parameters when they are too long for one. */
  texts(values: readonly string[]): string {
    const parts: string[][] = [[]];
    let chars = 0;
    for (const value of values) {
      chars += value.length;
      if (chars > listCharsMax) {
        parts.push([]);
        chars = value.length;
      }
      parts[parts.length - 1].push(value);
    }
    const lists = parts.map((part) => this.add(part, "Array(String)"));
    return lists.length === 1 ? lists[0] : `arrayConcat(${lists.join(", ")})`;
  }
  integer(value: number): string {
    return this.add(value, "Int64");
  }
  integers(values: readonly number[]): string {
    return this.add(values, "Array(Int64)");
  }
  real(value: number): string {
    return this.add(value, "Float64");
  }
  time(timeMs: number): string {
    return `fromUnixTimestamp64Milli(${this.integer(timeWithin(timeMs))}, 'UTC')`;
  }

  private add(value: ParameterValue, type: string): string {
    const name = `p${this.count++}`;
    this.added[name] = value;
    return `{${name}:${type}}`;
  }
}
