import type { Caller } from "../../domain/caller";
import { invalidField } from "../../domain/errors";
import { pageLimitDefault } from "../../domain/limits";
import { daysOf } from "../../domain/period";
import { zoneOfRead } from "../../domain/time-zone-name";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import type { OperationName } from "../../http/operation/facts";
import { pro } from "../../http/operation/facts";
import type { Operation } from "../../http/operation/operation";
import { personAsked } from "../../http/operation/person";
import { clock } from "../../lib/clock";
import { actorOf, noteRead } from "../../store/control/audit";
import type { Project } from "../../store/control/project-selector";
import { eventsLookupExample, journeyExample } from "./examples";
import { eventsLookupRead, journeyRead } from "./read";
import {
  EventsLookupBody,
  EventsLookupResponse,
  JourneyLookupBody,
  JourneyQuery,
  JourneyResponse,
} from "./schema";
import { unlinkRoute } from "./unlink";

export const identityFeature = (deps: Deps): Feature => ({
  operations: [
    eventsLookup(deps, "POST /events/lookup", "lookUpEvents"),
    aliasOf(eventsLookup(deps, "POST /events", "lookUpEventsAlias"), "POST /events/lookup"),
    journeyLookup(deps, "POST /journey/lookup", "lookUpJourney"),
    aliasOf(journeyLookup(deps, "POST /journey", "lookUpJourneyAlias"), "POST /journey/lookup"),
    journey(deps),
    unlinkRoute(deps),
  ],
});

/** Described once, where it is meant to be found. */
const aliasOf = (alias: Operation, name: OperationName): Operation => ({
  ...alias,
  doc: { ...alias.doc, description: `An alias of ${name}.` },
});

const eventsLookup = (deps: Deps, name: "POST /events/lookup" | "POST /events", id: string) =>
  projectOperation(name, {
    access: pro("analytics:read", "R", { people: true }),
    doc: {
      id,
      summary: "List the newest events of a user",
      description:
        "Events of the user with this user id or email, newest first, from this project only, even in a " +
        "portfolio. The server looks up an email by its keyed hash and never stores it.",
      tag: "Reads",
      example: eventsLookupExample,
    },
    takes: EventsLookupBody,
    returns: { 200: EventsLookupResponse },
    handle: ({ caller, project, input, read }) => {
      const question = questionOf(deps, caller, project, input, "7d");
      return read(eventsLookupRead, { ...question, event: input.event ?? null }, question.days);
    },
  });

const journeyDoc = {
  example: journeyExample,
  summary: "Get a user's journey",
  description:
    "Events of the user with this user id or email, oldest first, with the traits from /identify. In a " +
    "portfolio: events from all its projects and of all linked ids.",
  tag: "Reads",
};

const journeyLookup = (deps: Deps, name: "POST /journey/lookup" | "POST /journey", id: string) =>
  projectOperation(name, {
    access: pro("analytics:read", "R", { people: true }),
    doc: { id, ...journeyDoc },
    takes: JourneyLookupBody,
    returns: { 200: JourneyResponse },
    handle: ({ caller, project, input, read }) => {
      const question = questionOf(deps, caller, project, input, "30d");
      return read(journeyRead, { ...question, event: null }, question.days);
    },
  });

const journey = (deps: Deps) =>
  projectOperation("GET /journey", {
    access: pro("analytics:read", "RD", { people: true }),
    // It shows what /identify told of people.
    shares: { page: "journeys", isUnfiltered: true },
    doc: {
      id: "getJourney",
      ...journeyDoc,
      description: "Like POST /journey/lookup, for a user id only.",
    },
    takes: JourneyQuery,
    returns: { 200: JourneyResponse },
    handle: ({ caller, project, input, read }) => {
      const question = questionOf(deps, caller, project, input, "30d");
      return read(journeyRead, { ...question, event: null }, question.days);
    },
  });

interface PersonQuery {
  readonly user_id?: string;
  readonly email?: string;
  readonly since?: string;
  readonly until?: string;
  readonly tz?: string;
  readonly limit?: number;
}

function questionOf(
  deps: Deps,
  caller: Caller,
  project: Project,
  asked: PersonQuery,
  sinceDefault: string,
) {
  const { since, until, limit = pageLimitDefault } = asked;
  const person = personAsked(deps, caller, project, asked);
  if (asked.email !== undefined && person !== null) {
    noteRead(deps.control, {
      ...{ accountId: project.accountId, actor: actorOf(caller), action: "person_looked_up" },
      target: { type: "project", id: project.id, name: project.name },
    });
  }
  if (person === null) {
    throw invalidField("user_id", 'Send "user_id", or "email" in the body of a POST request.');
  }
  return {
    project: { id: project.id, name: project.name },
    days: daysOf({
      since,
      until,
      nowMs: clock.nowMs(),
      sinceDefault,
      zone: zoneOfRead(asked.tz, project),
    }),
    person,
    limit,
  };
}
