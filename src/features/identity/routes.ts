import { Elysia } from "elysia";
import { invalidField } from "../../domain/errors";
import { pageLimitDefault } from "../../domain/limits";
import { daysOf } from "../../domain/period";
import type { Deps } from "../../http/deps";
import { projectOperation } from "../../http/operation";
import type { Project } from "../../http/project";
import { clock } from "../../lib/clock";
import { eventsLookupRead, journeyRead } from "./read";
import {
  EventsLookupBody,
  EventsLookupResponse,
  JourneyLookupBody,
  JourneyQuery,
  JourneyResponse,
} from "./schema";

export const identityRoutes = (deps: Deps) =>
  new Elysia({ name: "identity" })
    .use(eventsLookup(deps, "POST /events/lookup", "lookUpEvents"))
    .use(eventsLookup(deps, "POST /events", "lookUpEventsAlias"))
    .use(journeyLookup(deps, "POST /journey/lookup", "lookUpJourney"))
    .use(journeyLookup(deps, "POST /journey", "lookUpJourneyAlias"))
    .use(journey(deps));

const eventsLookup = (deps: Deps, name: "POST /events/lookup" | "POST /events", id: string) =>
  projectOperation(deps, name, {
    doc: {
      id,
      summary: "The newest events of a person",
      description:
        "Events of the person behind a user id or an email address, newest first. An address is looked up by its " +
        "keyed hash and never stored.",
      tag: "Reads",
    },
    takes: EventsLookupBody,
    returns: { 200: EventsLookupResponse },
    handle: ({ project, input, read }) => {
      const question = questionOf(project, input, "7d");
      return read(eventsLookupRead, { ...question, event: input.event ?? null }, question.days);
    },
  });

const journeyDoc = {
  summary: "What a person did",
  description:
    "Events of the person behind a user id or an email address, oldest first, with the traits that /identify told.",
  tag: "Reads",
};

const journeyLookup = (deps: Deps, name: "POST /journey/lookup" | "POST /journey", id: string) =>
  projectOperation(deps, name, {
    doc: { id, ...journeyDoc },
    takes: JourneyLookupBody,
    returns: { 200: JourneyResponse },
    handle: ({ project, input, read }) => {
      const question = questionOf(project, input, "30d");
      return read(journeyRead, { ...question, event: null }, question.days);
    },
  });

const journey = (deps: Deps) =>
  projectOperation(deps, "GET /journey", {
    doc: { id: "getJourney", ...journeyDoc },
    takes: JourneyQuery,
    returns: { 200: JourneyResponse },
    handle: ({ project, input, read }) => {
      const question = questionOf(project, input, "30d");
      return read(journeyRead, { ...question, event: null }, question.days);
    },
  });

interface Asked {
  readonly user_id?: string;
  readonly email?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
}

/** No address is known yet, so that one alone matches nobody. */
function questionOf({ id, name }: Project, asked: Asked, sinceDefault: string) {
  const { user_id: userId, email, since, until, limit = pageLimitDefault } = asked;
  if (userId === undefined && email === undefined) {
    throw invalidField("user_id", "Say who: send user_id, or email in the body of a POST.");
  }
  return {
    project: { id, name },
    days: daysOf({ since, until, nowMs: clock.nowMs(), sinceDefault }),
    userId: userId ?? null,
    limit,
  };
}
