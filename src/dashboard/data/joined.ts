/*
 * A page asks for the totals of a large project first, and for goals last.
 * Decision: a page sends one request for all its numbers except those of goals, for which it sends another one after
 * the answer. For a project with more than a million events it asks for the totals first, in a request of their own.
 * Because: with 10 million events the totals take a quarter of the time of the whole page, and readers look at them
 * first.
 * Cost: one more round trip for each, and numbers of two moments. A share does not know its size: it sends one request.
 * Revisit: when answers are streamed.
 */

import type { QueryAnswer } from "./answers";
import { type Answered, call } from "./api";
import { type ApiRequest, keyOf } from "./request";
import { underWay } from "./under-way";

interface Waiting {
  readonly request: ApiRequest;
  readonly resolve: (answered: Answered<unknown>) => void;
  readonly reject: (error: unknown) => void;
}

/** A request has at most this many questions, as the API bounds it. */
const questionsMax = 20;

let waiting: Waiting[] = [];

/**
 * Asks together with everything that is asked before the script pauses: what a view shows is then of one moment of
 * the data, and comes in one answer.
 */
export function askJoined(request: ApiRequest): Promise<Answered<unknown>> {
  if (waiting.length === 0) queueMicrotask(askAll);
  return new Promise((resolve, reject) => {
    waiting.push({ request, resolve, reject });
  });
}

function askAll(): void {
  const all = waiting;
  waiting = [];
  for (const project of new Set(all.map(projectOf))) {
    for (const part of partsOf(all.filter((one) => projectOf(one) === project))) void askOnce(part);
  }
}

const projectOf = ({ request }: Waiting): unknown => request.body?.project;

/** All of them are given up together, also those that wait until the first are answered. */
async function askOnce(asking: readonly Waiting[]): Promise<void> {
  const keys = asking.map((one) => keyOf(one.request));
  try {
    await underWay(keys, async (signal) => {
      for (const part of inTurn(asking)) await askPart(part, signal);
    });
  } catch (error) {
    for (const { reject } of asking) reject(error);
  }
}

async function askPart(part: readonly Waiting[], signal: AbortSignal): Promise<void> {
  const request = joined(part.map((one) => one.request));
  const { answer, ...rest } = await call<{ results: readonly QueryAnswer[] }>(request, signal);
  for (const [i, { resolve }] of part.entries()) resolve({ answer: answer.results[i], ...rest });
}

interface WithRequest {
  readonly request: ApiRequest;
}

/**
 * What is asked after the answer to what. Not beside it: one reader would work on both, and what the first have made of
 * sessions the others use.
 */
function inTurn<One extends WithRequest>(all: readonly One[]): One[][] {
  const turnOf = ({ request: { isFirst = false, isLast = false } }: One): number =>
    isFirst ? 0 : isLast ? 2 : 1;
  return [0, 1, 2]
    .map((turn) => all.filter((one) => turnOf(one) === turn))
    .filter((part) => part.length > 0);
}

/** Groups requests as they are sent. */
export const requestsOf = <One extends WithRequest>(all: readonly One[]): One[][] =>
  partsOf(all).flatMap(inTurn);

/** The questions in parts, each of which fits into one request. */
function partsOf<One>(all: readonly One[]): One[][] {
  const parts: One[][] = [];
  for (let from = 0; from < all.length; from += questionsMax) {
    parts.push(all.slice(from, from + questionsMax));
  }
  return parts;
}

/** The request by which questions about one project are asked together. */
export function joined(requests: readonly ApiRequest[]): ApiRequest {
  const project = requests[0]?.body?.project;
  const queries = requests.map(({ body: { project: _, ...asked } = {} }) => asked);
  return { method: "POST", path: "/query", body: { project, context: false, queries } };
}
