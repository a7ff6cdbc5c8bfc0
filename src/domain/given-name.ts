import { invalidField } from "./errors";

/**
 * Checks and returns a name that a user gave to an object. A name must be one line, because lists, mails and menus show
 * it.
 * Throws MISSING_FIELDS.
 */
export function givenName(name: string): string {
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) {
    throw invalidField("name", '"name" must not have line breaks or other control characters.');
  }
  if (name.isWellFormed()) return name;
  throw invalidField("name", '"name" must be valid Unicode text, without lone surrogates.');
}
