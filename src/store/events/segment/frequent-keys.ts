import { membersOf } from "../../shared/json-text";
import type { Tuning } from "../tuning";
import { ColumnKeys, canNameColumn } from "./column-keys";
import { linesOf, propertiesOfLine } from "./rows";
import type { Segment } from "./segment";

/** The sample is large enough for the frequent keys. A key that it misses costs time, but answers stay exact. */
const sampleEvents = 1_024;
const countedKeysMax = 65_536;

/** An input of a merge: the text of a segment of rows, or a segment of columns. */
export type Input = string | Segment;

/**
 * Returns the most frequent keys of a sample of events, which become columns. A key that occurs once in the sample is
 * included only if it has a column already and the limit allows it: then this segment's columns can stay as they are.
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
  // When there are too many keys, the rarest are dropped. A frequent one soon comes back.
  for (let rare = 1; counts.size > countedKeysMax; rare *= 2) {
    for (const [key, times] of counts) if (times <= rare) counts.delete(key);
  }
}
