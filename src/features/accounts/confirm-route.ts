import { memberOf } from "../../domain/caller";
import { freshSignInMs } from "../../domain/limits";
import type { Deps } from "../../http/deps";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import { personById } from "../../store/control/people";
import { factorSince } from "../../store/control/second-factors";
import { memberGuessing } from "./asker";
import type { Guards } from "./guards";
import { requirePassword } from "./require-password";
import { Confirmation, Confirmed } from "./schema";
import { requireCode } from "./two-factor/require-code";

/** The operation by which a person gives the password again, for actions that need a fresh sign-in. */
export const confirmRoute = (deps: Deps, guards: Guards) =>
  accountOperation("POST /auth/confirm", {
    access: free("cookie", "", { role: "viewer", isBeforeFactor: true }),
    doc: {
      id: "confirmSignIn",
      summary: "Confirm that it is you",
      description:
        "Gives this browser a fresh sign-in for 15 minutes. Operations that need one answer 403 CONFIRM_REQUIRED " +
        "without it. With a second factor it needs the `code` too.",
      tag: "Sign-in",
      errors: ["INVALID_CREDENTIALS", "INVALID_CODE", "RATE_LIMITED", "UNAVAILABLE"],
    },
    takes: Confirmation,
    returns: { 200: Confirmed },
    handle: async ({ caller, input }) => {
      const { control } = deps;
      const { personId, email } = memberOf(caller);
      const hashNow = () => personById(control, personId)?.passwordHash ?? null;
      const guesser = memberGuessing(caller);
      await requirePassword({ ...deps, ...guards }, guesser, input.password, hashNow);
      if (factorSince(control, personId) !== null) {
        const sender = { id: personId, email, failuresKey: guesser.failuresKey };
        requireCode({ ...deps, ...guards }, sender, { code: input.code });
      }
      const nowMs = clock.nowMs();
      control.write(() => control.credentials.confirmSession(caller.sessionHash ?? "", nowMs));
      return { ok: true, until: new Date(nowMs + freshSignInMs).toISOString() };
    },
  });
