import type { Deps } from "../../../http/deps";
import { accountOperation } from "../../../http/operation/account-operation";
import { free } from "../../../http/operation/facts";
import { nothing } from "../../../http/operation/input";
import { securityLetter } from "../../../services/mail/templates";
import { actorOf } from "../../../store/control/audit";
import { dropFactor } from "../../../store/control/second-factors";
import { ownerOf } from "../account-owner";
import { Done } from "../schema";

/** The operation for somebody who has lost the phone and the recovery codes. */
export const twoFactorOffRoute = ({ control, mail }: Deps) =>
  accountOperation("POST /admin/accounts/{id}/two-factor/off", {
    access: free("admin", "", { fresh: "always" }),
    doc: {
      id: "turnTwoFactorOff",
      summary: "Turn off the second factor of an account's owner",
      description: "For an owner who has lost phone and recovery codes. The owner is mailed.",
      tag: "Administration",
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: Done },
    handle: ({ caller, params: { id = "" } }) => {
      const owner = ownerOf(control, id);
      control.write(() => {
        if (!dropFactor(control, actorOf(caller), owner.id)) return;
        mail.queue("security", owner.email, (from) => securityLetter(from, "two_factor_off"));
      });
      return { ok: true as const };
    },
  });
