import { type Caller, memberOf } from "../../domain/caller";
import type { Deps } from "../../http/deps";
import { personById } from "../../store/control/people";
import { memberGuessing } from "./asker";
import type { Guards } from "./guards";
import { requirePassword } from "./require-password";

/** Checks the password of a person who is logged in. Throws INVALID_CREDENTIALS, and RATE_LIMITED. */
export const requireOwnPassword = (
  deps: Deps,
  guards: Guards,
  caller: Caller,
  password: string,
): Promise<string> =>
  requirePassword(
    { ...deps, ...guards },
    memberGuessing(caller),
    password,
    () => personById(deps.control, memberOf(caller).personId)?.passwordHash ?? null,
  );
