/*
 * Some actions need a fresh sign-in.
 * Decision: an operation says so (`fresh` in its access rule), and its gate refuses a browser whose person gave the
 * password more than 15 minutes ago; an operation that needs it for a part of its requests calls `requireFreshSignIn`
 * itself. API keys and agent sessions confirm nothing.
 * Because: a stolen cookie, or a browser that somebody left open, must not be enough for what cannot be undone; and a
 * program has nobody who could type a password.
 * Cost: a person types the password once more, at most every 15 minutes.
 */

import type { Caller } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { freshSignInMs } from "../../domain/limits";
import { clock } from "../../lib/clock";
import type { AccessRule } from "../operation/facts";

export const needsFreshSignIn = (
  { fresh }: Pick<AccessRule, "fresh">,
  { signIn }: Pick<Caller, "signIn">,
): boolean => fresh === "always" || (fresh === "with_factor" && signIn?.hasFactor === true);

/** Tells whether a browser's person lacks the second factor that the acting account requires. */
export const lacksFactor = ({ account, signIn }: Pick<Caller, "account" | "signIn">): boolean =>
  account.requiresTwoFactor && signIn !== null && !signIn.hasFactor && signIn.via !== "oidc";

export function requireFactor(caller: Caller): void {
  if (!lacksFactor(caller)) return;
  throw new ApiError(
    "TWO_FACTOR_REQUIRED",
    "This account requires a second factor. Turn yours on in the settings, under Security.",
  );
}

/** Tells whether a caller may do what needs a fresh sign-in. */
export function isFresh({ signIn }: Pick<Caller, "signIn">): boolean {
  if (signIn === null) return true;
  const ageMs = clock.nowMs() - signIn.confirmedAtMs;
  // A time ahead of ours was written under another clock, and proves nothing.
  return ageMs >= 0 && ageMs < freshSignInMs;
}

/** Throws CONFIRM_REQUIRED for a browser without a fresh sign-in. */
export function requireFreshSignIn(caller: Pick<Caller, "signIn">): void {
  if (isFresh(caller)) return;
  throw new ApiError(
    "CONFIRM_REQUIRED",
    "Confirm that it is you: send your password to POST /auth/confirm, then send this request again.",
  );
}
