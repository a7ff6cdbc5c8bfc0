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

/** Throws CONFIRM_REQUIRED for a browser without a fresh sign-in. */
export function requireFreshSignIn({ signIn }: Pick<Caller, "signIn">): void {
  if (signIn === null) return;
  const ageMs = clock.nowMs() - signIn.confirmedAtMs;
  // A time ahead of ours was written under another clock, and proves nothing.
  if (ageMs >= 0 && ageMs < freshSignInMs) return;
  throw new ApiError(
    "CONFIRM_REQUIRED",
    "Confirm that it is you: send your password to POST /auth/confirm, then send this request again.",
  );
}
