import type { Caller } from "../../../domain/caller";
import { ApiError, invalidField } from "../../../domain/errors";
import type { GrantedRole } from "../../../domain/role";
import type { Deps } from "../../../http/deps";
import { findProject } from "../../../store/control/project-selector";

/** Finds the ids of the projects that a member is to see. Nobody gives more than they see. Throws NOT_FOUND. */
export function reachOf(
  deps: Deps,
  caller: Caller,
  named: readonly string[] | null,
): readonly string[] | null {
  if (named !== null) {
    return [...new Set(named.map((selector) => findProject(deps, caller, selector).id))];
  }
  if (caller.standing?.projects == null) return null;
  throw invalidField("projects", '"projects" must list projects that you see yourself.');
}

/** Viewers see no single visitors, and editors do, unless the request says otherwise. */
export const peopleOf = (role: GrantedRole, people: boolean | undefined): boolean =>
  people ?? role !== "viewer";

export const notYourself = (): ApiError =>
  new ApiError("FORBIDDEN", "You cannot change your own rights. Ask another administrator.");
