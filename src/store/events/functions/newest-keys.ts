import type { KeysRequest } from "../../../domain/counting";
import type { TimeWindow } from "../../../domain/period";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import { Filter } from "./filter";
import { Newest, newestFirst } from "./newest";

/**
 * Distinct [key, event] pairs: the top-level property keys of the newest `sample` events that have properties.
 * Cost: the newest segments, until the sample is full.
 */
export function newestKeys(
  context: Context,
  segments: readonly Segment[],
  window: TimeWindow,
  { sample }: KeysRequest,
): [key: string, event: string][] {
  if (segments.length === 0) return [];
  const filter = new Filter(context, [], context.identity(segments[0].projectId));
  const newest = new Newest(sample);
  for (const segment of newestFirst(segments)) {
    if (segment.lastTime < newest.barMs) break;
    const rows = filter.select(segment, window);
    const shapes = rows === false ? null : segment.codes("event.shape");
    if (rows === false || shapes === null) continue;
    const { times, firstTime } = segment;
    for (let i = 0; i < times.length; i++) {
      const timeMs = firstTime + times[i];
      if (shapes[i] === 0 || (rows !== null && rows[i] === 0) || timeMs < newest.barMs) continue;
      newest.offer(timeMs, segment, i);
    }
  }
  const keysOf = new Map<string, Set<string>>();
  for (const { segment, row } of newest.events()) {
    const event = segment.dictionary("event.name")[(segment.codes("event.name")?.[row] ?? 0) - 1];
    const keys = keysOf.get(event as string) ?? new Set();
    for (const key of segment.keysAt(row) ?? []) keys.add(key);
    keysOf.set(event as string, keys);
  }
  return [...keysOf].flatMap(([event, keys]) =>
    [...keys].map((key): [string, string] => [key, event]),
  );
}
