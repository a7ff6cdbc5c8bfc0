import { memberOf } from "../../domain/caller";
import { freshSignInMs } from "../../domain/limits";
import type { Deps } from "../../http/deps";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import type { LoginFailures } from "../../services/login-failures";
import { personById } from "../../store/control/people";
import { memberGuessing } from "./asker";
import { requirePassword } from "./require-password";
import { Confirmation, Confirmed } from "./schema";

/** The operation by which a person gives the password again, for actions that need a fresh sign-in. */
export const confirmRoute = (deps: Deps, failures: LoginFailures) =>
  accountOperation("POST /auth/confirm", {
    access: free("cookie", "", { role: "viewer" }),
    doc: {
      id: "confirmSignIn",
      summary: "Confirm that it is you",
      description:
        "Gives this browser a fresh sign-in for 15 minutes, as a log-in does. Operations that need one answer " +
        "403 CONFIRM_REQUIRED without it.",
      tag: "Sign-in",
      errors: ["INVALID_CREDENTIALS", "RATE_LIMITED", "UNAVAILABLE"],
    },
    takes: Confirmation,
    returns: { 200: Confirmed },
    handle: async ({ caller, input }) => {
      const { control } = deps;
      const { personId } = memberOf(caller);
      const hashNow = () => personById(control, personId)?.passwordHash ?? null;
      await requirePassword({ ...deps, failures }, memberGuessing(caller), input.password, hashNow);
      const nowMs = clock.nowMs();
      control.write(() => control.credentials.confirmSession(caller.sessionHash ?? "", nowMs));
      return { ok: true, until: new Date(nowMs + freshSignInMs).toISOString() };
    },
  });
