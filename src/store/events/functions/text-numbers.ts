import type { Condition } from "../../../domain/filter";
import type { FilteredWindow } from "../../../domain/filter-items";
import { keyOfProperty, type PropertyField } from "../../../domain/property-field";
import { isTextNumber } from "../../../domain/text-number";
import { allOf, Filter } from "../filter/filter";
import { bytesOfArray, type Segment } from "../segment/segment";
import type { Context } from "./context";
import { codeCountsIn } from "./counting/visit-masks";

/**
 * Counts the events whose property is a text in the form of a number. Which values of a segment are such texts is kept,
 * so that a property of numbers alone costs one look-up a segment: neither its codes nor its filters are asked.
 */
export function textNumbers(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  conditions: readonly Condition[],
  field: PropertyField,
): number {
  if (segments.length === 0) return 0;
  const column = `property.${keyOfProperty(field)}`;
  const identity = context.identity(segments[0].projectId);
  const isKept = conditions.length === 0;
  const filter = new Filter(context, allOf(window, conditions), identity, isKept);
  let events = 0;
  for (const segment of segments) {
    const codes = codesOfTextNumbers(context, segment, column);
    if (codes.length === 0) continue;
    const counts = codeCountsIn(filter.select(segment, window), column);
    for (const code of codes) events += counts[code];
  }
  return events;
}

const valuesPerCheck = 16_384;

const codesOfTextNumbers = (
  { check }: Context,
  { whole: segment }: Segment,
  column: string,
): Uint32Array =>
  segment.derive(`text numbers of ${column}`, bytesOfArray, () => {
    const codes: number[] = [];
    segment.dictionary(column).forEach((value, index) => {
      if (index % valuesPerCheck === 0) check();
      if (isTextNumber(value)) codes.push(index + 1);
    });
    return Uint32Array.from(codes);
  });
