import type { View } from "../../questions";
import { type SoughtField, seenRequest } from "../../shared/values-seen";
import { countBy } from "../functions/count-by";
import type { OpenSnapshot } from "./open-snapshot";

/**
 * Returns those of some values that an event of the view has. Cost: one segment, mostly, as the newest are asked first
 * and what is used at all is used there; for a value that none has, its text in the dictionary of each.
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
  const newestFirst = snapshot.partsWithin(view).sort((a, b) => b.lastTime - a.lastTime);
  for (const segment of newestFirst) {
    if (left.size === 0) break;
    const request = seenRequest(field, [...left]);
    const { rows } = countBy(context, [segment], view, request, () => [segment]);
    for (const { [field]: value } of rows) {
      if (typeof value === "string" && left.delete(value)) seen.push(value);
    }
  }
  return seen;
}
