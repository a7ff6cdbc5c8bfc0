import { compareText } from "../../../lib/text";
import type { SessionValues } from "../session/field-values";
import type { Budget } from "../sets/budget";
import { mostFrequent } from "../sets/largest";

interface TopValue {
  readonly number: number;
  /** Null for number 0. */
  readonly value: string | null;
  readonly count: number;
}

/** Returns the values with the largest counts, ties in order of their texts and null last, and the number of all. */
export function topValues(
  counts: Uint32Array,
  values: Pick<SessionValues, "text" | "byteAt">,
  limit: number,
  budget: Budget,
): { readonly top: readonly TopValue[]; readonly total: number } {
  let total = 0;
  for (const count of counts) if (count > 0) total++;
  // No text has this byte, so null comes after all texts.
  const byteAt = (number: number, place: number): number =>
    number === 0 ? 255 : values.byteAt(number, place);
  const top = mostFrequent(counts, limit, byteAt, budget)
    .map((number) => ({
      number,
      value: number === 0 ? null : values.text(number),
      count: counts[number],
    }))
    .sort((a, b) => b.count - a.count || compareValues(a.value, b.value));
  return { top, total };
}

const compareValues = (a: string | null, b: string | null): number =>
  a === null || b === null ? Number(a === null) - Number(b === null) : compareText(a, b);
