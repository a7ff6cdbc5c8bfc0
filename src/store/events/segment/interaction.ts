/*
 * Segments of before say of exposures that they are interaction.
 * Decision: what visit.interactive says is found again from the names of events where a segment was built when
 * $experiment_exposure counted as interaction. The migration 0009 noted which segments these are.
 * Because: a session has visits in segments of either kind, and settled segments are not built again.
 * Cost: the first read of bounces loads one more column of such a segment, if it has an exposure at all.
 * Revisit: when the data that a version before this one stored has expired everywhere.
 */

import { nonInteractiveEvents } from "../../../domain/event";
import { exposureEvent } from "../../../domain/experiment";
import type { Column } from "./column";
import type { Segment } from "./segment";
import { storedMasks } from "./stored-counts";

export const interactiveColumn = "visit.interactive";

/** Returns the column by the names that count today, of a segment that stored it by those of before. */
export function interactionToday(segment: Segment, stored: Column | null): Column | null {
  const names = segment.dictionary("event.name");
  if (!names.includes(exposureEvent)) return stored;
  const isInteractive = Uint8Array.from([
    0,
    ...names.map((name) => (nonInteractiveEvents.has(String(name)) ? 0 : 1)),
  ]);
  const { firstRows, visitCount } = segment;
  const interactive = new Uint8Array(visitCount);
  const masks = storedMasks(segment, "event.name");
  if (masks !== null) {
    const bits = isInteractive.reduce((sum, is, code) => sum | (is << code), 0);
    for (let v = 0; v < visitCount; v++) interactive[v] = (masks[v] & bits) === 0 ? 0 : 1;
    return { codes: interactive };
  }
  const codes = segment.codes("event.name") ?? new Uint8Array(segment.eventCount);
  for (let v = 0; v < visitCount; v++) {
    for (let row = firstRows[v]; row < firstRows[v + 1]; row++) {
      interactive[v] |= isInteractive[codes[row]];
    }
  }
  return { codes: interactive };
}
