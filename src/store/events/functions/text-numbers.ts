import type { Condition } from "../../../domain/filter";
import type { FilteredWindow } from "../../../domain/filter-items";
import { keyOfProperty, type PropertyField } from "../../../domain/property-field";
import { isTextNumber } from "../../../domain/text-number";
import { countsOfColumn } from "../aggregate/counts";
import type { Context } from "../filter/context";
import { allOf, Filter } from "../filter/filter";
import { bytesOfArray, type Segment } from "../segment/segment";

/**
 * Counts the events whose property has a value of one kind. The cache keeps the codes of such values for each segment:
 * a segment without one costs a look-up, and neither filters nor codes of rows are read.
 */
export type CountOfKind = (
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  conditions: readonly Condition[],
  field: PropertyField,
) => number;

const valuesPerCheck = 16_384;

const countOfKind =
  (kind: string, isOfKind: (value: unknown) => boolean): CountOfKind =>
  (context, segments, window, conditions, field) => {
    if (segments.length === 0) return 0;
    const column = `property.${keyOfProperty(field)}`;
    const codesIn = (segment: Segment): Uint32Array =>
      segment.derive(`${kind} of ${column}`, bytesOfArray, () => {
        const codes: number[] = [];
        segment.dictionary(column).forEach((value, index) => {
          if (index % valuesPerCheck === 0) context.check();
          if (isOfKind(value)) codes.push(index + 1);
        });
        return Uint32Array.from(codes);
      });
    const identity = context.identity(segments[0].projectId);
    const isCached = conditions.length === 0;
    const filter = new Filter(context, allOf(window, conditions), identity, isCached);
    let events = 0;
    for (const segment of segments) {
      const codes = codesIn(segment);
      if (codes.length === 0) continue;
      const counts = countsOfColumn(filter.select(segment, window), column);
      for (const code of codes) events += counts[code];
    }
    return events;
  };

/** Counts values that are texts in the form of a number. */
export const textNumbers = countOfKind("text numbers", isTextNumber);
/** Counts values that are numbers. */
export const numbers = countOfKind("codes of numbers", (value) => typeof value === "number");
