import type { IdentityEntry } from "../../port";
import type { WriterMemory } from "./writer-memory";

/** Links two ids and stores their traits and addresses (definitions.md, Identity). */
export function identify(
  { projects, users, profiles, identities }: WriterMemory,
  entry: IdentityEntry,
): void {
  const { projectId, previousId, userId, traits, membership, emails = [] } = entry;
  const id = projects.numberOf(projectId);
  const { target, merged } = users.link(id, previousId, userId);
  if (merged !== null) profiles.hand(id, merged, target);
  if (traits !== null) profiles.merge(id, target, traits);
  if (membership !== undefined) identities.connect(id, membership, previousId, userId);
  for (const email of emails) identities.note(id, email, userId);
}

/** Removes a link. Returns the id that this one stood for, or null if it stood for itself. */
export function unlink(
  { projects, users, identities }: WriterMemory,
  project: string,
  previousId: string,
  membership: string | null,
): string | null {
  const id = projects.find(project);
  const owner = id === null ? null : users.unlink(id, previousId);
  if (id === null || owner === null) return null;
  const follows = (other: string): boolean => users.ownerOf(id, other)?.id === previousId;
  if (membership !== null) identities.part(id, membership, previousId, follows);
  return owner;
}
