import { invalidField } from "./errors";

/** Of projects for which nobody has named one. */
export const timeZoneDefault = "UTC";
/** The longest name of a zone has some 30 characters. */
export const timeZoneCharsMax = 64;

/** `Europe/Berlin`, `UTC`, `Etc/GMT+5`; a bare offset such as `+05:30` is no name of a zone. */
const nameForm = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;

/** An IANA name as the tables of this executable spell it. Throws MISSING_FIELDS for one that they do not have. */
export function timeZoneNameOf(text: string, field: string): string {
  const name = text.length <= timeZoneCharsMax && nameForm.test(text) ? spelledOf(text) : null;
  if (name !== null) return name;
  throw invalidField(field, `"${field}" must be an IANA time zone such as Europe/Berlin or UTC.`);
}

function spelledOf(text: string): string | null {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
