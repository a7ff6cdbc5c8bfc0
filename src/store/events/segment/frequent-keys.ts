import { membersOf } from "./json-text";
import { canNameColumn } from "./properties";
import type { SegmentReader } from "./reader";
import { linesOf, propertiesOfLine } from "./rows";
import { segmentSizes } from "./sizes";

/** Enough to find the keys that matter; a key that is missed costs time, not exactness. */
const sampleEvents = 2_048;
const countedKeysMax = 65_536;

/** The keys that most events of these segments have, judged by a sample: they become columns. None seen only once. */
export function frequentKeys(reader: SegmentReader, inputs: readonly number[]): Set<string> {
  const eventCount = inputs.reduce((sum, id) => sum + reader.info(id).eventCount, 0);
  const step = Math.max(1, Math.floor(eventCount / sampleEvents));
  const counts = new Map<string, number>();
  for (const id of inputs) {
    for (const keys of sampledKeys(reader, id, step)) count(counts, keys);
  }
  const frequent = [...counts]
    .filter(([, times]) => times > 1)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return new Set(frequent.slice(0, segmentSizes.propertyColumnsMax).map(([key]) => key));
}

/** As JSON texts. */
function* sampledKeys(
  reader: SegmentReader,
  id: number,
  step: number,
): Generator<readonly string[]> {
  if (reader.info(id).encoding === "rows") {
    const lines = linesOf(reader.rows(id));
    for (let i = 0; i < lines.length; i += step) {
      yield membersOf(propertiesOfLine(lines[i]) ?? "{}").map(([key]) => key);
    }
    return;
  }
  const segment = reader.open(id);
  for (let row = 0; row < segment.eventCount; row += step) {
    yield (segment.keysAt(row) ?? []).map((key) => JSON.stringify(key));
  }
}

function count(counts: Map<string, number>, keys: readonly string[]): void {
  for (const key of keys) {
    if (canNameColumn(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  // Keys seen once are dropped when there are too many: a frequent one comes back at once.
  for (let rare = 1; counts.size > countedKeysMax; rare *= 2) {
    for (const [key, times] of counts) if (times <= rare) counts.delete(key);
  }
}
