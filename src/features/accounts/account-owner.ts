import { ApiError } from "../../domain/errors";
import { accountById } from "../../store/control/accounts";
import type { Control } from "../../store/control/control";

/** The person who owns an account that an administrator names. Throws NOT_FOUND. */
export function ownerOf(control: Control, accountId: string) {
  const owner = accountById(control, accountId)?.person;
  if (owner === undefined) throw noSuchAccount();
  return owner;
}

export const noSuchAccount = (): ApiError =>
  new ApiError("NOT_FOUND", "This account does not exist. GET /admin/accounts lists all accounts.");
