import { assert } from "../lib/assert";
import { clock } from "../lib/clock";
import { log } from "../lib/log";
import type { Caller } from "./caller";
import type { Deps } from "./deps";
import { errorResponse } from "./errors";
import { jsonType, rateHeaders, requestIdOf } from "./headers";
import type { RouteMetrics } from "./metrics";
import type { Operation } from "./operations";
import { type Allowance, RateLimited } from "./rates";
import { Reply } from "./reply";

type Headers = Readonly<Record<string, string>>;

/** What is the same for all requests of a route. */
export interface Route {
  /** `GET /projects/{id}`: method and pattern, which logs and metrics hold in place of the path. */
  readonly name: string;
  readonly operation: Operation;
  /** How errors are told. */
  readonly format: "json" | "html";
  /** Status of an answer that names none. */
  readonly status: number;
  /** On every answer. */
  readonly headers: Headers;
  readonly metrics: RouteMetrics;
  /** Off for what comes by the thousand a second; failures are logged all the same. */
  readonly isLogged: boolean;
}

/** One request and its answer: the place where headers, metrics and the log line are made. */
export class Exchange {
  readonly requestId: string;
  readonly arrivedAtMs = clock.nowMs();
  readonly #startedMs = performance.now();
  /** Besides those of the route. Null for the many requests that have none. */
  #headers: Headers | null = null;
  #caller: Caller | null = null;
  #isBegun = false;

  constructor(
    readonly deps: Deps,
    readonly route: Route,
    readonly request: Request,
    readonly params: Readonly<Record<string, string>>,
  ) {
    this.requestId = requestIdOf(request.headers);
  }

  /** From here on a stop waits for the answer. */
  begin(): void {
    this.#isBegun = true;
    this.deps.server.inFlight.requests += 1;
  }

  /** From here on the answer, also a refusal, carries what account endpoints carry. */
  admit(caller: Caller, allowance: Allowance): void {
    this.#caller = caller;
    this.#headers = {
      ...rateHeaders(allowance),
      ...(caller.setCookie === null ? {} : { "set-cookie": caller.setCookie }),
    };
  }

  answer(result: unknown): Response {
    if (result instanceof Response) return this.#finish(this.#dress(result));
    const { status, json, headers } = replyOf(result, this.route.status);
    return this.#finish(new Response(json, { status, headers: this.#allHeaders(headers) }));
  }

  refuse(thrown: unknown): Response {
    if (thrown instanceof RateLimited) this.#headers = rateHeaders(thrown.allowance);
    const { name: route, format } = this.route;
    const failure = { requestId: this.requestId, route, format };
    return this.#finish(errorResponse(thrown, failure, this.#allHeaders(null)));
  }

  #allHeaders(own: Headers | null): Record<string, string> {
    const headers: Record<string, string> = {
      ...this.route.headers,
      "content-type": jsonType,
      "x-request-id": this.requestId,
    };
    if (this.#headers !== null) Object.assign(headers, this.#headers);
    // Asked for last, so that it includes this request.
    if (this.#caller !== null && this.route.operation.read) {
      Object.assign(headers, this.deps.usage.headersOf(this.#caller));
    }
    if (own !== null) Object.assign(headers, own);
    return headers;
  }

  /** A page, a file or a redirect keeps its own headers and gets the common ones. */
  #dress(response: Response): Response {
    const { "content-type": _, ...common } = this.#allHeaders(null);
    for (const [name, value] of Object.entries(common)) {
      if (!response.headers.has(name)) response.headers.set(name, value);
    }
    return response;
  }

  #finish(response: Response): Response {
    if (this.#isBegun) this.deps.server.inFlight.requests -= 1;
    const { metrics, isLogged } = this.route;
    const durationMs = performance.now() - this.#startedMs;
    metrics.observe(response.status, durationMs / 1_000);
    if (isLogged || response.status >= 500) {
      log("info", "request", {
        method: metrics.method,
        route: metrics.route,
        status: response.status,
        duration_ms: Math.round(durationMs * 10) / 10,
        request_id: this.requestId,
      });
    }
    return response;
  }
}

function replyOf(result: unknown, status: number): Reply<unknown> {
  if (result instanceof Reply) return result;
  const json = JSON.stringify(result);
  assert(typeof json === "string", "a handler answers with something that has a JSON form");
  return new Reply(status, json);
}
