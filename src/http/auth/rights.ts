/*
 * One place judges the rights of members.
 * Decision: an operation says the least role that it needs, whether it shows single visitors, and whether it concerns
 * the account as a whole; `requireRights` compares that with the member's standing, which is read with each request.
 * Where nothing is said, what a scope lets agents write needs an editor, what agents cannot do an administrator, and
 * what only a browser can do the owner. `isReadable` (domain/caller.ts) judges the reach.
 * Because: a new operation is closed to members until somebody has thought of them, and no handler has to.
 * Cost: an operation that gives a part of its answer, such as GET /live, asks `showsPeople` itself.
 */

import type { Caller } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { isAtLeast, type Role, seesPeople } from "../../domain/role";
import type { AccessRule } from "../operation/facts";

type Needed = Pick<AccessRule, "role" | "people" | "isWhole">;

/** Returns the refusal of a member whose rights are not enough, or null. Nobody stands behind the demo and shares. */
function refusalOf({ role, people, isWhole }: Needed, { standing }: Caller): ApiError | null {
  if (standing === null) return null;
  if (!isAtLeast(standing.role, role)) return withoutRole(role, standing.role);
  if (people && !seesPeople(standing)) return withoutPeople();
  if (!isWhole || standing.projects === null) return null;
  return new ApiError(
    "FORBIDDEN",
    "This concerns all projects, and you may see some of them. Ask an administrator of this account to do it.",
  );
}

export function requireRights(needed: Needed, caller: Caller): void {
  const refusal = refusalOf(needed, caller);
  if (refusal !== null) throw refusal;
}

/** Tells whether a member's rights are enough for an operation. */
export const hasRights = (needed: Needed, caller: Caller): boolean =>
  refusalOf(needed, caller) === null;

/** Tells whether a caller sees single visitors, for an answer of which they are a part. */
export const showsPeople = ({ standing }: Caller): boolean =>
  standing === null || seesPeople(standing);

/** Throws FORBIDDEN for a member who may not see single visitors. */
export function requirePeople(caller: Caller): void {
  if (!showsPeople(caller)) throw withoutPeople();
}

/** Throws FORBIDDEN for a member of a lesser role, where the role depends on what a request names. */
export function requireRole(role: Role, { standing }: Caller): void {
  if (standing !== null && !isAtLeast(standing.role, role)) throw withoutRole(role, standing.role);
}

const withoutRole = (needed: Role, role: Role): ApiError =>
  new ApiError(
    "FORBIDDEN",
    `This needs the role ${needed}, and you are ${role} of this account. Ask its administrator for it.`,
    { required: needed },
  );

const withoutPeople = (): ApiError =>
  new ApiError(
    "FORBIDDEN",
    "This shows single visitors, which you may not see in this account. Ask its administrator for it.",
    { required: "people" },
  );
