import { parseTimeMs } from "../../domain/period";

/** The forms of ISO 8601 that libraries write: a space before the time or the zone, lower case, a zone such as +01. */
const writtenForm =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(?:(Z)|([+-]\d\d)(?::?(\d\d))?)?)?$/i;

/** Unix ms of an ISO time, NaN where it is none. A time without a zone is UTC: the server's own zone says nothing. */
export function isoTimeMs(text: string): number {
  const [, date, time = "00:00", , hours, minutes = "00"] = writtenForm.exec(text) ?? [];
  if (date === undefined) return Number.NaN;
  const zone = hours === undefined ? "Z" : `${hours}:${minutes}`;
  return parseTimeMs(`${date}T${time}${zone}`) ?? Number.NaN;
}
