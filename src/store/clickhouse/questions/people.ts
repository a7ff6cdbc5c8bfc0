import { allTime } from "../../../domain/period";
import type { IdentityScope, KnownPerson } from "../../questions";
import { Bound } from "../sql/bound";
import { Events } from "../sql/events";
import type { OpenRead } from "../sql/open-read";

interface LatestLink {
  readonly name: string;
  readonly owner: string;
  readonly sender: string;
}

/** For each id that was ever linked: the sender under which its events are stored now, and their owner. */
export async function latestLinks(
  read: OpenRead,
  projectId: string,
  userIds: readonly string[],
): Promise<Map<string, LatestLink>> {
  if (userIds.length === 0 || !read.hasLinks(projectId)) return new Map();
  const bound = new Bound();
  const rows = await read.ask<LatestLink>(
    `select name, argMax(owner, (generation, commit)) as owner,
      base64Encode(argMax(sender, (generation, commit))) as sender
    from ${read.database}.user_link
    where project = ${bound.integer(read.project(projectId).number)}
      and commit <= ${bound.integer(read.moment.lastCommit)} and name in ${bound.texts(userIds)}
    group by name`,
    bound,
  );
  return new Map(rows.map((row) => [row.name, row]));
}

export async function mappedUsers(
  read: OpenRead,
  projectId: string,
  userIds: readonly string[],
): Promise<string[]> {
  const links = await latestLinks(read, projectId, userIds);
  return [...new Set(userIds.map((id) => links.get(id)?.owner ?? id))];
}

interface Seen {
  readonly user: string;
  readonly first_ms: number;
  readonly last_ms: number;
}

/** An id that is linked to another is not a user, nor is one without events and traits. */
export async function people(
  read: OpenRead,
  projectId: string,
  userIds: readonly string[],
): Promise<KnownPerson[]> {
  if (userIds.length === 0) return [];
  const bound = new Bound();
  const oneOfThem = [{ field: "user_id", op: "in", value: userIds } as const];
  const [links, seen] = await Promise.all([
    latestLinks(read, projectId, userIds),
    read.ask<Seen>(
      `select user, toUnixTimestamp64Milli(min(time)) as first_ms, toUnixTimestamp64Milli(max(time)) as last_ms
      from ${new Events(read, bound, { projectId, ...allTime }).limitTo(oneOfThem).sql()}
      group by user`,
      bound,
    ),
  ]);
  const traits = await traitsOf(read, projectId, userIds, links);
  const times = new Map(seen.map((row) => [row.user, row]));
  return userIds.flatMap((id): KnownPerson[] => {
    const owner = links.get(id)?.owner ?? id;
    const found = times.get(id);
    const told = traits.get(id);
    if (owner !== id || (found === undefined && told === undefined)) return [];
    return [
      {
        user_id: id,
        first_seen: found?.first_ms ?? null,
        last_seen: found?.last_ms ?? null,
        traits: JSON.parse(told ?? "{}"),
      },
    ];
  });
}

/** Traits are stored for an id as it was linked when they came: an answer shows those of its current link. */
export async function traitsOf(
  read: OpenRead,
  projectId: string,
  userIds: readonly string[],
  links: ReadonlyMap<string, LatestLink>,
): Promise<Map<string, string>> {
  const bound = new Bound();
  const unlinked = userIds.filter((id) => !links.has(id));
  const senders = [...links.values()].map(({ sender }) => sender);
  const rows = await read.ask<{ sent_as: string; name: string; told: string }>(
    `select base64Encode(profile.sender) as sent_as,
      if(profile.sender in ${bound.texts(unlinked)}, profile.sender, '') as name,
      argMax(traits, commit) as told
    from ${read.database}.profile
    where project = ${bound.integer(read.project(projectId).number)}
      and commit <= ${bound.integer(read.moment.lastCommit)}
      and (profile.sender in ${bound.texts(unlinked)} or base64Encode(profile.sender) in ${bound.texts(senders)})
    group by profile.sender having told != '{}'`,
    bound,
  );
  const bySender = new Map([...links].map(([name, { sender }]) => [sender, name]));
  return new Map(rows.map(({ sent_as, name, told }) => [bySender.get(sent_as) ?? name, told]));
}

/** The tables have an empty membership for the project's own scope. */
const ownScope = "";

/** Returns the scopes as pairs of project and membership. */
function scopesSql(read: OpenRead, bound: Bound, scopes: readonly IdentityScope[]): string {
  const numbers = bound.integers(scopes.map(({ projectId }) => read.project(projectId).number));
  const memberships = bound.texts(scopes.map(({ membership }) => membership ?? ownScope));
  return `(project, membership) in (select toUInt64(scope.1), scope.2
    from (select arrayJoin(arrayZip(${numbers}, ${memberships})) as scope))`;
}

export async function usersTold(
  read: OpenRead,
  scopes: readonly IdentityScope[],
  digest: string,
  limit: number,
): Promise<string[]> {
  const bound = new Bound();
  const rows = await read.ask<{ user: string }>(
    `select distinct user from ${read.database}.email
    where digest = unhex(${bound.text(digest)}) and commit <= ${bound.integer(read.moment.lastCommit)}
      and ${scopesSql(read, bound, scopes)} limit ${bound.integer(limit)}`,
    bound,
  );
  return rows.map(({ user }) => user);
}

export async function usersNamedWith(
  read: OpenRead,
  scopes: readonly IdentityScope[],
  user: string,
  limit: number,
): Promise<string[]> {
  const bound = new Bound();
  const rows = await read.ask<{ user: string }>(
    `select distinct other as user from (
      select project, membership, other, argMax(is_there, commit) as stands from ${read.database}.identity_edge as edge
      where edge.user = ${bound.text(user)} and commit <= ${bound.integer(read.moment.lastCommit)}
        and ${scopesSql(read, bound, scopes)}
      group by project, membership, other
    ) where stands limit ${bound.integer(limit)}`,
    bound,
  );
  return rows.map((row) => row.user);
}

export async function digestsOf(
  read: OpenRead,
  scopes: readonly IdentityScope[],
  user: string,
  limit: number,
): Promise<string[]> {
  const bound = new Bound();
  const rows = await read.ask<{ digest: string }>(
    `select distinct hex(digest) as digest from ${read.database}.email as email
    where email.user = ${bound.text(user)} and commit <= ${bound.integer(read.moment.lastCommit)}
      and ${scopesSql(read, bound, scopes)} limit ${bound.integer(limit)}`,
    bound,
  );
  return rows.map(({ digest }) => digest);
}
