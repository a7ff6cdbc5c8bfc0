/*
 * 10,000 ids a person, 1,000 addresses an id.
 * Decision: a lookup follows the nearest 10,000 ids; further addresses of one id are not kept.
 * Because: anyone with the public token can link ever new ids; a read must end.
 * Cost: shared ids such as `guest` are found in part.
 */

import { invalidField } from "./errors";
import { emailCharsMax, passwordCharsMax, passwordCharsMin } from "./limits";

const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?`;
/**
 * The form of an address that a person can have typed: one @, a host name behind it, nothing that needs quoting before
 * it.
 */
const addressForm = new RegExp(
  String.raw`^[^\s\p{C}@"(),:;<>[\\\]]{1,64}@${label}(?:\.${label})*$`,
  "u",
);

/** One address, one text: trimmed and lower-cased. */
export const normalEmail = (text: string): string => text.trim().toLowerCase();

/** The normal form of an address that someone logs in with. Throws MISSING_FIELDS. */
export function emailOf(text: string): string {
  const email = normalEmail(text);
  if ([...email].length <= emailCharsMax && addressForm.test(email)) return email;
  throw invalidField("email", '"email" must be an email address such as you@example.com.');
}

/** A password that may be set. Throws MISSING_FIELDS. */
export function newPasswordOf(text: string, field = "password"): string {
  const { length } = [...text];
  if (length >= passwordCharsMin && length <= passwordCharsMax) return text;
  throw invalidField(
    field,
    `"${field}" must have ${passwordCharsMin} to ${passwordCharsMax} characters.`,
  );
}

/** The senders from which a project takes /identify: everybody with its token, or only those that send no Origin. */
export const identifySenders = ["any", "servers"] as const;
export type IdentifySenders = (typeof identifySenders)[number];
