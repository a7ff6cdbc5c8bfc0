import type { FoundKeys, KeysRequest } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import type { Context } from "../filter/context";
import { allOf, Filter } from "../filter/filter";
import type { ShapeKey } from "../segment/column";
import type { Segment } from "../segment/segment";
import { PairCounts } from "../sets/pair-counts";
import { Newest, newestFirst } from "./newest/newest";

/**
 * Distinct [key, event] pairs: the top-level property keys of the newest `sample` events that have properties.
 * Cost: the newest segments, until the sample is full; then what the keys of the sample take as text, however many of
 * them there are.
 */
export function newestKeys(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  request: KeysRequest,
): FoundKeys {
  if (segments.length === 0) return { pairs: [], is_cut: false };
  const counts = new PairCounts(context.secret, context.budget);
  for (const [segment, rows] of newestRows(context, segments, window, request.sample)) {
    addKeys(context, segment, rows, request.by_event, counts);
  }
  const { pairs, isCut } = counts.best(request.limit);
  return { pairs, is_cut: isCut };
}

function newestRows(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  sample: number,
): Map<Segment, number[]> {
  const identity = context.identity(segments[0].projectId);
  const filter = new Filter(context, allOf(window), identity);
  const newest = new Newest(sample);
  for (const segment of newestFirst(segments)) {
    if (segment.lastTime < newest.barMs) break;
    const selection = filter.select(segment, window);
    const shapes = selection.isNone ? null : segment.codes("event.shape");
    if (shapes === null) continue;
    const { rows } = selection;
    const { times, firstTime } = segment;
    for (let i = 0; i < times.length; i++) {
      const timeMs = firstTime + times[i];
      if (shapes[i] === 0 || rows[i] === 0 || timeMs < newest.barMs) continue;
      newest.offer(timeMs, segment, i);
    }
  }
  const found = new Map<Segment, number[]>();
  for (const { segment, row } of newest.events()) {
    const rows = found.get(segment);
    if (rows === undefined) found.set(segment, [row]);
    else rows.push(row);
  }
  return found;
}

/** Keys that have a column are counted once for all events of a shape; the others are in the events' own texts. */
function addKeys(
  context: Context,
  segment: Segment,
  rows: readonly number[],
  isByEvent: boolean,
  counts: PairCounts,
): void {
  const names = segment.dictionary("event.name") as readonly string[];
  const nameCodes = segment.codes("event.name");
  const shapes = segment.dictionary("event.shape") as readonly (readonly ShapeKey[])[];
  const shapeCodes = segment.codes("event.shape");
  const ofShapes = new Map<number, number>();
  for (const row of rows) {
    const name = isByEvent ? (nameCodes?.[row] ?? 0) : 0;
    const shape = shapeCodes?.[row] ?? 0;
    const both = name * (shapes.length + 1) + shape;
    ofShapes.set(both, (ofShapes.get(both) ?? 0) + 1);
    if (!shapes[shape - 1].includes(null)) continue;
    context.check();
    counts.addKeysOf(segment.overflow?.textAt(row) ?? "{}", isByEvent ? names[name - 1] : "");
  }
  for (const [both, times] of ofShapes) {
    context.check();
    const name = Math.floor(both / (shapes.length + 1));
    const event = isByEvent ? names[name - 1] : "";
    for (const key of shapes[(both % (shapes.length + 1)) - 1]) {
      if (key !== null) counts.add(key, event, times);
    }
  }
}
