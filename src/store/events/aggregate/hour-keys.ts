import type { FilteredWindow } from "../../../domain/filter-items";
import { type ClockGroup, clockValue } from "../../../domain/time-groups";
import { type TimeZone, timeZoneOf } from "../../../domain/time-zone";
import { hourMs } from "../../../lib/clock";
import { kernel } from "../scan/kernel";
import { Selection } from "../scan/selection";
import { constant, type Key, type Label, ofAll, type Piece, type Vector } from "../scan/vector";
import type { Integers } from "../segment/codec";
import { bytesOfArray, type Segment } from "../segment/segment";

const hoursOfDay = 24;
/** The number of the hour in which 1970 began: hours before it have numbers too. */
const firstNumber = 1 << 24;

/** A grouping of hours. An hour is the number of hours since 1970 that the clocks of the zone show. */
interface HourGrouping {
  numberOf(hour: number): number;
  labelOf(number: number): Label;
}
const byNumber = (numberOf: (hour: number) => number): HourGrouping => ({
  numberOf,
  labelOf: (number) => number,
});
const epochHours: HourGrouping = {
  numberOf: (hour) => hour + firstNumber,
  labelOf: (number) => number - firstNumber,
};
const hoursOfWeek = byNumber(
  (hour) => clockValue.weekday(hour) * hoursOfDay + clockValue.hour_of_day(hour),
);
/** Groups the hours of a window by their distance from its first midnight, with the labels of `labelWindow`. */
function hoursOf(window: FilteredWindow, labelWindow: FilteredWindow): HourGrouping {
  const firstOf = ({ fromMs, zone }: FilteredWindow): number =>
    timeZoneOf(zone).dayAt(fromMs) * hoursOfDay;
  const [first, firstNamed] = [firstOf(window), firstOf(labelWindow)];
  return {
    numberOf: (hour) => hour - first + firstNumber,
    labelOf: (number) => {
      const startMs = (firstNamed + number - firstNumber) * hourMs;
      return `${new Date(startMs).toISOString().slice(0, "YYYY-MM-DDTHH".length)}:00`;
    },
  };
}

export type HourGroup = ClockGroup | "hour" | "epoch_hour" | "weekday_hour";
export const isHourGroup = (name: string): name is HourGroup =>
  ["hour", "epoch_hour", "weekday_hour", "weekday", "hour_of_day"].includes(name);

/** `labelWindow`: the window whose hours label the groups, for a period that is compared with it. */
export function hourKey(group: HourGroup, window: FilteredWindow, labelWindow = window): Key {
  const zone = timeZoneOf(window.zone);
  switch (group) {
    case "hour":
      return new HourKey(hoursOf(window, labelWindow), zone);
    case "epoch_hour":
      return new HourKey(epochHours, zone);
    case "weekday_hour":
      return new HourKey(hoursOfWeek, zone);
    default:
      return new HourKey(byNumber(clockValue[group]), zone);
  }
}

/**
 * Hours, or groups of them such as weekdays. Nearly every visit lies within one hour and has one code; each row of the
 * few other visits has its own. Codes are hours since the beginning of the segment.
 */
class HourKey implements Key {
  constructor(
    private readonly hours: HourGrouping,
    private readonly zone: TimeZone,
  ) {}

  pieces(segment: Segment): readonly Piece[] {
    const placing = placingIn(segment, this.zone);
    return placing === null ? [this.piecesOfRows(segment)] : this.piecesOfHours(segment, placing);
  }
  private piecesOfHours(segment: Segment, placing: Placing): readonly Piece[] {
    const { zone, hours } = this;
    const size = Math.floor((segment.lastTime - placing.fromMs) / hourMs) + 1;
    const numbers = Uint32Array.from({ length: size }, (_, hour) =>
      hours.numberOf(zone.hourAt(Math.max(segment.firstTime, placing.fromMs + hour * hourMs))),
    );
    if (size === 1) return ofAll(segment, constant(numbers[0]));
    const name = `hours, ${placing.phaseMs}`;
    const rest = { size, numbers: () => [numbers], column: null, name };
    const { codes, ofOne, others } = hoursOfVisits(segment, placing);
    const byVisit: Vector = { grain: "visit", codes, ...rest };
    if (others === null) return [{ selection: ofOne, vector: byVisit }];
    const byRow: Vector = {
      ...rest,
      grain: "row",
      get codes() {
        return hoursOfRows(segment, placing, others);
      },
    };
    return [
      { selection: ofOne, vector: byVisit },
      { selection: others, vector: byRow },
    ];
  }
  /** In a segment in which clocks change within an hour, each event has its own code. */
  private piecesOfRows(segment: Segment): Piece {
    const { zone, hours } = this;
    const { times, firstTime } = segment;
    const shown = Float64Array.from(times, (time) => zone.hourAt(firstTime + time));
    const least = shown.reduce((one, other) => Math.min(one, other));
    const codes = Uint32Array.from(shown, (hour) => hour - least);
    const size = codes.reduce((one, other) => Math.max(one, other)) + 1;
    const numbers = Uint32Array.from({ length: size }, (_, code) => hours.numberOf(least + code));
    return {
      selection: Selection.all(segment),
      vector: { grain: "row", codes, size, numbers: () => [numbers], column: null, name: null },
    };
  }
  label(number: number): Label {
    return this.hours.labelOf(number);
  }
  first(numbers: Uint32Array, count: number): ReadonlySet<number> {
    return new Set(numbers.toSorted().slice(0, count));
  }
}

/** The times of a segment's hours, if clocks change within none of them. */
interface Placing {
  /** When the hour of its first event begins. */
  readonly fromMs: number;
  /** The time from the beginning of an hour of UTC back to that of a local hour, which half-hour zones have. */
  readonly phaseMs: number;
}

/** Returns the times of the hours; null if clocks change by part of an hour or within one. */
function placingIn({ firstTime, lastTime }: Segment, zone: TimeZone): Placing | null {
  const [first, ...later] = zone.stretchesWithin({ fromMs: firstTime, toMs: lastTime + 1 });
  const phaseMs = partOfHour(first.offsetMs);
  const isEven = later.every(
    ({ fromMs, offsetMs }) =>
      partOfHour(offsetMs) === phaseMs && partOfHour(fromMs + phaseMs) === 0,
  );
  return isEven ? { fromMs: firstTime - partOfHour(firstTime + phaseMs), phaseMs } : null;
}

const partOfHour = (ms: number): number => ((ms % hourMs) + hourMs) % hourMs;

interface HoursOfVisits {
  readonly codes: Uint16Array;
  /** The visits of one hour, and the others; null where there are none. */
  readonly ofOne: Selection;
  readonly others: Selection | null;
}
function hoursOfVisits(segment: Segment, placing: Placing): HoursOfVisits {
  const { codes, isOfOne } = segment.derive(
    `hours of visits, ${placing.phaseMs}`,
    (of) => bytesOfArray(of.codes) + bytesOfArray(of.isOfOne),
    () => {
      const starts = segment.integers("visit.start");
      const made = {
        codes: new Uint16Array(starts.length),
        isOfOne: new Uint8Array(starts.length),
      };
      const offset = segment.firstTime - placing.fromMs;
      const durations = segment.integers("visit.duration");
      unitsOfVisits(starts, durations, offset, made.codes, made.isOfOne);
      return made;
    },
  );
  const name = `visits of one hour, ${placing.phaseMs}`;
  const ofOne = Selection.cached(segment, name, () => Selection.ofVisits(segment, isOfOne));
  const others = Selection.cached(segment, `not ${name}`, () => ofOne.not());
  return { codes, ofOne, others: others.isNone ? null : others };
}
const hoursOfRows = (segment: Segment, placing: Placing, others: Selection): Uint16Array =>
  segment.derive(`hours of rows, ${placing.phaseMs}`, bytesOfArray, () => {
    const { times, firstRows, firstTime } = segment;
    const codes = new Uint16Array(segment.eventCount);
    const offset = firstTime - placing.fromMs;
    unitsOfRows(times, others.visits, firstRows, offset, codes);
    return codes;
  });

const unitsOfVisits = kernel(
  (
    starts: Integers,
    durations: Integers,
    offset: number,
    codes: Uint16Array,
    isOfOne: Uint8Array,
  ): void => {
    for (let v = 0; v < starts.length; v++) {
      const unit = Math.floor((offset + starts[v]) / 3_600_000);
      codes[v] = unit;
      isOfOne[v] = Math.floor((offset + starts[v] + durations[v]) / 3_600_000) === unit ? 1 : 0;
    }
  },
);
const unitsOfRows = kernel(
  (
    times: Uint32Array,
    visits: Uint8Array,
    firstRows: Uint32Array,
    offset: number,
    codes: Uint16Array,
  ): void => {
    for (let v = 0; v < visits.length; v++) {
      if (visits[v] === 0) continue;
      const end = firstRows[v + 1];
      for (let i = firstRows[v]; i < end; i++)
        codes[i] = Math.floor((offset + times[i]) / 3_600_000);
    }
  },
);
