import type { EventPlace, SessionsRequest } from "../../../src/domain/counting";
import { decodeCursor } from "../../../src/domain/cursor";
import type { Condition } from "../../../src/domain/filter";
import { allSitesRead } from "../../../src/features/all-sites/read";
import { breakdownRead } from "../../../src/features/breakdown/breakdown";
import { eventsRead } from "../../../src/features/events/read";
import type { Events } from "../../../src/features/events/schema";
import { heatmapRead } from "../../../src/features/heatmap/heatmap";
import { journeyRead } from "../../../src/features/identity/read";
import { insightsRead } from "../../../src/features/insights/insights";
import { pagesRead } from "../../../src/features/pages/pages";
import { listPropertiesRead, receivedRead } from "../../../src/features/properties/properties";
import { retentionRead } from "../../../src/features/retention/retention";
import { distributionRead } from "../../../src/features/sessions/distribution";
import { sessionsRead } from "../../../src/features/sessions/read";
import type { Sessions } from "../../../src/features/sessions/schema";
import { statsRead } from "../../../src/features/stats/stats";
import * as answers from "../../model/answers";
import { changes } from "../../model/changes";
import { compared } from "../../model/compared";
import { experiment } from "../../model/experiments";
import { FilteredModel, narrowedModel } from "../../model/filtered";
import * as journeys from "../../model/journeys";
import type { Model } from "../../model/model";
import { retention } from "../../model/retention-answers";
import * as sessionAnswers from "../../model/session-answers";
import type { Answering } from "../engine/driven";
import { changesNumbers } from "./ask-changes";
import { experimentCounts, pathsNumbers } from "./ask-goals";
import { comparedNumbers, personOf, queryNumbers } from "./ask-query";
import { withModelWarnings } from "./counting-warnings";
import { funnelNumbers } from "./funnel-numbers";
import type { AskedRetention, Question } from "./questions";

/** What the store answers to a question. */
export async function ask(
  question: Question,
  whole: Answering,
  projectId: string,
): Promise<unknown> {
  const { days, filters, narrowedBy } = question;
  const engine: Answering = { read: (read, input) => whole.read(read, input, narrowedBy) };
  switch (question.ask) {
    case "stats":
      return engine.read(statsRead, { projectId, days, groupBy: question.groupBy, filters });
    case "events":
      return allPages(question, engine, projectId);
    case "query":
      return queryNumbers(question, engine, projectId);
    case "changes":
      return changesNumbers(question, engine, projectId);
    case "compared":
      return comparedNumbers(question, engine, projectId);
    case "properties":
      return engine.read(listPropertiesRead, { projectId, ...question });
    case "received":
      return engine.read(receivedRead, { projectId, ...question });
    case "sessions":
      return allSessions(question, engine, projectId);
    case "distribution":
      return engine.read(distributionRead, { projectId, days, filters });
    case "heatmap":
      return engine.read(heatmapRead, { projectId, days, filters });
    case "insights":
      return engine.read(insightsRead, {
        projectId,
        days,
        previous: question.previous,
        filters,
      });
    case "pages":
      return engine.read(pagesRead, {
        projectId,
        days,
        type: question.type,
        limit: question.limit,
        filters,
      });
    case "retention":
      return engine.read(retentionRead, { projectId, ...retentionOf(question.retention), filters });
    case "funnel":
      return funnelNumbers(question, engine, projectId);
    case "journey":
      return journeyOf(question, engine, projectId);
    case "sites":
      return engine.read(allSitesRead, {
        projects: [{ id: projectId, name: siteName }],
        label: "7d",
        current: days,
        previous: question.previous,
        limit: 10,
      });
    case "experiment":
      return experimentCounts(question.experiment, engine, projectId);
    case "paths":
      return pathsNumbers(question, engine, projectId);
    default: {
      const { property, event, limit } = question;
      const input = { projectId, days, property, event, limit, filters };
      return engine.read(breakdownRead, input);
    }
  }
}

function retentionOf({ today, breakdown, ...asked }: AskedRetention) {
  const { zone } = asked.periods[0];
  const all = breakdown && { ...breakdown, zone, beganAtMs: 0 };
  return { ...asked, breakdown: all, days: { from: today, to: today } };
}

/** What the model answers. */
export function answerOf(question: Question, stored: Model, projectId: string): unknown {
  const { narrowedBy } = question;
  const whole = narrowedBy === undefined ? stored : narrowedModel(stored, narrowedBy);
  return withModelWarnings(numbersOf(question, whole, projectId), question, whole);
}

function numbersOf(question: Question, whole: Model, projectId: string): unknown {
  const { days, filters } = question;
  const dates = question.ask === "retention" ? question.retention.periods.at(-1) : days;
  const model = filters === undefined ? whole : new FilteredModel(whole, filters, dates ?? days);
  switch (question.ask) {
    case "stats":
      return answers.stats(model, days, question.groupBy);
    case "events":
      return answers.events(model, days, question.filter).slice(0, pagesMax * question.limit);
    case "query":
      return answers.query(model, days, question.query, question.query.userId);
    case "changes": {
      const { changes: asked } = question;
      return changes(whole, { ...asked, current: days, filters: filters ?? [] });
    }
    case "compared": {
      const { query, previous } = question;
      return compared(model, days, previous, query, query.userId);
    }
    case "properties":
      return answers.properties(model, days, question.eventsMax, question.keysMax);
    case "received":
      return answers.received(model, days, question.sample, question.pairsMax);
    case "sessions":
      return sessionAnswers
        .sessions(model, days, question.filter, projectId)
        .slice(0, pagesMax * question.limit);
    case "distribution":
      return sessionAnswers.distribution(model, days);
    case "heatmap":
      return sessionAnswers.heatmap(model, days);
    case "insights":
      return sessionAnswers.insights(model, days, question.previous);
    case "pages":
      return sessionAnswers.pages(model, days, question.type, question.limit);
    case "retention":
      return retention(model, question.retention);
    case "funnel":
      return journeys.funnel(model, days, question.funnel);
    case "journey":
      return journeys.journey(model, days, question.userId, question.limit);
    case "sites":
      return sessionAnswers.sites(model, days, question.previous, {
        id: projectId,
        name: siteName,
      });
    case "experiment":
      return experiment(model, question.experiment);
    case "paths":
      return journeys.entryPaths(model, days, question.paths);
    default:
      return answers.breakdown(model, days, question);
  }
}

const pagesMax = 4;

/** The first pages as one list. Ids are checked here, as the model cannot know them. */
async function allPages(
  { days, filter, filters, limit }: Extract<Question, { ask: "events" }>,
  engine: Answering,
  projectId: string,
): Promise<unknown[]> {
  const conditions: Condition[] = [];
  if (filter.event !== undefined) conditions.push(is("event", filter.event));
  if (filter.session_id !== undefined) conditions.push(is("session_id", filter.session_id));
  if (filter.user_id !== undefined) conditions.push(is("user_id", filter.user_id));
  const rows: unknown[] = [];
  const ids = new Set<string>();
  let before: EventPlace | null = null;
  for (let page = 0; page < pagesMax; page++) {
    const input = { projectId, days, conditions, filters, limit, before, question: {} };
    const { events, count, next_cursor: next }: Events = await engine.read(eventsRead, input);
    if (count !== events.length) throw new Error(`count is ${count} of ${events.length} events`);
    if (next !== null && count !== limit)
      throw new Error("A page that is not full has a next one.");
    for (const { id, project_id: ofProject, ...row } of events) {
      const isNew = /^[0-9A-HJKMNP-TV-Z]{26}$/.test(id) && !ids.has(id);
      if (!isNew || ofProject !== projectId) throw new Error(`Bad id ${id} of ${ofProject}.`);
      ids.add(id);
      rows.push(row);
    }
    if (next === null) break;
    before = placeIn(next);
  }
  return rows;
}

function startIn(cursor: string): { startMs: number; id: string } {
  const [start, id] = decodeCursor(cursor, {}, ["number", "string"]).place;
  return { startMs: Number(start), id: String(id) };
}
function placeIn(cursor: string): EventPlace {
  const [timeMs, ticket] = decodeCursor(cursor, {}, ["number", "number"]).place.map(Number);
  return { timeMs, ticket };
}

async function allSessions(
  { days, filter, filters, limit }: Extract<Question, { ask: "sessions" }>,
  engine: Answering,
  projectId: string,
): Promise<unknown[]> {
  const rows: unknown[] = [];
  let before: SessionsRequest["before"] = null;
  for (let page = 0; page < pagesMax; page++) {
    const { sessions, next_cursor: next }: Sessions = await engine.read(sessionsRead, {
      projectId,
      days,
      userId: filter.user_id ?? null,
      sessionId: filter.session_id ?? null,
      isBounce: filter.is_bounce ?? null,
      ...(filters && { filters }),
      limit,
      before,
      question: {},
      showsReplays: false,
    });
    rows.push(...sessions);
    if (next === null) break;
    before = startIn(next);
  }
  return rows;
}

const siteName = "site";

/** Returns the journey without what the model cannot know: ids, and the project's name and id. */
async function journeyOf(
  { days, userId, limit }: Extract<Question, { ask: "journey" }>,
  engine: Answering,
  id: string,
): Promise<unknown> {
  const project = { id, name: siteName };
  const input = { project, days, person: personOf(userId), event: null, limit };
  const { events, profiles, ...rest } = await engine.read(journeyRead, input);
  return {
    ...rest,
    events: events.map(({ id: _, project_id: _project, ...row }) => row),
    profiles: profiles.map(({ user_id, first_seen, last_seen }) => ({
      user_id,
      first_seen,
      last_seen,
    })),
  };
}

const is = (field: "event" | "session_id" | "user_id", value: string): Condition => ({
  field,
  op: "eq",
  value,
});
