/*
 * A person is all ids of theirs in a project.
 * Decision: an export and an erasure are about the ids that a lookup finds, and in each project about every id that
 * links of that project join to one of them.
 * Because: a link that a project made before it joined a portfolio is in no graph, and an id that stays behind would
 * name the person still.
 * Cost: more than a lookup shows in a portfolio whose projects linked ids before they joined.
 */

import type { Condition } from "../domain/filter";
import type { Person } from "../domain/person";
import { compareText } from "../lib/text";
import type { ExportedIdentity, ExportSource } from "../store/exports";
import type { KnownPerson } from "../store/questions";
import { matchedUsers } from "./matched-users";

export interface PersonQuestion {
  /** The project in which the person is looked up. */
  readonly projectId: string;
  readonly person: Person;
  /** The projects whose data is wanted. */
  readonly projectIds: readonly string[];
}

/** A person in one project. */
export interface PersonInProject {
  readonly projectId: string;
  /** The ids that the person's events have today, ascending. */
  readonly userIds: readonly string[];
  /** The ids that stand for one of them. */
  readonly links: readonly ExportedIdentity[];
  readonly profiles: readonly KnownPerson[];
  /** Tells whether the project knows anything of the person. */
  readonly isKnown: boolean;
}

/** The person in each of the projects, those included that know nothing of them. */
export async function personIn(
  source: ExportSource,
  { projectId, person, projectIds }: PersonQuestion,
): Promise<PersonInProject[]> {
  const { questions } = source;
  const matched = await matchedUsers(questions, projectId, person);
  const found: PersonInProject[] = [];
  for (const id of projectIds) {
    const userIds = (await questions.mappedUsers(id, matched)).sort(compareText);
    const links = await linksTo(source, id, new Set(userIds));
    const profiles = await questions.people(id, userIds);
    const isKnown = links.length > 0 || profiles.length > 0 || (await isTold(source, id, userIds));
    found.push({ projectId: id, userIds, links, profiles, isKnown });
  }
  return found;
}

/** All ids of the person, as they were sent. */
export const idsOf = ({ userIds, links }: PersonInProject): string[] =>
  [...new Set([...userIds, ...links.map(({ previous_id: id }) => id)])].sort(compareText);

async function linksTo(
  source: ExportSource,
  projectId: string,
  userIds: ReadonlySet<string>,
): Promise<ExportedIdentity[]> {
  const links: ExportedIdentity[] = [];
  for await (const piece of source.identities(projectId)) {
    links.push(...piece.filter(({ user_id: userId }) => userIds.has(userId)));
  }
  return links;
}

/** Tells whether an address came with one of the ids. */
async function isTold(
  { questions }: ExportSource,
  projectId: string,
  userIds: readonly string[],
): Promise<boolean> {
  for (const userId of userIds) {
    const digests = await questions.digestsOf([{ projectId, membership: null }], userId, 1);
    if (digests.length > 0) return true;
  }
  return false;
}

/** The lists of a project in which there are only the events of the person. */
export function narrowedToPerson(
  source: ExportSource,
  { projectId, userIds }: PersonInProject,
): Promise<ExportSource> {
  const ofPerson: Condition = { field: "user_id", op: "in", value: userIds };
  return source.narrowedTo(projectId, [ofPerson]);
}
