import type { AuditAction } from "../../domain/audit";
import type { Caller } from "../../domain/caller";
import { type AuditEntry, entryOf } from "../../store/control/audit";

/** An entry of the server about an account, under its owner's address. */
export const accountEntry = (
  caller: Caller,
  action: AuditAction,
  { id, email }: { readonly id: string; readonly email: string },
  details: NonNullable<AuditEntry["details"]> = {},
): AuditEntry => ({
  ...entryOf(caller, action, { type: "account", id, name: email }, { details }),
  accountId: null,
});
