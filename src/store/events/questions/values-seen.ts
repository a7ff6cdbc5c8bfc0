import type { Condition } from "../../../domain/filter";
import type { PropertyField } from "../../../domain/property-field";
import type { View } from "../../questions";
import { type SoughtField, seenRequest } from "../../shared/values-seen";
import { countBy } from "../functions/count-by";
import { eventCount } from "../functions/totals";
import type { Segment } from "../segment/segment";
import type { OpenSnapshot } from "./open-snapshot";

/**
 * Returns those of some values that an event of the view has. Cost: mostly one segment, as it begins with the newest,
 * which has nearly every value in use. For a value that no event has, it searches the dictionary of each segment.
 */
export function valuesSeen(
  snapshot: OpenSnapshot,
  view: View,
  field: SoughtField,
  values: readonly string[],
): string[] {
  const { context } = snapshot;
  const left = new Set(values);
  const seen: string[] = [];
  for (const segment of newestFirst(snapshot, view)) {
    if (left.size === 0) break;
    const request = seenRequest(field, [...left]);
    const { rows } = countBy(context, [segment], view, request, () => [segment]);
    for (const { [field]: value } of rows) {
      if (typeof value === "string" && left.delete(value)) seen.push(value);
    }
  }
  return seen;
}

/** Tells whether an event of the view has a property. The cost is that of `valuesSeen`. */
export function hasProperty(snapshot: OpenSnapshot, view: View, field: PropertyField): boolean {
  const isThere: Condition = { field, op: "not_null", value: "" };
  return newestFirst(snapshot, view).some(
    (segment) => eventCount(snapshot.context, [segment], view, [isThere]) > 0,
  );
}

const newestFirst = (snapshot: OpenSnapshot, view: View): Segment[] =>
  snapshot.segmentsWithin(view).sort((a, b) => b.lastTime - a.lastTime);
