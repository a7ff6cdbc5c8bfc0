import type { EventPlace } from "../../src/domain/counting";
import { decodeCursor } from "../../src/domain/cursor";
import type { Condition } from "../../src/domain/filter";
import { groupNames, metricNames } from "../../src/domain/metric";
import { breakdownRead } from "../../src/features/breakdown/read";
import { eventsRead } from "../../src/features/events/read";
import type { Events } from "../../src/features/events/schema";
import { propertiesRead, receivedRead } from "../../src/features/properties/read";
import { queryRead } from "../../src/features/query/read";
import { statsRead } from "../../src/features/stats/read";
import * as answers from "../model/answers";
import type { Model } from "../model/model";
import type { Engine } from "./engine";
import type { Question } from "./questions";

/** What the store answers to a question. */
export function ask(question: Question, engine: Engine, projectId: string): unknown {
  const { days } = question;
  switch (question.ask) {
    case "stats":
      return engine.read(statsRead, { projectId, days, groupBy: question.groupBy });
    case "events":
      return allPages(question, engine, projectId);
    case "query":
      return engine.read(queryRead, queryInput(question, projectId));
    case "properties":
      return engine.read(propertiesRead, { projectId, days });
    case "received":
      return engine.read(receivedRead, { projectId, days, sample: question.sample });
    default: {
      const { property, event, limit } = question;
      return engine.read(breakdownRead, { projectId, days, property, event, limit });
    }
  }
}

/** What the model answers. */
export function answerOf(question: Question, model: Model): unknown {
  const { days } = question;
  switch (question.ask) {
    case "stats":
      return answers.stats(model, days, question.groupBy);
    case "events":
      return answers.events(model, days, question.filter).slice(0, pagesMax * question.limit);
    case "query":
      return answers.query(model, days, question.query);
    case "properties":
      return answers.properties(model, days);
    case "received":
      return answers.received(model, days, question.sample);
    default:
      return answers.breakdown(model, days, question);
  }
}

const pagesMax = 4;

/** The first pages as one list. Ids are checked here, as the model cannot know them. */
function allPages(
  { days, filter, limit }: Extract<Question, { ask: "events" }>,
  engine: Engine,
  projectId: string,
): unknown[] {
  const conditions: Condition[] = [];
  if (filter.event !== undefined) conditions.push(is("event", filter.event));
  if (filter.session_id !== undefined) conditions.push(is("session_id", filter.session_id));
  if (filter.user_id !== undefined) conditions.push(is("user_id", filter.user_id));
  const rows: unknown[] = [];
  const ids = new Set<string>();
  let before: EventPlace | null = null;
  for (let page = 0; page < pagesMax; page++) {
    const input = { projectId, days, conditions, limit, before, question: {} };
    const { events, count, next_cursor: next }: Events = engine.read(eventsRead, input);
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

function placeIn(cursor: string): EventPlace {
  const [timeMs, ticket] = decodeCursor(cursor, {}, ["number", "number"]).place.map(Number);
  return { timeMs, ticket };
}

const is = (field: "event" | "session_id" | "user_id", value: string): Condition => ({
  field,
  op: "eq",
  value,
});

function queryInput({ days, query }: Extract<Question, { ask: "query" }>, projectId: string) {
  const { countMode, order, limit, conditions } = query;
  const known = [...metricNames, ...groupNames];
  const metrics = query.metrics.flatMap((name) => metricNames.filter((one) => one === name));
  const groupBy = query.groupBy.flatMap((name) => groupNames.filter((one) => one === name));
  const orderBy = known.find((name) => name === query.orderBy) ?? "event_count";
  const selection = { metrics, groupBy, countMode, orderBy, order };
  return { projectId, days, selection, conditions, limit };
}
