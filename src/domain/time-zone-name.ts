import { didYouMean, nearest } from "../lib/nearest";
import { invalidField } from "./errors";

/** The time zone of projects for which nobody has named one. */
export const timeZoneDefault = "UTC";
/** The longest name of a zone has some 30 characters. */
export const timeZoneCharsMax = 64;

/** `Europe/Berlin`, `UTC`, `Etc/GMT+5`; a bare offset such as `+05:30` is no name of a zone. */
const nameForm = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;

/** An IANA name as the tables of this executable spell it. Throws MISSING_FIELDS for one that they do not have. */
export function timeZoneNameOf(text: string, field: string): string {
  const isName = text.length <= timeZoneCharsMax && nameForm.test(text);
  const name = isName ? spelledOf(text) : null;
  if (name !== null) return name;
  const hint = didYouMean(isName ? meantBy(text) : null);
  const message = `"${field}" must be an IANA time zone such as Europe/Berlin or UTC.${hint}`;
  throw invalidField(field, message);
}

/** The zone of a read: the one that it names, else its project's. Absent for UTC. */
export function zoneOfRead(
  asked: string | null | undefined,
  { timezone }: { readonly timezone: string },
): string | undefined {
  const absent = asked === null || asked === undefined;
  const name = absent ? timezone : timeZoneNameOf(asked, "tz");
  return name === timeZoneDefault ? undefined : name;
}

function spelledOf(text: string): string | null {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Finds a zone of a similar name, or one that has the city alone. */
function meantBy(text: string): string | null {
  const names = Intl.supportedValuesOf("timeZone");
  const near = nearest(text, names);
  if (near !== null) return near;
  const cityOf = (name: string): string => name.slice(name.lastIndexOf("/") + 1);
  const city = nearest(cityOf(text), names.map(cityOf));
  return city === null ? null : (names.find((name) => cityOf(name) === city) ?? null);
}
