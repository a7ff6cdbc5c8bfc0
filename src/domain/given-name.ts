import { invalidField } from "./errors";

/**
 * Returns a name that somebody gave to something. Names stand in lists, mails and menus, so that each is one line.
 * Throws MISSING_FIELDS.
 */
export function givenName(name: string): string {
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) {
    throw invalidField("name", '"name" must not have line breaks or other control characters.');
  }
  if (name.isWellFormed()) return name;
  throw invalidField("name", '"name" must be valid Unicode text, without lone surrogates.');
}
