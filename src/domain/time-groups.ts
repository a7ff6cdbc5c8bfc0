import { dayMs } from "../lib/clock";
import { isoDate } from "./event";
import { type BucketUnit, type Days, nextStart, startOf } from "./period";

const daysOfWeek = 7;

/** Ways of grouping by when something happened, longest first. */
const unitOf = { month: "month", week: "week", date: "day" } as const satisfies Record<
  string,
  BucketUnit
>;
/** The groups that have one value on a date. */
export type DateGroup = keyof typeof unitOf;
export type TimeGroup = DateGroup | "hour";

/** Groups by what clocks show, whatever the date: numbers, and the same on all dates. */
export const clockGroups = ["weekday", "hour_of_day"] as const;
export type ClockGroup = (typeof clockGroups)[number];
export const isClockGroup = (name: string): name is ClockGroup =>
  clockGroups.some((group) => group === name);

const hoursOfDay = 24;
/** 1 January 1970 was a Thursday, and a week begins with Sunday here, which is 0. */
const firstWeekday = 4;
/** Returns the value of an hour, as clocks count them since 1970. */
export const clockValue: Readonly<Record<ClockGroup, (hour: number) => number>> = {
  weekday: (hour) => (Math.floor(hour / hoursOfDay) + firstWeekday) % daysOfWeek,
  hour_of_day: (hour) => hour % hoursOfDay,
};

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

/** A piece of two periods that are compared: the same place in both of them. */
export interface PairedPiece {
  /** The labels in the dates of the first period, which is continued where only the other one has a date. */
  readonly labels: Piece["labels"];
  /** The date of its hours, likewise. */
  readonly day: number;
  readonly current: Days | null;
  readonly previous: Days | null;
}
/** The dates that a period has something stored of, and the first of all its dates. */
export interface PeriodPieces {
  readonly firstDay: number;
  readonly stored: Days | null;
}

/**
 * The pieces of two periods, paired by their place: by how many dates they come after the first, or, where rows are
 * told apart by weeks and months alone, by how many of these.
 */
export function pairedPieces(
  current: PeriodPieces,
  previous: PeriodPieces,
  groups: readonly TimeGroup[],
): PairedPiece[] {
  const dated = groups.filter(isDateGroup);
  const isDaily = groups.includes("hour") || groups.includes("date");
  const units: readonly BucketUnit[] = isDaily ? ["day"] : dated.map((group) => unitOf[group]);
  const pairs = new Map<string, PairedPiece>();
  for (const side of ["current", "previous"] as const) {
    const { firstDay, stored } = side === "current" ? current : previous;
    for (const { days } of stored === null ? [] : piecesOf(stored, groups)) {
      const places = units.map((unit) => indexOf(days.from, unit) - indexOf(firstDay, unit));
      const dayOf = (unit: BucketUnit): number =>
        dayAt(indexOf(current.firstDay, unit) + places[Math.max(0, units.indexOf(unit))], unit);
      const labels = Object.fromEntries(
        dated.map((group) => [group, labelOn(dayOf(isDaily ? "day" : unitOf[group]), group)]),
      );
      const none = { labels, day: dayOf(units[0]), current: null, previous: null };
      pairs.set(places.join(), { ...none, ...pairs.get(places.join()), [side]: days });
    }
  }
  return [...pairs.values()];
}

const monthsOfYear = 12;

/** Days, weeks or months are counted from some beginning. */
function indexOf(day: number, unit: BucketUnit): number {
  if (unit === "day") return day;
  if (unit === "week") return Math.floor((startOf(day, unit) - firstMonday) / daysOfWeek);
  const date = new Date(day * dayMs);
  return date.getUTCFullYear() * monthsOfYear + date.getUTCMonth();
}
/** Returns the first day of a bucket. */
function dayAt(index: number, unit: BucketUnit): number {
  if (unit === "day") return index;
  if (unit === "week") return firstMonday + index * daysOfWeek;
  return new Date(0).setUTCFullYear(0, index, 1) / dayMs;
}
const firstMonday = startOf(0, "week");

/** Returns the label of a date: the date itself, that of a week's Monday, or `YYYY-MM`. */
function labelOn(day: number, group: DateGroup): string {
  const first = isoDate(startOf(day, unitOf[group]));
  return group === "month" ? first.slice(0, "YYYY-MM".length) : first;
}
