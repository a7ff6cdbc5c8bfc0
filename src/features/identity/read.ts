import type { EventsRequest } from "../../domain/counting";
import { type Condition, eventConditions } from "../../domain/filter";
import { allTime, type Days, windowOf } from "../../domain/period";
import { compareText } from "../../lib/text";
import type { JsonText, Read, Snapshot } from "../../store/port";
import { PROJECT, SCOPE, type Sets, setsOf } from "../../store/segment-sets";
import type { EventsLookup, Journey } from "./schema";

interface LookupInput {
  readonly project: { readonly id: string; readonly name: string };
  readonly days: Days;
  /** As sent. */
  readonly userId: string | null;
  readonly event: string | null;
  readonly limit: number;
}

/** Whom the ids stand for, and when those users' events happened, as JSON. */
export const PEOPLE = `
  with ${PROJECT}
  select people(:project, segments, :user_ids) as people from project`;

/** The newest events of the ids: a line about the page, then its rows, both JSON. */
export const EVENTS_OF = `
  with ${SCOPE}
  select newest_events(segments, :from, :to, :request) as page from scope`;

/** What /identify told of a user, as JSON. */
export const TRAITS = "select traits from profile where project_id = :project and user = :user";

interface Person {
  readonly user_id: string;
  readonly number: number | null;
  readonly first_seen: number | null;
  readonly last_seen: number | null;
}

/** POST /events/lookup of the contract. */
export const eventsLookupRead: Read<LookupInput, EventsLookup> = {
  name: "events-lookup",
  scope: ({ project }) => ({ projectIds: [project.id], ...allTime }),
  run(snapshot, input) {
    const sets = setsOf(snapshot.project(input.project.id), windowOf(input.days));
    return printed(snapshot, sets, input, peopleOf(snapshot, sets, input), {});
  },
};

/** GET /journey and POST /journey/lookup of the contract. */
export const journeyRead: Read<LookupInput, Journey> = {
  name: "journey",
  scope: ({ project }) => ({ projectIds: [project.id], ...allTime }),
  run(snapshot, input) {
    const sets = setsOf(snapshot.project(input.project.id), windowOf(input.days));
    const people = peopleOf(snapshot, sets, input);
    return printed(snapshot, sets, input, people, {
      profiles: profilesOf(snapshot, sets, input, people),
    });
  },
};

/** By id, ascending. */
function peopleOf(snapshot: Snapshot, sets: Sets, { userId }: LookupInput): Person[] {
  const user_ids = JSON.stringify(userId === null ? [] : [userId]);
  const found = snapshot.row<{ people: string }>(PEOPLE, { ...sets, user_ids });
  const people: Person[] = JSON.parse(found?.people ?? "[]");
  return people.sort((a, b) => compareText(a.user_id, b.user_id));
}

/** One for each person of whom the project has events or traits. */
function profilesOf(
  snapshot: Snapshot,
  { project: number }: Sets,
  { project }: LookupInput,
  people: readonly Person[],
): Journey["profiles"] {
  return people.flatMap(({ user_id, number: user, first_seen, last_seen }) => {
    const stored = snapshot.row<{ traits: string }>(TRAITS, { project: number, user });
    if (stored === undefined && first_seen === null) return [];
    const traits: Record<string, unknown> = JSON.parse(stored?.traits ?? "{}");
    return [
      { user_id, project: project.name, project_id: project.id, traits, first_seen, last_seen },
    ];
  });
}

/** Journeys are told from their beginning, lists of events from their end. */
function printed<Output>(
  snapshot: Snapshot,
  sets: Sets,
  input: LookupInput,
  people: readonly Person[],
  more: { readonly profiles?: Journey["profiles"] },
): JsonText<Output> {
  const ids = people.map(({ user_id }) => user_id);
  const ofPeople: Condition = { field: "identity", op: "in", value: ids };
  const request: EventsRequest = {
    project_id: input.project.id,
    filters: [ofPeople, ...eventConditions(input.event)],
    limit: input.limit,
    before: null,
    oldest_first: more.profiles !== undefined,
  };
  const found = snapshot.row<{ page: string }>(EVENTS_OF, {
    ...sets,
    request: JSON.stringify(request),
  });
  const [head = "", events = "[]"] = (found?.page ?? '{"count":0}\n[]').split("\n");
  const { count }: { count: number } = JSON.parse(head);
  const first = JSON.stringify({ user_id: input.userId, matched_user_ids: ids });
  const rest = JSON.stringify({ count, ...more });
  return { json: `${first.slice(0, -1)},"events":${events},${rest.slice(1)}` };
}
