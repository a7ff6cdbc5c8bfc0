import type { EventsRequest } from "../../domain/counting";
import { type Condition, eventConditions } from "../../domain/filter";
import { allTime, type Days, windowOf } from "../../domain/period";
import type { Person } from "../../domain/person";
import { compareText } from "../../lib/text";
import { matchedUsers } from "../../store/matched-users";
import type { JsonText, Read, Snapshot } from "../../store/port";
import { PROJECT, SCOPE, setsOf } from "../../store/segment-sets";
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

/** Ids, and when their events happened, as JSON. */
export const PEOPLE = `
  with ${PROJECT}
  select people(:project, segments, :user_ids) as people from project`;

/** The newest events of the ids: a line about the page, then its rows, both JSON. */
export const EVENTS_OF = `
  with ${SCOPE}
  select newest_events(segments, :from, :to, :request) as page from scope`;

/** What /identify told of a user, as JSON. */
export const TRAITS = "select traits from profile where project_id = :project and user = :user";

/** POST /events/lookup of the contract. */
export const eventsLookupRead: Read<LookupInput, EventsLookup> = {
  name: "events-lookup",
  scope: ({ project }) => ({ projectIds: [project.id], ...allTime }),
  run(snapshot, input) {
    const matched = matchedUsers(snapshot, input.project.id, input.person);
    const page = pageOf(snapshot, input, input.project, matched, "newest first");
    return printed(input, matched, page, {});
  },
};

/** GET /journey and POST /journey/lookup of the contract. */
export const journeyRead: Read<LookupInput, Journey> = {
  name: "journey",
  scope: (input) => ({ projectIds: projectsOf(input).map(({ id }) => id), ...allTime }),
  run(snapshot, input) {
    const matched = matchedUsers(snapshot, input.project.id, input.person);
    const profiles = projectsOf(input).flatMap((project) => profilesIn(snapshot, project, matched));
    // Where none of them is known there is nothing to look for.
    const visited = projectsOf(input).filter(({ id }) =>
      profiles.some(({ project_id }) => project_id === id),
    );
    const page = journeyThrough(snapshot, input, visited, matched);
    return printed(input, matched, page, { profiles: profiles.sort(byUser) });
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

interface Seen {
  readonly user_id: string;
  readonly number: number | null;
  readonly first_seen: number | null;
  readonly last_seen: number | null;
}

/** One for each id of which the project has events or traits. */
function profilesIn(
  snapshot: Snapshot,
  { id, name }: ProjectRef,
  userIds: readonly string[],
): Profile[] {
  const sets = setsOf(snapshot.project(id), allTime);
  const user_ids = JSON.stringify(userIds);
  const found = snapshot.row<{ people: string }>(PEOPLE, { ...sets, user_ids });
  const people: Seen[] = JSON.parse(found?.people ?? "[]");
  return people.flatMap(({ user_id, number: user, first_seen, last_seen }) => {
    if (user === null) return [];
    const stored = snapshot.row<{ traits: string }>(TRAITS, { project: sets.project, user });
    if (stored === undefined && first_seen === null) return [];
    const traits: Record<string, unknown> = JSON.parse(stored?.traits ?? "{}");
    return [{ user_id, project: name, project_id: id, traits, first_seen, last_seen }];
  });
}

interface Page {
  readonly count: number;
  /** A list of EventRows as JSON. */
  readonly events: string;
}
interface Row {
  readonly id: string;
  readonly timestamp: number;
}
const newestFirst = (a: Row, b: Row): number =>
  b.timestamp - a.timestamp || compareText(b.id, a.id);

/** The newest events of all the projects together, from the oldest of them on. */
function journeyThrough(
  snapshot: Snapshot,
  input: LookupInput,
  projects: readonly ProjectRef[],
  userIds: readonly string[],
): Page {
  const [first, ...others] = projects;
  if (first === undefined) return { count: 0, events: "[]" };
  if (others.length === 0) return pageOf(snapshot, input, first, userIds, "oldest first");
  let rows: Row[] = [];
  for (const project of projects) {
    // Of the other projects only what is newer than what is there already.
    const barMs = rows.length < input.limit ? 0 : (rows.at(-1)?.timestamp ?? 0);
    const page = pageOf(snapshot, input, project, userIds, "newest first", barMs);
    const more: Row[] = JSON.parse(page.events);
    rows = [...rows, ...more].sort(newestFirst).slice(0, input.limit);
  }
  return { count: rows.length, events: JSON.stringify(rows.reverse()) };
}

/** The newest events of one project. */
function pageOf(
  snapshot: Snapshot,
  input: LookupInput,
  project: ProjectRef,
  userIds: readonly string[],
  order: "newest first" | "oldest first",
  barMs = 0,
): Page {
  const window = windowOf(input.days);
  const fromMs = Math.max(window.fromMs, barMs);
  const sets = setsOf(snapshot.project(project.id), { ...window, fromMs });
  const ofPeople: Condition = { field: "user_id", op: "in", value: userIds };
  const request: EventsRequest = {
    project_id: project.id,
    filters: [ofPeople, ...eventConditions(input.event)],
    limit: input.limit,
    before: null,
    oldest_first: order === "oldest first",
  };
  const parameters = { ...sets, request: JSON.stringify(request) };
  const found = snapshot.row<{ page: string }>(EVENTS_OF, parameters);
  const [head = "", events = "[]"] = (found?.page ?? '{"count":0}\n[]').split("\n");
  const { count }: Pick<Page, "count"> = JSON.parse(head);
  return { count, events };
}

function printed<Output>(
  { person: { userId } }: LookupInput,
  matched: readonly string[],
  { count, events }: Page,
  more: { readonly profiles?: readonly Profile[] },
): JsonText<Output> {
  const first = JSON.stringify({ user_id: userId, matched_user_ids: matched });
  const rest = JSON.stringify({ count, ...more });
  return { json: `${first.slice(0, -1)},"events":${events},${rest.slice(1)}` };
}
