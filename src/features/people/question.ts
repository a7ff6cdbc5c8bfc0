import type { Caller } from "../../domain/caller";
import { ApiError, invalidField } from "../../domain/errors";
import type { Deps } from "../../http/deps";
import { personAsked } from "../../http/operation/person";
import type { PersonQuestion } from "../../reads/person-data";
import type { Project } from "../../store/control/project-selector";
import type { PersonExportRequest } from "./schema";

/** The question that a request asks about a person. Throws MISSING_FIELDS unless it names one. */
export function questionOf(
  deps: Pick<Deps, "control">,
  caller: Caller,
  project: Project,
  asked: PersonExportRequest,
): PersonQuestion {
  // An id and an address may be of two people, and both would be erased.
  if (asked.user_id !== undefined && asked.email !== undefined) {
    throw invalidField("email", 'Send either "user_id" or "email", not both.');
  }
  const person = personAsked(deps, caller, project, asked);
  if (person === null) throw invalidField("user_id", 'Send "user_id" or "email".');
  const isWide = asked.portfolio === true && person.members.length > 0;
  const members = person.members.map(({ projectId }) => projectId);
  return { projectId: project.id, person, projectIds: isWide ? members : [project.id] };
}

export const nobody = (): ApiError =>
  new ApiError(
    "NOT_FOUND",
    "Nothing is stored about such a person here. Send an id exactly as your site sends it to /track or /identify.",
  );
