import { membersOf } from "../../shared/json-text";
import type { Tuning } from "../tuning";
import { ColumnKeys, canNameColumn } from "./column-keys";
import { linesOf, propertiesOfLine } from "./rows";
import type { Segment } from "./segment";

/** Enough to find the keys that matter; a key that is missed costs time, not exactness. */
const sampleEvents = 1_024;
const countedKeysMax = 65_536;

/** What a merge reads: the text of rows, or columns. */
export type Input = string | Segment;

/**
 * The keys that most events of these inputs have, judged by a sample: they become columns. None seen only once, unless
 * it is a column already and there is room: then what a segment has can stay as it is.
 */
export function frequentKeys(
  inputs: readonly Input[],
  eventCount: number,
  { propertyColumnsMax }: Tuning,
): ColumnKeys {
  const step = Math.max(1, Math.floor(eventCount / sampleEvents));
  const counts = new Map<string, number>();
  for (const input of inputs) {
    for (const keys of sampledKeys(input, step)) count(counts, keys);
  }
  const frequent = [...counts]
    .filter(([, times]) => times > 1)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([key]) => key);
  const chosen = new Set([...frequent, ...columnsOf(inputs)]);
  return new ColumnKeys([...chosen].slice(0, propertyColumnsMax));
}

/** Yields the keys of some events as JSON texts. */
function* sampledKeys(input: Input, step: number): Generator<readonly string[]> {
  if (typeof input === "string") {
    const lines = linesOf(input);
    for (let i = 0; i < lines.length; i += step) {
      yield membersOf(propertiesOfLine(lines[i]) ?? "{}").map(([key]) => key);
    }
    return;
  }
  for (let row = 0; row < input.eventCount; row += step) {
    yield (input.keysAt(row) ?? []).map((key) => JSON.stringify(key));
  }
}

const columnsOf = (inputs: readonly Input[]): string[] =>
  inputs.flatMap((input) =>
    typeof input === "string"
      ? []
      : input
          .storedNames()
          .filter((name) => name.startsWith("property."))
          .map((name) => JSON.stringify(name.slice("property.".length))),
  );

function count(counts: Map<string, number>, keys: readonly string[]): void {
  for (const key of keys) {
    if (canNameColumn(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  // Keys seen once are dropped when there are too many: a frequent one comes back at once.
  for (let rare = 1; counts.size > countedKeysMax; rare *= 2) {
    for (const [key, times] of counts) if (times <= rare) counts.delete(key);
  }
}
