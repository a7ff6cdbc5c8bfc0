import type { ChangeDimension, DimensionCounts } from "../../../../domain/changes/change-counts";
import type { Segment } from "../../segment/segment";
import { type Budget, valuesPerCheck } from "../budget";
import type { Context } from "../context";
import type { Selected } from "../count-by";
import type { Identity } from "../identity";
import { DistinctPerGroup } from "../sets/distinct";
import type { RowValues } from "../sets/row-values";
import { EventValues } from "./dimension-values";
import { placesIn } from "./event-changes";
import { arrayOf, dimensionCounts, largestValues, placesOf } from "./largest-values";
import { noPlace, type PeriodDates } from "./period-dates";

/**
 * The users of each value of a dimension: in both periods, and of the largest on each date of the reference. Cost: two
 * passes over the rows, each user being looked at once for each visit and value.
 */
export function userChanges(
  context: Context,
  selected: readonly Selected[],
  dates: PeriodDates,
  dimension: ChangeDimension | null,
): DimensionCounts {
  const { budget } = context;
  const [{ segment: first }] = selected;
  const identity = context.identity(first.projectId);
  const values = new EventValues(context, dimension);
  const bytesBefore = budget.bytes;
  const current = new DistinctPerGroup(budget, identity.numberLimit);
  const previous = new DistinctPerGroup(budget, identity.numberLimit);
  for (const one of selected) {
    if (!dates.touches(one.segment, "periods")) continue;
    const { first } = dates.spanOf(one.segment);
    const { numbers, codes } = values.in(one.segment);
    eachUser(context, one, identity, dates, codes, (user, code, date) => {
      const day = first + date;
      if (dates.isCurrent(day)) current.add(numbers[code], user);
      else if (dates.isPrevious(day)) previous.add(numbers[code], user);
    });
  }
  const countsOf = (users: DistinctPerGroup) =>
    arrayOf(values.count, (number) => users.count(number), budget);
  const counts = { current: countsOf(current), previous: countsOf(previous) };
  budget.giveBackTo(bytesBefore);
  // Unlike the sets of users they are still used.
  budget.take(counts.current.byteLength + counts.previous.byteLength);
  const kept = largestValues(counts, values, dimension, budget);
  values.close();
  const byDate = usersByDate(context, selected, dates, identity, values, kept);
  return dimensionCounts(counts, values, kept, byDate);
}

/** Of the values that are kept, the users on each date of the reference. */
function usersByDate(
  context: Context,
  selected: readonly Selected[],
  dates: PeriodDates,
  identity: Identity,
  values: EventValues,
  kept: readonly number[],
): Float64Array[] {
  const places = placesOf(kept, values.count, context.budget);
  const byDate = kept.map(() => new Float64Array(dates.referenceDates));
  const seen = new SeenUsers(kept.length, identity.numberLimit, context.budget);
  const known = new Map<Segment, InPlaces>();
  for (let at = 0; at < dates.referenceDates; at++) {
    seen.begin();
    for (const one of selected) {
      const { segment } = one;
      const { first, count } = dates.spanOf(segment);
      const date = dates.dayOf(at) - first;
      if (date < 0 || date >= count) continue;
      const found = known.get(segment) ?? inPlaces(values.in(segment), places);
      if (count > 1) known.set(segment, found);
      const { codes, placeOf } = found;
      eachUser(context, one, identity, dates, codes, (user, code, ofRow) => {
        const place = placeOf[code];
        if (ofRow === date && place !== noPlace && seen.isNew(user, place)) byDate[place][at]++;
      });
    }
  }
  return byDate;
}

interface InPlaces {
  readonly codes: RowValues["codes"];
  readonly placeOf: Int32Array;
}
const inPlaces = (values: RowValues, places: Int32Array): InPlaces => ({
  codes: values.codes,
  placeOf: placesIn(values, places),
});

/** The users of a segment, once for each visit, code and date that follow each other. */
function eachUser(
  context: Context,
  { segment, rows }: Selected,
  identity: Identity,
  dates: PeriodDates,
  codes: RowValues["codes"],
  see: (user: number, code: number, date: number) => void,
): void {
  const users = identity.usersOf(segment);
  const dateOf = dates.ofRows(segment);
  const { firstRows } = segment;
  for (let v = 0; v < users.length; v++) {
    if (v % valuesPerCheck === 0) context.check();
    const user = users[v];
    if (user === 0) continue;
    let lastCode = noPlace;
    let lastDate = noPlace;
    for (let row = firstRows[v]; row < firstRows[v + 1]; row++) {
      if (rows !== null && rows[row] === 0) continue;
      const code = codes === null ? 0 : codes[row];
      const date = dateOf === null ? 0 : dateOf[row];
      if (code === lastCode && date === lastDate) continue;
      lastCode = code;
      lastDate = date;
      see(user, code, date);
    }
  }
}

const bitsPerWord = 32;

/**
 * Who was seen with which of a few values on a date. What is known of a user lies together, and is of an older date
 * until the user is seen on this one: so nothing has to be cleared between two dates.
 */
class SeenUsers {
  private words: Uint32Array<ArrayBuffer>;
  private readonly wordsPerUser: number;
  private date = 0;

  /** Users may have higher numbers: in segments not looked at yet, and where others are linked to them. */
  constructor(
    values: number,
    userLimit: number,
    private readonly budget: Budget,
  ) {
    this.wordsPerUser = 1 + Math.ceil(values / bitsPerWord);
    this.words = budget.words(this.wordsPerUser * (userLimit + 1));
  }
  begin(): void {
    this.date++;
  }
  isNew(user: number, value: number): boolean {
    const { wordsPerUser } = this;
    const at = user * wordsPerUser;
    const end = at + wordsPerUser;
    if (end > this.words.length) {
      this.words = this.budget.widerWords(this.words, Math.max(end, 2 * this.words.length));
    }
    const { words } = this;
    if (words[at] !== this.date) {
      words.fill(0, at, end);
      words[at] = this.date;
    }
    const word = at + 1 + (value >>> 5);
    const bit = 1 << (value & (bitsPerWord - 1));
    if ((words[word] & bit) !== 0) return false;
    words[word] |= bit;
    return true;
  }
}
