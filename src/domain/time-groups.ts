import { isoDate } from "./event";
import { type BucketUnit, type Days, nextStart, startOf } from "./period";

/** Ways of grouping by when something happened, longest first. */
const unitOf = { month: "month", week: "week", date: "day" } as const satisfies Record<
  string,
  BucketUnit
>;
/** Those that have one value on a date. */
export type DateGroup = keyof typeof unitOf;
export type TimeGroup = DateGroup | "hour";

export const isDateGroup = (name: string): name is DateGroup => Object.hasOwn(unitOf, name);
export const isTimeGroup = (name: string): name is TimeGroup =>
  name === "hour" || isDateGroup(name);

/** Some dates that follow each other and have one value of each group. */
export interface Piece {
  readonly days: Days;
  readonly labels: Readonly<Partial<Record<DateGroup, string>>>;
}

/** The dates in pieces, ascending: each as long as all of the groups allow. Hours are told apart within a date. */
export function piecesOf(days: Days, groups: readonly TimeGroup[]): Piece[] {
  const units = groups.map((group) => (group === "hour" ? "day" : unitOf[group]));
  const dated = groups.filter(isDateGroup);
  const pieces: Piece[] = [];
  for (let day = days.from; day <= days.to; ) {
    const ends = units.map((unit) => nextStart(startOf(day, unit), unit));
    const end = Math.min(...ends, days.to + 1);
    const labels = Object.fromEntries(dated.map((group) => [group, labelOn(day, group)]));
    pieces.push({ days: { ...days, from: day, to: end - 1 }, labels });
    day = end;
  }
  return pieces;
}

/** A date, that of a week's Monday, or `YYYY-MM`. */
function labelOn(day: number, group: DateGroup): string {
  const first = isoDate(startOf(day, unitOf[group]));
  return group === "month" ? first.slice(0, "YYYY-MM".length) : first;
}
