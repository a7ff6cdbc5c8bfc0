/** A date, or date and time as ISO 8601 writes them; some libraries put a space between the two. */
const isoForm =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(?:(Z)|([+-]\d\d)(?::?(\d\d))?)?)?$/i;

/** Unix ms of an ISO time, NaN where it is none. A time without a zone is UTC: the server's own zone says nothing. */
export function isoTimeMs(text: string): number {
  const [, date, time = "00:00", , hours, minutes = "00"] = isoForm.exec(text) ?? [];
  if (date === undefined) return Number.NaN;
  const zone = hours === undefined ? "Z" : `${hours}:${minutes}`;
  return Date.parse(`${date}T${time}${zone}`);
}
