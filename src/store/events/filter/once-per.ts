import { ApiError } from "../../../domain/errors";
import type { OncePer } from "../../../domain/filter-items";
import { keyOfProperty } from "../../../domain/property-field";
import { withSeparators } from "../../../lib/text";
import { Selection } from "../scan/selection";
import type { Segment } from "../segment/segment";
import { noText } from "../segment/texts";
import { valuesPerCheck } from "../sets/budget";
import { TextTable } from "../sets/text-table";
import { widened } from "../sets/widened";
import { cacheName } from "./cache-name";
import type { Context } from "./context";
import type { Predicate } from "./predicate";

/** By segment id: a 1 for each row whose value an earlier event has. Few segments have such rows. */
type Repeats = ReadonlyMap<number, Uint8Array>;

/** Returns the predicate of OncePer. `select` finds the rows for which the other items hold. */
export function oncePerPredicate(context: Context, item: OncePer, select: Predicate): Predicate {
  return (segment) => {
    const repeats = repeatsOf(context, item, segment.projectId, select).get(segment.id);
    if (repeats === undefined) return Selection.all(segment);
    return Selection.ofRows(segment, repeats).not();
  };
}

/** Caches the result for other reads, unless a condition depends on the time of this read or on other events. */
function repeatsOf(context: Context, item: OncePer, project: number, select: Predicate): Repeats {
  return context.ofRead(JSON.stringify(item), () => {
    const segments = context.segmentsWithin(project, item.window);
    const find = () => findRepeats(context, item, segments, select);
    const { fromMs, toMs } = item.window;
    const name = cacheName(item.among);
    if (name === null) return find();
    const inWindow = `repeats of ${item.once_per} from ${fromMs} to ${toMs} among ${name}`;
    return context.cached(inWindow, segments, bytesOf, find);
  });
}

const bytesOf = (repeats: Repeats): number =>
  [...repeats.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);

/** Cost: reads each selected row, and looks up each value once for each segment. */
function findRepeats(
  context: Context,
  item: OncePer,
  segments: readonly Segment[],
  select: Predicate,
): Repeats {
  const { budget } = context;
  const bytesBefore = budget.bytes;
  const column = `property.${keyOfProperty(item.once_per)}`;
  const earliest = new EarliestOfValues(context, segments);
  segments.forEach((segment, index) => {
    context.check();
    earliest.add(select(segment), index, column);
  });
  budget.giveBackTo(bytesBefore);
  return earliest.repeats;
}

/** The earliest event of each value. */
class EarliestOfValues {
  readonly repeats = new Map<number, Uint8Array>();
  private readonly values: TextTable;
  private times = new Float64Array(1_024);
  /** The place of each value's event: the index of its segment, and its row plus 1; 0 for a value without an event. */
  private indexes = new Uint32Array(1_024);
  private placesAfter = new Uint32Array(1_024);

  constructor(
    private readonly context: Context,
    private readonly segments: readonly Segment[],
  ) {
    this.values = new TextTable(context.secret, context.budget);
  }

  add(selection: Selection, index: number, column: string): void {
    const { segment } = selection;
    const codes = selection.isNone ? null : segment.codes(column);
    if (codes === null) return;
    const { rows } = selection;
    const { bytes, starts, kinds } = segment.texts(column);
    const { times, firstTime } = segment;
    /** By code, the number of its value plus 1; 0 for a value that was not looked up. */
    const numbers = new Uint32Array(kinds.length + 1);
    for (let row = 0; row < codes.length; row++) {
      if (row % valuesPerCheck === 0) this.context.check();
      const code = codes[row];
      if (code === 0 || rows[row] === 0 || kinds[code - 1] === noText) continue;
      if (numbers[code] === 0)
        numbers[code] = 1 + this.values.numberOf(bytes, starts[code - 1], starts[code]);
      this.offer(numbers[code] - 1, firstTime + times[row], index, row);
    }
    const { oncePerValuesMax } = this.context.tuning;
    if (this.values.size > oncePerValuesMax) throw tooManyValues(oncePerValuesMax);
  }

  private offer(value: number, timeMs: number, index: number, row: number): void {
    if (value >= this.times.length) this.widen(value);
    const isNew = this.placesAfter[value] === 0;
    if (!isNew && !this.isEarlier(value, timeMs, index, row)) {
      this.markRepeat(index, row);
      return;
    }
    if (!isNew) this.markRepeat(this.indexes[value], this.placesAfter[value] - 1);
    this.times[value] = timeMs;
    this.indexes[value] = index;
    this.placesAfter[value] = row + 1;
  }

  private isEarlier(value: number, timeMs: number, index: number, row: number): boolean {
    if (timeMs !== this.times[value]) return timeMs < this.times[value];
    const other = this.segments[this.indexes[value]];
    return this.segments[index].ticketAt(row) < other.ticketAt(this.placesAfter[value] - 1);
  }

  private markRepeat(index: number, row: number): void {
    const { id, eventCount } = this.segments[index];
    const marks = this.repeats.get(id) ?? this.context.budget.bytesOf(eventCount);
    this.repeats.set(id, marks);
    marks[row] = 1;
  }

  private widen(value: number): void {
    const length = Math.max(value + 1, 2 * this.times.length);
    this.context.budget.take((length - this.times.length) * bytesPerValue);
    this.times = widened(Float64Array, this.times, length);
    this.indexes = widened(Uint32Array, this.indexes, length);
    this.placesAfter = widened(Uint32Array, this.placesAfter, length);
  }
}

const bytesPerValue = Float64Array.BYTES_PER_ELEMENT + 2 * Uint32Array.BYTES_PER_ELEMENT;

const tooManyValues = (valuesMax: number): ApiError =>
  new ApiError(
    "QUERY_FAILED",
    `"once_per" has more than ${withSeparators(valuesMax)} different values in these events. Ask for fewer days, ` +
      "or filter more.",
  );
