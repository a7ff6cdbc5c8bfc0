import { memberOf } from "../../domain/caller";
import { clearedCookie } from "../../http/auth/session-cookie";
import type { Deps } from "../../http/deps";
import { reply } from "../../http/edge/reply";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import type { LoginFailures } from "../../services/login-failures";
import { note } from "../../store/control/audit";
import { personById } from "../../store/control/people";
import { accountEntry } from "./account-entry";
import { memberGuessing } from "./asker";
import { requirePassword } from "./require-password";
import { AccountDeletion, Done } from "./schema";

/** The operation by which a person deletes their account. */
export const deletionRoute = (deps: Deps, failures: LoginFailures) =>
  accountOperation("DELETE /account", {
    access: free("cookie"),
    doc: {
      id: "deleteAccount",
      summary: "Delete the account",
      description:
        "Its API key, sessions and project tokens stop working immediately, its projects are deleted, and its " +
        "email can be used again. The data is erased 30 days later. The last administrator cannot be deleted.",
      tag: "Account",
      errors: ["INVALID_CREDENTIALS", "FORBIDDEN", "RATE_LIMITED", "UNAVAILABLE"],
    },
    takes: AccountDeletion,
    returns: { 200: Done },
    handle: async ({ caller, input }) => {
      const { accountId, personId, email } = memberOf(caller);
      const hashNow = () => personById(deps.control, personId)?.passwordHash ?? null;
      await requirePassword({ ...deps, failures }, memberGuessing(caller), input.password, hashNow);
      const { control } = deps;
      control.write(() => {
        note(control, accountEntry(caller, "account_deleted", { id: accountId, email }));
        control.deletion.account(accountId, clock.nowMs());
      });
      // The log-in lives on where the person is a member of another account.
      const isElsewhere = personById(control, personId) !== undefined;
      return reply(
        200,
        { ok: true },
        isElsewhere ? {} : { "set-cookie": clearedCookie(deps.config) },
      );
    },
  });
