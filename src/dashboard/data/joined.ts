import type { QueryAnswer } from "./answers";
import { type ApiRequest, type Cost, call, keyOf } from "./api";
import { underWay } from "./under-way";

interface Told {
  readonly answer: unknown;
  readonly cost: Cost;
}
interface Waiting {
  readonly request: ApiRequest;
  readonly tell: (told: Told) => void;
  readonly fail: (error: unknown) => void;
}

/** Of one request, as the API bounds it. */
const questionsMax = 20;

let waiting: Waiting[] = [];

/**
 * Asks together with everything that is asked before the script pauses: what a view shows is then of one moment of
 * the data, and comes in one answer.
 */
export function askJoined(request: ApiRequest): Promise<Told> {
  if (waiting.length === 0) queueMicrotask(askAll);
  return new Promise((tell, fail) => {
    waiting.push({ request, tell, fail });
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

async function askOnce(asking: readonly Waiting[]): Promise<void> {
  try {
    const request = joined(asking.map((one) => one.request));
    const keys = asking.map((one) => keyOf(one.request));
    const { answer, cost } = await underWay(keys, (signal) =>
      call<{ results: readonly QueryAnswer[] }>(request, signal),
    );
    for (const [i, { tell }] of asking.entries()) tell({ answer: answer.results[i], cost });
  } catch (error) {
    for (const { fail } of asking) fail(error);
  }
}

/** As many as go into one request. */
export function partsOf<One>(all: readonly One[]): One[][] {
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
