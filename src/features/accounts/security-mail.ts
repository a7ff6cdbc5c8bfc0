import { type Caller, memberOf } from "../../domain/caller";
import type { Deps } from "../../http/deps";
import { type AccountChange, securityLetter } from "../../services/mail/templates";

/** Makes a change of the caller's log-in and queues the message about it: both in one commit, or neither. */
export const withSecurityMail = <T>(
  { control, mail }: Pick<Deps, "control" | "mail">,
  caller: Caller,
  change: AccountChange,
  make: () => T,
): T =>
  control.write(() => {
    const made = make();
    mail.queue("security", memberOf(caller).email, (sender) => securityLetter(sender, change));
    return made;
  });
