import type { IdentityScope, KnownPerson } from "../../questions";
import { mappedUsers as mapped, people as seen } from "../functions/people";
import type { OpenSnapshot } from "./open-snapshot";

/* Statements bind ids one by one, as SQLite's JSON ends a text at a NUL. */

/** Selects the traits of a user that /identify stored, as JSON. */
const TRAITS = "select traits from profile where project_id = :project and user = :user";

const SCOPE = `scope as (
    select value ->> 0 as project_id, value ->> 1 as membership from json_each(:scopes)
  )`;

/**
 * Selects the users that /identify has linked with an address. The digest of an address belongs to one scope, but a
 * membership may have ended.
 */
const USERS_WITH_ADDRESS = `
  with ${SCOPE}
  select distinct user from email_digest
  where digest = unhex(:digest) and (project_id, membership) in (select project_id, membership from scope)
  limit :most`;

/** Selects the users that /identify has named together with a user. */
const USERS_NAMED_WITH = `
  with ${SCOPE}
  select distinct edge.other as user
  from scope
  cross join identity_edge as edge
    on edge.project_id = scope.project_id and edge.membership = scope.membership and edge.user = :user
  limit :most`;

/** Selects the digests of the addresses that a user has come with. */
const ADDRESSES_OF = `
  with ${SCOPE}
  select distinct hex(own.digest) as digest
  from scope
  cross join email_digest as own
    on own.project_id = scope.project_id and own.membership = scope.membership and own.user = :user
  limit :most`;

/** The project's own scope in the tables, which has no membership. */
const ownScope = "";

export const mappedUsers = (
  snapshot: OpenSnapshot,
  projectId: string,
  userIds: readonly string[],
): string[] => mapped(snapshot.context, snapshot.project(projectId).number, userIds);

export function people(
  snapshot: OpenSnapshot,
  projectId: string,
  userIds: readonly string[],
): KnownPerson[] {
  const { number: project } = snapshot.project(projectId);
  const segments = snapshot.segmentsOf(projectId);
  return seen(snapshot.context, project, segments, userIds).flatMap(({ number, ...person }) => {
    if (number === null) return [];
    const stored = snapshot.row<{ traits: string }>(TRAITS, { project, user: number });
    if (stored === undefined && person.first_seen === null) return [];
    return [{ ...person, traits: JSON.parse(stored?.traits ?? "{}") as KnownPerson["traits"] }];
  });
}

export const usersTold = (
  snapshot: OpenSnapshot,
  scopes: readonly IdentityScope[],
  digest: string,
  most: number,
): string[] =>
  snapshot
    .rows<{ user: string }>(USERS_WITH_ADDRESS, { scopes: textOf(snapshot, scopes), digest, most })
    .map(({ user }) => user);

export const usersNamedWith = (
  snapshot: OpenSnapshot,
  scopes: readonly IdentityScope[],
  user: string,
  most: number,
): string[] =>
  snapshot
    .rows<{ user: string }>(USERS_NAMED_WITH, { scopes: textOf(snapshot, scopes), user, most })
    .map((row) => row.user);

export const digestsOf = (
  snapshot: OpenSnapshot,
  scopes: readonly IdentityScope[],
  user: string,
  most: number,
): string[] =>
  snapshot
    .rows<{ digest: string }>(ADDRESSES_OF, { scopes: textOf(snapshot, scopes), user, most })
    .map(({ digest }) => digest);

const textOf = (snapshot: OpenSnapshot, scopes: readonly IdentityScope[]): string =>
  JSON.stringify(
    scopes.map(({ projectId, membership }) => [
      snapshot.project(projectId).number,
      membership ?? ownScope,
    ]),
  );
