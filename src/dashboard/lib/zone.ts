import { signal } from "@preact/signals";
import { locale } from "./locale";

/** The time zone of the project that is looked at: its dates and hours are those of its numbers. */
export const zone = signal("UTC");

const formats = new Map<string, Intl.DateTimeFormat>();

/** The formatter of one kind of text in the zone. It is kept, because making one costs more than using it. */
export function inZone(
  options: Intl.DateTimeFormatOptions,
  language = locale,
): Intl.DateTimeFormat {
  const key = `${zone.value} ${language} ${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(language, { timeZone: zone.value, ...options });
  formats.set(key, made);
  return made;
}

const wallClock: Intl.DateTimeFormatOptions = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
};

/** Returns what clocks show there, as if that were UTC. */
export function wallMs(ms: number): number {
  const parts = new Map(
    inZone(wallClock, "en")
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const [month, day] = [part("month") - 1, part("day")];
  return Date.UTC(part("year"), month, day, part("hour"), part("minute"), part("second"));
}
