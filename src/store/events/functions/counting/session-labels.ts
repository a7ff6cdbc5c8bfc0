import type { Segment } from "../../segment/segment";
import type { Context } from "../context";
import type { SessionValues } from "../sessions/kept-values";
import type { ToldBySessions } from "../sessions/told-by-sessions";
import { firstInOrder } from "../sets/selection";
import type { Dimension, Labels } from "./label";
import { perVisit } from "./labels";

/** A field of the sessions that visits are of, or of the earliest sessions of their users. */
export class SessionValueLabels implements Labels {
  private readonly values: SessionValues | null;

  constructor(
    private readonly context: Context,
    /** Null where there are no sessions. */
    private readonly told: ToldBySessions | null,
  ) {
    this.values = told?.values ?? null;
  }

  dimension(segment: Segment): Dimension {
    const { told, values } = this;
    const numbers = told?.sessionsOf(segment) ?? new Uint32Array(0);
    const codeOf = new Map<number, number>();
    const distinct: number[] = [];
    const codes = perVisit(segment, (visit) => {
      const session = numbers.length === 0 ? 0 : numbers[visit];
      const value = session === 0 || values === null ? 0 : values.numberOf(session);
      let code = codeOf.get(value);
      if (code === undefined) {
        code = distinct.push(value) - 1;
        codeOf.set(value, code);
      }
      return code;
    });
    return { codes, size: distinct.length, numberOf: (code) => distinct[code] };
  }
  label(number: number): string | null {
    return number === 0 ? null : (this.values?.text(number) ?? null);
  }
  first(numbers: Uint32Array, count: number): ReadonlySet<number> {
    const { values } = this;
    if (values === null) return new Set(numbers.slice(0, count));
    const isNullFirst = numbers.includes(0);
    const texts = numbers.filter((number) => number !== 0);
    const byteAt = (number: number, place: number): number => values.byteAt(number, place);
    const left = isNullFirst ? count - 1 : count;
    const { first } = firstInOrder(texts, left, byteAt, this.context.budget);
    return new Set(isNullFirst ? [0, ...first] : first);
  }
}
