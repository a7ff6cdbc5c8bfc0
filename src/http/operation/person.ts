import { type Caller, isReadable } from "../../domain/caller";
import { lookupEmail } from "../../domain/email-digest";
import { ApiError, invalidField } from "../../domain/errors";
import type { Person } from "../../domain/person";
import type { Project } from "../../store/control/project-selector";
import type { Deps } from "../deps";

interface PersonFields {
  readonly user_id?: string;
  readonly email?: string;
}

/**
 * Whom a lookup asks for, as the store may know it: of an address only digests go further. Null when nobody is named.
 * Throws MISSING_FIELDS, and DEMO_READ_ONLY for an address in the demo.
 */
export function personAsked(
  { control }: Pick<Deps, "control">,
  caller: Caller,
  { id, accountId }: Pick<Project, "id" | "accountId">,
  { user_id: userId, email: sent }: PersonFields,
): Person | null {
  if (sent !== undefined && caller.isDemo) {
    throw new ApiError("DEMO_READ_ONLY", "The demo cannot look up users by email. Use user_id.");
  }
  const email = sent === undefined ? null : lookupEmail(sent);
  // The address itself is not shown again, here or anywhere.
  if (sent !== undefined && email === null) {
    throw invalidField("email", '"email" must be an email address such as you@example.com.');
  }
  if (userId === undefined && email === null) return null;
  const membership = control.memberships.ofProject(id);
  const digests = (...scopes: Parameters<typeof control.emailDigests.of>[0][]): string[] =>
    email === null ? [] : scopes.map((scope) => control.emailDigests.of(scope, email));
  const person = { userId: userId ?? null };
  if (membership === undefined) {
    return { ...person, emailDigests: digests(`project:${id}`), members: [] };
  }
  const { portfolioId } = membership;
  return {
    ...person,
    emailDigests: digests(`project:${id}`, `portfolio:${portfolioId}`),
    members: control.memberships
      .ofPortfolio(portfolioId)
      .filter((member) => isReadable(caller, { id: member.projectId, accountId }))
      .map((member) => ({
        projectId: member.projectId,
        project: member.project,
        membership: member.id,
      })),
  };
}
