import { dayMs, hourMs, secondMs } from "../lib/clock";
import { TwoGenerationCache } from "../lib/two-generation-cache";
import { dayOf } from "./event";
import type { TimeWindow } from "./time-window";
import { timeZoneDefault } from "./time-zone-name";

/** An offset by which clocks are ahead of UTC, from a time on until the next one. */
interface Stretch {
  readonly fromMs: number;
  readonly offsetMs: number;
}

/**
 * Changes of a zone's clocks are looked for in steps of two days: since 1970 no two of them were closer than six. Each
 * is then found to the second.
 */
const stepMs = 2 * dayMs;
/** Before it there were no zones: clocks showed the time of the place all year round. */
const firstYear = 1800;
/** The years of a zone that are kept. A window has two ends, and times between them are asked for where events are. */
const yearsKept = 64;
/** No clock is as far from UTC. */
const offsetMsMax = 2 * dayMs;

/**
 * A time zone as arithmetic: the changes of its clocks are asked of the executable's tables once a year of events, and
 * kept; between two of them the time of day is a sum.
 *
 * Where clocks were set back across midnight (Newfoundland until 2010, at 00:01), two dates would take turns. Such a
 * change is taken to happen when the new time comes to that midnight, so that a date is one stretch of time.
 */
export class TimeZone {
  private readonly clockAt: (timeMs: number) => number;
  private readonly years = new TwoGenerationCache<number, readonly Stretch[]>(yearsKept);
  /** The stretch that was asked of last: events come nearly in order. */
  private fromMs = 0;
  private toMs = 0;
  private offsetMs = 0;

  constructor(readonly name: string) {
    this.clockAt = clockOf(name);
  }

  /** Returns how far clocks are ahead of UTC, in ms. */
  offsetAt(timeMs: number): number {
    if (timeMs >= this.fromMs && timeMs < this.toMs) return this.offsetMs;
    const year = yearOf(timeMs);
    const stretches = this.stretchesOf(year);
    let at = stretches.length - 1;
    while (at > 0 && stretches[at].fromMs > timeMs) at--;
    this.fromMs = stretches[at].fromMs;
    this.toMs = stretches[at + 1]?.fromMs ?? startOfYear(year + 1);
    this.offsetMs = stretches[at].offsetMs;
    return this.offsetMs;
  }
  /** Its date, as days since 1970-01-01. */
  dayAt(timeMs: number): number {
    return dayOf(timeMs + this.offsetAt(timeMs));
  }
  /** Returns what clocks show, in hours since 1970-01-01T00:00. */
  hourAt(timeMs: number): number {
    return Math.floor((timeMs + this.offsetAt(timeMs)) / hourMs);
  }
  /** Returns a time until which clocks show that hour; after a change of the clocks they may show it for longer. */
  hourEndAt(timeMs: number): number {
    const offsetMs = this.offsetAt(timeMs);
    const nextMs = (Math.floor((timeMs + offsetMs) / hourMs) + 1) * hourMs - offsetMs;
    return Math.min(nextMs, this.toMs);
  }
  /** When a date begins, mostly when clocks show 00:00. One that was left out begins with the next. */
  startOf(day: number): number {
    const midnight = day * dayMs;
    const around = { fromMs: midnight - offsetMsMax, toMs: midnight + offsetMsMax };
    return this.firstAt(midnight, around);
  }
  /** When clocks of a date show a time of day, in ms since 00:00, for the first time, or are past it. */
  timeOn(day: number, timeOfDayMs: number): number {
    return this.firstAt(day * dayMs + timeOfDayMs, {
      fromMs: this.startOf(day),
      toMs: this.startOf(day + 1),
    });
  }
  /** When clocks show that time within a window or are past it; its end where they never are. */
  private firstAt(shownMs: number, window: TimeWindow): number {
    const found = this.stretchesWithin(window).find(
      ({ toMs, offsetMs }) => toMs + offsetMs > shownMs,
    );
    return found === undefined ? window.toMs : Math.max(found.fromMs, shownMs - found.offsetMs);
  }
  /** The stretches of a window, which they cover: clipped to it, and in order. */
  stretchesWithin({ fromMs, toMs }: TimeWindow): (TimeWindow & { readonly offsetMs: number })[] {
    const found: (TimeWindow & { readonly offsetMs: number })[] = [];
    for (let at = fromMs; at < toMs; ) {
      const offsetMs = this.offsetAt(at);
      const end = Math.min(this.toMs, toMs);
      const last = found.at(-1);
      if (last?.offsetMs === offsetMs) found[found.length - 1] = { ...last, toMs: end };
      else found.push({ fromMs: at, toMs: end, offsetMs });
      at = end;
    }
    return found;
  }

  private stretchesOf(year: number): readonly Stretch[] {
    return this.years.get(year, () => stretchesIn(year, this.clockAt));
  }
}

/** Finds the offsets of a UTC year, from its first ms on. */
function stretchesIn(year: number, clockAt: (timeMs: number) => number): Stretch[] {
  const startMs = startOfYear(year);
  if (year < firstYear) {
    return [{ fromMs: startMs, offsetMs: clockAt(startOfYear(firstYear)) }];
  }
  const endMs = startOfYear(year + 1);
  // A change of the last days of the year before may be taken to happen in this one.
  const found: Stretch[] = [{ fromMs: startMs, offsetMs: clockAt(startMs - stepMs) }];
  for (let at = startMs - stepMs; at < endMs; at += stepMs) {
    const before = clockAt(at);
    const after = clockAt(at + stepMs);
    if (before === after) continue;
    const changeMs = changeBetween(at, at + stepMs, clockAt);
    const fromMs = startOfOneDate(changeMs, before, after);
    if (fromMs >= endMs) break;
    if (fromMs <= startMs) found[0] = { fromMs: startMs, offsetMs: after };
    else found.push({ fromMs, offsetMs: after });
  }
  return found;
}

/** Finds the first second with the later offset. */
function changeBetween(fromMs: number, toMs: number, clockAt: (timeMs: number) => number): number {
  const before = clockAt(fromMs);
  let low = fromMs / secondMs;
  let high = toMs / secondMs;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (clockAt(middle * secondMs) === before) low = middle;
    else high = middle;
  }
  return high * secondMs;
}

/** When a change is taken to happen: where it sets clocks back across midnight, that midnight is waited for. */
function startOfOneDate(changeMs: number, before: number, after: number): number {
  const reached = dayOf(changeMs - 1 + before);
  return reached > dayOf(changeMs + after) ? reached * dayMs - after : changeMs;
}

/** The form of the formatter below: `6/9/2026 AD, 23:05:00`. */
const shownForm = /^(\d+)\/(\d+)\/(\d+) \w+, (\d+):(\d+):(\d+)$/;

/** The offset at a time, which is a whole second, as the tables of the executable have it. */
function clockOf(timeZone: string): (timeMs: number) => number {
  // Most reads are in UTC, and a thread's first read would ask the formatter for each second day of its years.
  if (timeZone === timeZoneDefault) return () => 0;
  const two = "2-digit";
  const format = new Intl.DateTimeFormat("en-US", {
    ...({ timeZone, calendar: "gregory", hourCycle: "h23", era: "short" } as const),
    ...({ year: "numeric", month: two, day: two, hour: two, minute: two, second: two } as const),
  });
  return (timeMs) => {
    const shown = shownForm.exec(format.format(timeMs)) ?? [];
    const [, month, day, year, hour, minute, second] = shown.map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second) - timeMs;
  };
}

const yearOf = (timeMs: number): number => new Date(timeMs).getUTCFullYear();
const startOfYear = (year: number): number => new Date(0).setUTCFullYear(year, 0, 1);

/** Anybody may ask for any of some hundred zones: those of late are kept. */
const zonesKept = 64;
const zones = new TwoGenerationCache<string, TimeZone>(zonesKept);

/** Finds a zone by its name, which must be one that the executable has; without a name it is UTC. */
export const timeZoneOf = (name: string = timeZoneDefault): TimeZone =>
  zones.get(name, () => new TimeZone(name));
