import { emailsPerUserMax, identitySetIdsMax, portfolioProjectsMax } from "../domain/limits";
import type { Person } from "../domain/person";
import { compareText } from "../lib/text";
import type { Snapshot } from "./port";

/**
 * Who is meant by a user id or an address (reads.md, Identity lookups): the ids of one person, which SQL keeps in plain
 * tables. Ids are bound one by one, as SQLite's JSON ends a text at a NUL.
 */

/** Ids after mapping, as JSON: each once, as today's events carry it. */
export const MAPPED = "select mapped_users(:project, :user_ids) as users";

const SCOPE = `scope as (
    select value ->> 0 as project_id, value ->> 1 as membership from json_each(:scopes)
  )`;

/** Who came with an address. Its digest belongs to one scope, but a membership may have ended. */
export const TOLD = `
  with ${SCOPE}
  select distinct user from email_digest
  where digest = unhex(:digest) and (project_id, membership) in (select project_id, membership from scope)
  limit :most`;

export const NAMED_TOGETHER = `
  with ${SCOPE}
  select distinct edge.other as user
  from scope
  cross join identity_edge as edge
    on edge.project_id = scope.project_id and edge.membership = scope.membership and edge.user = :user
  limit :most`;

/** The addresses that somebody came with. */
export const ADDRESSES_OF = `
  with ${SCOPE}
  select distinct hex(own.digest) as digest
  from scope
  cross join email_digest as own
    on own.project_id = scope.project_id and own.membership = scope.membership and own.user = :user
  limit :most`;

/** The project's own scope has no membership. */
type Scope = readonly [projectNumber: number, membership: string];
const ownScope = "";

/** All that are kept: so many in each scope. */
const emailsOfUserMax = 2 * portfolioProjectsMax * emailsPerUserMax;

/** By id, ascending. Of very many, those that are nearest to whom was asked for. */
export function matchedUsers(snapshot: Snapshot, projectId: string, person: Person): string[] {
  const { number } = snapshot.project(projectId);
  const members = person.members.map((member): Scope => {
    return [snapshot.project(member.projectId).number, member.membership];
  });
  const told = person.emailDigests.flatMap((digest) =>
    usersIn(snapshot, TOLD, { digest, scopes: textOf([[number, ownScope], ...members]) }),
  );
  const seeds = person.userId === null ? told : [person.userId, ...told];
  const row = snapshot.row<{ users: string }>(MAPPED, {
    project: number,
    user_ids: JSON.stringify(seeds),
  });
  const mapped: string[] = JSON.parse(row?.users ?? "[]");
  const found = members.length === 0 ? mapped : identitySet(snapshot, mapped, members);
  return found.sort(compareText);
}

/** All that hang together in the graph of the portfolio, or share an address in one scope. */
function identitySet(
  snapshot: Snapshot,
  seeds: readonly string[],
  members: readonly Scope[],
): string[] {
  const edges = textOf(members);
  const scopes = textOf([...members, ...members.map(([id]): Scope => [id, ownScope])]);
  const found = new Set(seeds);
  const addresses = new Set<string>();
  const add = (users: readonly string[]): void => {
    for (const user of users) found.add(user);
  };
  // Whoever is added is visited later.
  for (const user of found) {
    if (found.size >= identitySetIdsMax) break;
    add(usersIn(snapshot, NAMED_TOGETHER, { user, scopes: edges }));
    for (const digest of addressesOf(snapshot, user, scopes)) {
      // Once each: an address may have come with thousands of ids, and each of them leads back to it.
      if (addresses.has(digest)) continue;
      addresses.add(digest);
      add(usersIn(snapshot, TOLD, { digest, scopes }));
    }
  }
  return [...found].slice(0, identitySetIdsMax);
}

const addressesOf = (snapshot: Snapshot, user: string, scopes: string): string[] =>
  snapshot
    .rows<{ digest: string }>(ADDRESSES_OF, { user, scopes, most: emailsOfUserMax })
    .map(({ digest }) => digest);

const usersIn = (
  snapshot: Snapshot,
  statement: string,
  parameters: Readonly<Record<string, string>>,
): string[] =>
  snapshot
    .rows<{ user: string }>(statement, { ...parameters, most: identitySetIdsMax })
    .map(({ user }) => user);

const textOf = (scopes: readonly Scope[]): string => JSON.stringify(scopes);
