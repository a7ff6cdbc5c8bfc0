import type { CountGroup } from "../../../../domain/counting";
import type { FilteredWindow } from "../../../../domain/filter-items";
import type { SessionField } from "../../../../domain/session-field";
import { type ClockGroup, clockGroupSize, clockValue } from "../../../../domain/time-groups";
import { type TimeZone, timeZoneOf } from "../../../../domain/time-zone";
import type { UserField } from "../../../../domain/visitor-field";
import { hourMs } from "../../../../lib/clock";
import { bytesOfArray, type Segment } from "../../segment/segment";
import { noText } from "../../segment/texts";
import { type Budget, valuesPerCheck } from "../budget";
import type { Context } from "../context";
import type { Identity } from "../identity";
import { numbersIn, type SessionNumbers } from "../sessions/session-numbers";
import { firstInOrder } from "../sets/selection";
import { TextTable } from "../sets/text-table";
import { firstSessions, firstUsers, type SessionIds } from "./first-labels";
import type { Dimension, Label, Labels } from "./label";

/** Dates have none: they are told apart by windows. Nor have epoch hours: they are counted alone (time-counting.ts). */
export function labelsOf(
  name: Exclude<CountGroup, SessionField | UserField>,
  context: Context,
  identity: Identity,
  sessions: SessionNumbers | null,
  window: FilteredWindow,
): Labels {
  switch (name) {
    case "hour":
      return new HourLabels(window);
    case "weekday":
    case "hour_of_day":
      return new ClockLabels(name, window.zone);
    case "event":
      return new TextLabels("event.name", context);
    case "country":
      return new TextLabels("event.country", context);
    case "user_id":
      return new UserLabels(identity, context);
    case "session_id":
      return new SessionLabels(context, sessions);
    default:
      return new TextLabels(`property.${name.slice("properties.".length)}`, context);
  }
}

const hoursOfDay = 24;

/** The hours that clocks show on a date or a few. */
class HourLabels implements Labels {
  private readonly zone: TimeZone;
  private readonly firstHour: number;
  private readonly count: number;

  constructor({ fromMs, toMs, zone }: FilteredWindow) {
    this.zone = timeZoneOf(zone);
    const firstDay = this.zone.dayAt(fromMs);
    this.firstHour = firstDay * hoursOfDay;
    this.count = (this.zone.dayAt(toMs - 1) - firstDay + 1) * hoursOfDay;
  }

  /** Rows outside of the window have any code: they are not counted. */
  dimension({ times, firstTime }: Segment): Dimension {
    const { zone, firstHour, count } = this;
    const codes = new Uint32Array(times.length);
    for (let i = 0; i < times.length; i++) {
      const hour = zone.hourAt(firstTime + times[i]) - firstHour;
      codes[i] = hour >= 0 && hour < count ? hour : 0;
    }
    return { codes, size: count, numberOf: (code) => code + 1 };
  }
  label(number: number): Label {
    const startMs = (this.firstHour + number - 1) * hourMs;
    return `${new Date(startMs).toISOString().slice(0, "YYYY-MM-DDTHH".length)}:00`;
  }
  first(numbers: Uint32Array, count: number): ReadonlySet<number> {
    return new Set(numbers.toSorted().slice(0, count));
  }
}

/** The weekdays, or the hours of a day, that clocks of a zone show. */
class ClockLabels implements Labels {
  private readonly zone: TimeZone;

  constructor(
    private readonly group: ClockGroup,
    zoneName: string | undefined,
  ) {
    this.zone = timeZoneOf(zoneName);
  }

  dimension(segment: Segment): Dimension {
    const { group, zone } = this;
    const codes = segment.derive(`${group} in ${zone.name}`, bytesOfArray, () => {
      const { times, firstTime } = segment;
      const valueIn = clockValue[group];
      const values = new Uint8Array(times.length);
      for (let i = 0; i < times.length; i++) values[i] = valueIn(zone.hourAt(firstTime + times[i]));
      return values;
    });
    return { codes, size: clockGroupSize[group], numberOf: (code) => code + 1 };
  }
  label(number: number): Label {
    return number - 1;
  }
  first(numbers: Uint32Array, count: number): ReadonlySet<number> {
    return new Set(numbers.toSorted().slice(0, count));
  }
}

/** A dictionary column. Values that compare as the same text are one label. */
class TextLabels implements Labels {
  private readonly table: TextTable;

  constructor(
    private readonly column: string,
    private readonly context: Context,
  ) {
    this.table = new TextTable(context.secret, context.budget);
  }

  dimension(segment: Segment): Dimension {
    const { column, context } = this;
    const { budget } = context;
    const { bytes, starts, kinds, length } = segment.texts(column);
    return {
      // Where values are stored counted, codes are decoded for whoever looks at rows alone.
      get codes() {
        return segment.codes(column);
      },
      size: length + 1,
      column,
      numberOf: (code) => {
        if (code === 0 || kinds[code - 1] === noText) return 0;
        return this.table.numberOf(bytes, starts[code - 1], starts[code]) + 1;
      },
      eachNumber: (counts, see) => {
        const isNull = (code: number): boolean => code === 0 || kinds[code - 1] === noText;
        const places = budget.words(length);
        let count = 0;
        for (let code = 0; code <= length; code++) {
          if (code % valuesPerCheck === 0) budget.check();
          if (counts[code] === 0) continue;
          if (isNull(code)) see(code, 0);
          else places[count++] = code - 1;
        }
        this.table.numberEach({ bytes, starts }, places.subarray(0, count), (place, number) =>
          see(place + 1, number + 1),
        );
        budget.giveBack(places.byteLength);
      },
    };
  }
  label(number: number): Label {
    return number === 0 ? null : this.table.text(number - 1);
  }
  first(numbers: Uint32Array, count: number): ReadonlySet<number> {
    const nullAt = numbers.indexOf(0);
    const isNullFirst = nullAt >= 0;
    const texts = isNullFirst ? without(nullAt, numbers, this.context.budget) : numbers;
    const byteAt = (number: number, place: number): number => this.table.byteAt(number - 1, place);
    const left = isNullFirst ? count - 1 : count;
    const { first } = firstInOrder(texts, left, byteAt, this.context.budget);
    return new Set(isNullFirst ? [0, ...first] : first);
  }
}

/** Users have numbers already; their names are looked up only where they matter. */
class UserLabels implements Labels {
  constructor(
    private readonly identity: Identity,
    private readonly context: Context,
  ) {}

  dimension(segment: Segment): Dimension {
    const users = this.identity.usersOf(segment);
    const codeOf = new Map<number, number>();
    const distinct: number[] = [];
    const codes = perVisit(segment, (visit) => {
      let code = codeOf.get(users[visit]);
      if (code === undefined) {
        code = distinct.push(users[visit]) - 1;
        codeOf.set(users[visit], code);
      }
      return code;
    });
    return { codes, size: distinct.length, numberOf: (code) => distinct[code] };
  }
  label(number: number): Label {
    return this.identity.nameOf(number);
  }
  first(numbers: Uint32Array, count: number): ReadonlySet<number> {
    return new Set(firstUsers(this.identity, numbers, count, this.context.budget));
  }
}

/** The labels of sessions, whose ids are looked up where one of their visits is. */
class SessionLabels implements Labels {
  /** The ids of the sessions that may be shown. They are in any segments, whose ids would have to be read for each. */
  private ids: SessionIds = new Map();
  private readonly homeSegment: Uint32Array;
  private readonly homeVisit: Uint32Array;

  constructor(
    private readonly context: Context,
    private readonly sessions: SessionNumbers | null,
  ) {
    const size = (sessions?.count ?? 0) + 1;
    this.homeSegment = context.budget.words(size);
    this.homeVisit = context.budget.words(size);
  }

  /** Visits are sorted by session, so those of one session follow each other. */
  dimension(segment: Segment): Dimension {
    const numbers = numbersIn(this.sessions, segment) ?? new Uint32Array(segment.visitCount);
    const wholeVisitOf = segment.wholeVisits();
    const distinct: number[] = [];
    const codes = perVisit(segment, (visit) => {
      if (visit === 0 || numbers[visit] !== numbers[visit - 1]) {
        this.homeSegment[numbers[visit]] = segment.id;
        this.homeVisit[numbers[visit]] = wholeVisitOf(visit);
        distinct.push(numbers[visit]);
      }
      return distinct.length - 1;
    });
    return { codes, size: distinct.length, numberOf: (code) => distinct[code] };
  }
  label(number: number): Label {
    if (number === 0) return null;
    const known = this.ids.get(number);
    if (known !== undefined) return known;
    return this.context.open(this.homeSegment[number]).sessionIdAt(this.homeVisit[number]);
  }
  first(numbers: Uint32Array, count: number): ReadonlySet<number> {
    this.ids = firstSessions(this.context, this.sessions, numbers, count);
    return new Set(this.ids.keys());
  }
}

function without(place: number, numbers: Uint32Array, budget: Budget): Uint32Array {
  const others = budget.words(numbers.length - 1);
  others.set(numbers.subarray(0, place));
  others.set(numbers.subarray(place + 1), place);
  return others;
}

export function perVisit(segment: Segment, codeOf: (visit: number) => number): Uint32Array {
  const codes = new Uint32Array(segment.eventCount);
  const { firstRows } = segment;
  for (let v = 0; v + 1 < firstRows.length; v++) {
    codes.fill(codeOf(v), firstRows[v], firstRows[v + 1]);
  }
  return codes;
}
