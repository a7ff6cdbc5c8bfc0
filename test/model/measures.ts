import { clockAt } from "./clocks";
import { fieldOf, type ModelEvent, own } from "./model";
import { distinct, sum } from "./values";

/** The measure of a property's JSON numbers. A percentile is the nearest rank. */
export function ofValues(measure: string, events: readonly ModelEvent[], key: string) {
  if (measure === "distinct")
    return distinct(events.map((event) => fieldOf(event, `properties.${key}`)));
  const numbers = events
    .map((event) => own(event, key))
    .filter((value) => typeof value === "number");
  if (numbers.length === 0) return null;
  const ascending = numbers.toSorted((a, b) => a - b);
  const rank = (percent: number) => ascending[Math.ceil((percent / 100) * numbers.length) - 1];
  switch (measure) {
    case "sum":
      return sumOrNull(numbers);
    case "avg": {
      const total = sumOrNull(numbers);
      return total === null ? null : total / numbers.length;
    }
    case "min":
      return ascending[0];
    case "max":
      return ascending.at(-1) ?? null;
    default:
      return rank(Number(measure.slice(1)));
  }
}

/** A sum that no number can hold is null: groups are also in order of this null. */
function sumOrNull(numbers: readonly number[]): number | null {
  const total = sum(numbers);
  return Number.isFinite(total) ? total : null;
}

/** What an event is grouped by: fields, and numbers that clocks show. */
export function labelOf(event: ModelEvent, group: string, zone?: string): string | number | null {
  const shown = new Date(clockAt(event.timeMs, zone));
  if (group === "weekday") return shown.getUTCDay();
  return group === "hour_of_day" ? shown.getUTCHours() : fieldOf(event, group, zone);
}
