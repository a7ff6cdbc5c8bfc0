/*
 * Lookups map first and widen then.
 * Decision: seeds are mapped in the named project, then widened by the portfolio's graph, whose nodes are ids as sent;
 * events match whose user_id is among them. A digest ties the ids of any member's own scope too.
 * Because: definitions.md (Identity) says so: seeds after mapping, widened to their identity set; one digest in one
 * scope is one identity.
 * Cost: links a project made before it joined are followed in that project only.
 */

import { emailsPerUserMax, portfolioProjectsMax } from "../domain/limits";
import type { Person } from "../domain/person";
import { compareText } from "../lib/text";
import type { IdentityScope, Snapshot } from "../store/questions";

/** Ids of one person that a lookup follows. */
export const identitySetIdsMax = 10_000;

/** All that are kept of one user: as many in each scope. */
const emailsOfUserMax = 2 * portfolioProjectsMax * emailsPerUserMax;

/**
 * Returns the ids, ascending, of the person that a user id or an address means. Of a person with more ids than are
 * followed, these are the nearest to the one that was asked for.
 */
export async function matchedUsers(
  snapshot: Snapshot,
  projectId: string,
  person: Person,
): Promise<string[]> {
  const own: IdentityScope = { projectId, membership: null };
  const members = person.members.map(
    ({ projectId: member, membership }): IdentityScope => ({ projectId: member, membership }),
  );
  const seeds = person.userId === null ? [] : [person.userId];
  for (const digest of person.emailDigests) {
    seeds.push(...(await snapshot.usersTold([own, ...members], digest, identitySetIdsMax)));
  }
  const mapped = await snapshot.mappedUsers(projectId, seeds);
  const found = members.length === 0 ? mapped : await identitySet(snapshot, mapped, members);
  return found.sort(compareText);
}

/** All that are connected in the graph of the portfolio, or share an address in one scope. */
async function identitySet(
  snapshot: Snapshot,
  seeds: readonly string[],
  members: readonly IdentityScope[],
): Promise<string[]> {
  const scopes = [...members, ...members.map((member) => ({ ...member, membership: null }))];
  const found = new Set(seeds);
  const addresses = new Set<string>();
  const add = (users: readonly string[]): void => {
    for (const user of users) found.add(user);
  };
  // The loop visits the ids that it adds, as a set is iterated in the order of insertion.
  for (const user of found) {
    if (found.size >= identitySetIdsMax) break;
    add(await snapshot.usersNamedWith(members, user, identitySetIdsMax));
    for (const digest of await snapshot.digestsOf(scopes, user, emailsOfUserMax)) {
      // Once each: an address may have come with thousands of ids, and each of them leads back to it.
      if (addresses.has(digest)) continue;
      addresses.add(digest);
      add(await snapshot.usersTold(scopes, digest, identitySetIdsMax));
    }
  }
  return [...found].slice(0, identitySetIdsMax);
}
