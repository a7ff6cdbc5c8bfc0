import { randomBytes } from "node:crypto";
import { equalInConstantTime } from "../lib/ids";
import { totpCode, totpStepAt } from "../lib/totp";
import { recoveryCodesMax } from "./limits";

/** Codes that a person types beside the password: those of an authenticator app, and ten that stand in for it. */

/** A clock of a phone may be this many steps away from ours. */
const stepsOff = 1;

/** The step of which a code is; null for a wrong one, and for one of a step that was used or went by since. */
export function stepOfCode(
  secret: Uint8Array,
  code: string,
  { nowMs, lastStep }: { readonly nowMs: number; readonly lastStep: number },
): number | null {
  const now = totpStepAt(nowMs);
  for (let step = now - stepsOff; step <= now + stepsOff; step++) {
    if (step > lastStep && equalInConstantTime(totpCode(secret, step), code)) return step;
  }
  return null;
}

/** Letters and digits that nobody confuses when copying from paper. There are 32, so that every byte is fair. */
const recoveryAlphabet = "abcdefghijkmnpqrstuvwxyz23456789";
const recoveryChars = 10;

/** Makes codes of 50 random bits, written `xxxxx-xxxxx`. */
export const newRecoveryCodes = (): readonly string[] =>
  Array.from({ length: recoveryCodesMax }, () => {
    const letters = [...randomBytes(recoveryChars)].map((byte) => recoveryAlphabet[byte & 31]);
    return letters.join("").replace(/^.{5}/, "$&-");
  });

/** Returns a recovery code as it was made, however a person has typed it. */
export const normalRecoveryCode = (typed: string): string =>
  typed
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")
    .replace(/^.{5}/, "$&-");
