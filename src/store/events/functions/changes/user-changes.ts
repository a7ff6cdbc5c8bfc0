import type { ChangeDimension, DimensionCounts } from "../../../../domain/changes/change-counts";
import type { Days } from "../../../../domain/period";
import type { Segment } from "../../segment/segment";
import type { Context } from "../context";
import type { Selected } from "../count-by";
import { DistinctPerGroup } from "../sets/distinct";
import type { RowValues } from "../sets/row-values";
import { EventValues } from "./dimension-values";
import { placesIn } from "./event-changes";
import { arrayOf, dimensionCounts, largestValues, placesOf } from "./largest-values";
import { type NumberedUsers, UserNumbering } from "./numbered-users";
import type { PeriodDates } from "./period-dates";
import { Stretches } from "./stretches";
import { bytesOfBits, UserBits } from "./user-bits";

/** The users of the dates that a question is about. */
export interface CountedUsers {
  readonly current: NumberedUsers;
  readonly previous: NumberedUsers;
  /** Of each date of the reference. */
  readonly byDate: readonly NumberedUsers[];
}

/** Cost: three looks at each visit. */
export function countedUsers(
  context: Context,
  selected: readonly Selected[],
  dates: PeriodDates,
): CountedUsers {
  const { budget } = context;
  const identity = context.identity(selected[0].segment.projectId);
  const all = selected.flatMap(({ segment, rows }) => {
    budget.check();
    if (!dates.touches(segment, "periods") && !dates.touches(segment, "reference")) return [];
    return new Stretches(segment, rows, identity, dates, budget);
  });
  const numbering = new UserNumbering(identity.numberLimit, budget);
  const usersOn = ({ from, to }: Pick<Days, "from" | "to">): NumberedUsers =>
    numbering.number(
      all.flatMap((stretches) => {
        const [first, end] = [stretches.startOf(from), stretches.startOf(to + 1)];
        return first < end ? { stretches, first, end } : [];
      }),
    );
  return {
    current: usersOn(dates.current),
    previous: usersOn(dates.previous),
    byDate: Array.from({ length: dates.referenceDates }, (_, at) => {
      const day = dates.dayOf(at);
      return usersOn({ from: day, to: day });
    }),
  };
}

/**
 * The users of each value of a dimension: in both periods, and of the largest on each date of the reference. Cost: of a
 * dimension of few values one look at each visit, once its rows were looked at; else two passes over the rows.
 */
export function userChanges(
  context: Context,
  users: CountedUsers,
  dates: PeriodDates,
  dimension: ChangeDimension | null,
): DimensionCounts {
  const { budget } = context;
  const values = new EventValues(context, dimension);
  if (dimension === null) return allUsers(users, values);
  const known = new Map<Segment, RowValues>();
  const valuesIn = (segment: Segment): RowValues => {
    const found = known.get(segment) ?? values.in(segment);
    known.set(segment, found);
    return found;
  };
  const periods = [users.current, users.previous];
  // All values of the periods are known before anything is counted by them.
  for (const { ranges } of periods) for (const { stretches } of ranges) valuesIn(stretches.segment);
  const [current, previous] = periods.map((period) => {
    const of = countsIn(context, period, values, valuesIn);
    return arrayOf(values.count, of, budget);
  });
  const counts = { current, previous };
  const kept = largestValues(counts, values, dimension, budget);
  values.close();
  const places = placesOf(kept, values.count, budget);
  const usersMax = users.byDate.reduce((most, { count }) => Math.max(most, count), 0);
  const bits = new UserBits(kept.length, usersMax, budget);
  const byDate = kept.map(() => new Float64Array(dates.referenceDates));
  users.byDate.forEach((ofDate, at) => {
    bits.clear(ofDate.count);
    addTo(bits, context, ofDate, (found) => placesIn(found, places), values.name, valuesIn);
    for (let place = 0; place < kept.length; place++) byDate[place][at] = bits.counts[place];
  });
  return dimensionCounts(counts, values, kept, byDate);
}

/** All are alike: their numbers say how many there are. */
function allUsers({ current, previous, byDate }: CountedUsers, values: EventValues) {
  const counts = {
    current: Float64Array.of(current.count),
    previous: Float64Array.of(previous.count),
  };
  return dimensionCounts(counts, values, [0], [byDate.map(({ count }) => count)]);
}

/** The users of a period by number of a value. */
function countsIn(
  context: Context,
  users: NumberedUsers,
  values: EventValues,
  valuesIn: (segment: Segment) => RowValues,
): (number: number) => number {
  const { budget } = context;
  const size = values.count + 1;
  if (bytesOfBits(size, users.count) <= budget.tuning.userBitsBytesMax) {
    const bits = new UserBits(size, users.count, budget);
    addTo(bits, context, users, ({ numbers }) => Int32Array.from(numbers), values.name, valuesIn);
    return (number) => bits.counts[number];
  }
  const sets = new DistinctPerGroup(budget, users.count + 1);
  users.ranges.forEach(({ stretches: { segment, from, to, rows }, first, end }, index) => {
    context.check();
    const { codes, numbers } = valuesIn(segment);
    for (let at = first; at < end; at++) {
      const user = users.numbers[index][at - first];
      if (user === 0) continue;
      for (let row = from[at]; row < to[at]; row++) {
        if (rows === null || rows[row] === 1)
          sets.add(numbers[codes === null ? 0 : codes[row]], user);
      }
    }
  });
  return (number) => sets.count(number);
}

/** `translated` says what codes stand for. */
function addTo(
  bits: UserBits,
  context: Context,
  { ranges, numbers }: NumberedUsers,
  translated: (values: RowValues) => Int32Array,
  name: string,
  valuesIn: (segment: Segment) => RowValues,
): void {
  ranges.forEach((range, index) => {
    context.check();
    const values = valuesIn(range.stretches.segment);
    const ofUsers = { range, users: numbers[index], valueNumbers: translated(values) };
    const masks = range.stretches.masksOf(values, name);
    if (masks !== null) bits.addMasks(ofUsers, masks);
    else if (values.codes !== null) bits.addRows(ofUsers, values.codes);
  });
}
