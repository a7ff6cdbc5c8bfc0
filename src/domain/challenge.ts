import { equalInConstantTime, sha256Hex } from "../lib/ids";
import { invalidField } from "./errors";

const verifierCharsMin = 43;
const verifierCharsMax = 128;

/** A code challenge in its one form, 64 hexadecimal digits. Throws MISSING_FIELDS. */
export function challengeOf(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  if (/^[\w-]{43}$/.test(text)) return Buffer.from(text, "base64url").toString("hex");
  throw invalidField(
    "code_challenge",
    '"code_challenge" must be the SHA-256 hash of the code verifier: 64 hex or 43 base64url characters.',
  );
}

/** Tells whether the exchange is made by the client that started the sign-in. */
export function answersChallenge(verifier: string | undefined, challenge: string | null): boolean {
  if (challenge === null) return true;
  if (verifier === undefined) return false;
  const { length } = verifier;
  const hasLength = length >= verifierCharsMin && length <= verifierCharsMax;
  return hasLength && equalInConstantTime(sha256Hex(verifier), challenge);
}
