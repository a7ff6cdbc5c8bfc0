/** What clocks of a time zone show, asked of Intl for each time by itself. Nothing here knows the product's code. */

const shown = new Map<
  string,
  { readonly format: Intl.DateTimeFormat; readonly known: Map<number, number> }
>();

/** The reading of a clock in Unix ms, as if the clock showed UTC. */
export function clockAt(timeMs: number, zone: string | undefined): number {
  if (zone === undefined) return timeMs;
  const of = shown.get(zone) ?? { format: formatOf(zone), known: new Map<number, number>() };
  shown.set(zone, of);
  const known = of.known.get(timeMs);
  if (known !== undefined) return known;
  const parts = new Map(
    of.format.formatToParts(timeMs).map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const second = Date.UTC(
    ...([part("year"), part("month") - 1, part("day")] as const),
    ...([part("hour"), part("minute"), part("second")] as const),
  );
  const reading = second + (((timeMs % 1_000) + 1_000) % 1_000);
  of.known.set(timeMs, reading);
  return reading;
}

const formatOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("sv-SE", {
    ...({ timeZone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" } as const),
    ...({ hour: "numeric", minute: "numeric", second: "numeric" } as const),
  });
