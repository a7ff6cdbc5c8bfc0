/*
 * An unknown user id matches itself.
 * Decision: matched_user_ids of a lookup holds the id as sent when nobody linked it, with empty events.
 * Because: "each seed after mapping".
 * Cost: none.
 */

import type { EventsRequest } from "../../domain/counting";
import type { Warning } from "../../domain/fields";
import { type Condition, eventConditions } from "../../domain/filter";
import { allTime, type Days } from "../../domain/period";
import type { Person } from "../../domain/person";
import { compareText } from "../../lib/text";
import { matchedUsers } from "../../reads/matched-users";
import { viewOf } from "../../reads/view";
import { warningsOf } from "../../reads/warnings";
import type { JsonText, Read } from "../../store/port";
import type { EventsPage, Snapshot } from "../../store/questions";
import type { EventsLookup, Journey } from "./schema";

interface ProjectRef {
  readonly id: string;
  readonly name: string;
}

interface LookupInput {
  readonly project: ProjectRef;
  readonly days: Days;
  readonly person: Person;
  readonly event: string | null;
  readonly limit: number;
}

/** POST /events/lookup. */
export const eventsLookupRead: Read<LookupInput, EventsLookup> = {
  name: "events-lookup",
  scope: ({ project }) => ({ projectIds: [project.id], ...allTime }),
  idsOf: idsAsked,
  async run(snapshot, input) {
    const matched = await matchedUsers(snapshot, input.project.id, input.person);
    const page = await pageOf(snapshot, input, input.project, matched, "newest first");
    const names = page.count === 0 && input.event !== null ? [input.event] : [];
    const about = { projectId: input.project.id };
    const warned = await warningsOf(snapshot, about, { days: input.days }, names);
    return printed(input, matched, page, warned);
  },
};

/** GET /journey and POST /journey/lookup. */
export const journeyRead: Read<LookupInput, Journey> = {
  name: "journey",
  scope: (input) => ({ projectIds: projectsOf(input).map(({ id }) => id), ...allTime }),
  idsOf: idsAsked,
  async run(snapshot, input) {
    const matched = await matchedUsers(snapshot, input.project.id, input.person);
    const profiles: Profile[] = [];
    for (const project of projectsOf(input)) {
      profiles.push(...(await profilesIn(snapshot, project, matched)));
    }
    // A project that knows none of them need not be searched.
    const visited = projectsOf(input).filter(({ id }) =>
      profiles.some(({ project_id }) => project_id === id),
    );
    const page = await journeyThrough(snapshot, input, visited, matched);
    return printed(input, matched, page, { profiles: profiles.sort(byUser) });
  },
};

async function idsAsked(snapshot: Snapshot, { project, person }: LookupInput) {
  return [await matchedUsers(snapshot, project.id, person)];
}

interface OwnEventsInput {
  readonly projectId: string;
  readonly userId: string;
}
/** Counts the stored events of an id. */
export const ownEventsRead: Read<OwnEventsInput, { readonly events: number }> = {
  name: "own-events",
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  async run(snapshot, { projectId, userId }) {
    const ofUser: Condition = { field: "user_id", op: "eq", value: userId };
    return { events: await snapshot.eventCount({ projectId, ...allTime }, [ofUser]) };
  },
};

/** A journey goes on in all projects of the portfolio. */
const projectsOf = ({ project, person: { members } }: LookupInput): readonly ProjectRef[] =>
  members.length === 0
    ? [project]
    : members.map((member) => ({ id: member.projectId, name: member.project }));

type Profile = Journey["profiles"][number];
const byUser = (a: Profile, b: Profile): number =>
  compareText(a.user_id, b.user_id) || compareText(a.project, b.project);

/** One for each id of which the project has events or traits. */
async function profilesIn(
  snapshot: Snapshot,
  { id, name }: ProjectRef,
  userIds: readonly string[],
): Promise<Profile[]> {
  const people = await snapshot.people(id, userIds);
  return people.map(({ user_id, traits, first_seen, last_seen }) => ({
    user_id,
    project: name,
    project_id: id,
    traits,
    first_seen,
    last_seen,
  }));
}

type Page = Pick<EventsPage, "count" | "events">;
interface Row {
  readonly id: string;
  readonly timestamp: number;
}
const newestFirst = (a: Row, b: Row): number =>
  b.timestamp - a.timestamp || compareText(b.id, a.id);

/** The newest events of all the projects together, from the oldest of them on. */
async function journeyThrough(
  snapshot: Snapshot,
  input: LookupInput,
  projects: readonly ProjectRef[],
  userIds: readonly string[],
): Promise<Page> {
  const [first, ...others] = projects;
  if (first === undefined) return { count: 0, events: "[]" };
  if (others.length === 0) return pageOf(snapshot, input, first, userIds, "oldest first");
  let rows: Row[] = [];
  for (const project of projects) {
    // Other projects are asked only for events that are newer than those that the page has already.
    const barMs = rows.length < input.limit ? 0 : (rows.at(-1)?.timestamp ?? 0);
    const page = await pageOf(snapshot, input, project, userIds, "newest first", barMs);
    const more: Row[] = JSON.parse(page.events);
    rows = [...rows, ...more].sort(newestFirst).slice(0, input.limit);
  }
  return { count: rows.length, events: JSON.stringify(rows.reverse()) };
}

/** The newest events of one project. */
async function pageOf(
  snapshot: Snapshot,
  input: LookupInput,
  project: ProjectRef,
  userIds: readonly string[],
  order: "newest first" | "oldest first",
  barMs = 0,
): Promise<Page> {
  const asked = viewOf(project.id, input.days);
  const ofPeople: Condition = { field: "user_id", op: "in", value: userIds };
  const request: EventsRequest = {
    project_id: project.id,
    filters: [ofPeople, ...eventConditions(input.event)],
    limit: input.limit,
    before: null,
    oldest_first: order === "oldest first",
  };
  const view = { ...asked, fromMs: Math.max(asked.fromMs, barMs) };
  return snapshot.newestEvents(view, request);
}

function printed<Output>(
  { person: { userId } }: LookupInput,
  matched: readonly string[],
  { count, events }: Page,
  more: { readonly profiles?: readonly Profile[]; readonly warnings?: readonly Warning[] },
): JsonText<Output> {
  const first = JSON.stringify({ user_id: userId, matched_user_ids: matched });
  const rest = JSON.stringify({ count, ...more });
  return { json: `${first.slice(0, -1)},"events":${events},${rest.slice(1)}` };
}
