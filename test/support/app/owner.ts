import { accountById } from "../../../src/store/control/accounts";
import type { Control } from "../../../src/store/control/control";
import type { MemberId } from "../../../src/store/control/keys";

/** The owner of an account, as the member who approves an agent. */
export const ownerOf = (control: Control, accountId: string): MemberId => ({
  accountId,
  personId: accountById(control, accountId)?.person.id ?? "",
});
