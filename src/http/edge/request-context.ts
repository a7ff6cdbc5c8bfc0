/*
 * Ingestion requests are not logged one by one.
 * Decision: of ingestion, probes and the tracker script only failures make a log line; `/metrics` counts them all.
 * Because: a line costs as much as the request.
 * Cost: one event's way cannot be followed in the log.
 * Revisit: with a sampled log, if somebody needs it.
 */

import type { Caller } from "../../domain/caller";
import { invalidField } from "../../domain/errors";
import { clock } from "../../lib/clock";
import { log } from "../../lib/log";
import { wireJson } from "../../lib/wire-json";
import { damageIn, StorageDamaged } from "../../store/damage";
import type { Deps } from "../deps";
import type { AccessRule, ShareRule } from "../operation/facts";
import { underSentNames } from "../operation/spellings";
import { htmlWithBasePath, withBasePath } from "./base-path";
import { challengeOf } from "./challenge";
import { type Coding, codingFor, compressAnswer, uncompressedBytesMax } from "./content-coding";
import { errorAnswer } from "./errors";
import { rateHeaders, requestIdOf } from "./headers";
import { answerBody } from "./large-answer";
import type { RouteMetrics } from "./metrics";
import { type Allowance, RateLimited } from "./rates";
import { replyOf } from "./reply";
import { Upgrade } from "./socket";

type Fields = Readonly<Record<string, string>>;
const noFields: Fields = {};
const noNames: ReadonlyMap<string, string> = new Map();
type Init = Pick<Response, "status" | "headers">;

/** The facts that are the same for all requests of a route. */
export interface Route {
  /** `GET /projects/{id}`: method and pattern, which logs and metrics hold in place of the path. */
  readonly name: string;
  readonly rule: AccessRule;
  readonly shares: ShareRule | null;
  /** The form of errors; `asked` is a page for clients that accept one, as browsers do. */
  readonly format: "json" | "html" | "asked";
  /** Status of an answer that names none. */
  readonly status: number;
  /**
   * The headers of every answer, the content type of JSON included. A Response copies them, which is cheaper than
   * making them.
   */
  readonly headers: Headers;
  readonly metrics: RouteMetrics;
  /** Off for what comes by the thousand a second; failures are logged all the same. */
  readonly isLogged: boolean;
  readonly isLenient: boolean;
  readonly isStream: boolean;
  readonly takesQuery: boolean;
}

/** One request and its answer: the place where headers, metrics and the log line are made. */
export class RequestContext {
  readonly requestId: string;
  readonly arrivedAtMs = clock.nowMs();
  readonly #startedMs = performance.now();
  /** The headers besides those of the route. */
  #headers: Fields = noFields;
  #caller: Caller | null = null;
  #isBegun = false;
  /** The names under which fields were sent, by their documented names, where the two differ. */
  sentNames: ReadonlyMap<string, string> = noNames;

  constructor(
    readonly deps: Deps,
    readonly route: Route,
    readonly request: Request,
    readonly params: Readonly<Record<string, string>>,
  ) {
    this.requestId = requestIdOf(request.headers);
  }

  /** Begins the request: a stop waits for it until `end`. */
  begin(): void {
    this.#isBegun = true;
    this.deps.server.inFlight.requests += 1;
  }
  end(): void {
    if (this.#isBegun) this.deps.server.inFlight.requests -= 1;
  }

  /** Admits the caller: from here on the answer, a refusal too, has the headers of account endpoints. */
  admit(caller: Caller): void {
    this.#caller = caller;
    if (caller.setCookie !== null) this.#headers = { "set-cookie": caller.setCookie };
  }
  spend(allowance: Allowance): void {
    this.#headers = { ...this.#headers, ...rateHeaders(allowance) };
  }

  /**
   * Answers without waiting unless it compresses, which it does not do for the small bodies that come by the thousand a
   * second.
   */
  answer(result: unknown): Response | Promise<Response> {
    if (result instanceof Upgrade) return this.#upgrade(result);
    if (result instanceof Response) {
      const own = this.#dress(result);
      const { config } = this.deps;
      if (config.basePath === "") return this.#answerOwn(own);
      return withBasePath(config, own).then((based) => this.#answerOwn(based));
    }
    const { status, json, headers } = replyOf(result, this.route.status);
    const response = { status, headers: this.route.headers };
    const isJson = headers["content-type"] === undefined;
    return this.#send(isJson ? wireJson(json) : json, response, headers);
  }

  #send(text: string, init: Init, own: Fields): Response | Promise<Response> {
    const isSmall = text.length <= uncompressedBytesMax;
    if (isSmall && Buffer.byteLength(text) <= uncompressedBytesMax) {
      return this.#finish(new Response(text, init), own);
    }
    const coding = codingFor(this.request);
    if (coding !== null) return this.#compressed(Buffer.from(text), coding, init, own);
    return this.#finish(varying(new Response(this.#body(text), init)), own);
  }

  async #compressed(plain: Uint8Array, coding: Coding, init: Init, own: Fields): Promise<Response> {
    const response = new Response(this.#body(await compressAnswer(coding, plain)), init);
    response.headers.set("content-encoding", coding);
    return this.#finish(varying(response), own);
  }

  /** A page, a text, or a file that has its codings already. A stream may have no end that fits into memory. */
  #answerOwn(response: Response): Response | Promise<Response> {
    const isText = !this.route.isStream && isCompressible(response);
    const coding = isText ? codingFor(this.request) : null;
    if (coding === null) return this.#finish(isText ? varying(response) : response, noFields);
    return this.#recoded(response, coding);
  }

  async #recoded(response: Response, coding: Coding): Promise<Response> {
    const plain = await response.bytes();
    if (plain.byteLength > uncompressedBytesMax) {
      return this.#compressed(plain, coding, response, noFields);
    }
    return this.#finish(varying(new Response(plain, response)), noFields);
  }

  #body(content: string | Uint8Array<ArrayBuffer>): ReturnType<typeof answerBody> {
    return this.request.method === "HEAD" ? content : answerBody(content, () => this.#held());
  }

  #held() {
    const { deps, request } = this;
    const network = (): string => deps.rates.networkKey(deps.server.peerOf(request).address);
    return { deps, request, holder: this.#caller?.account.id ?? network() };
  }

  /** The answer goes out with the upgrade; what is returned here is not sent. */
  #upgrade({ peer }: Upgrade): Response {
    const response = this.#headed(this.#dress(new Response(null, { status: 101 })), noFields);
    if (this.deps.server.upgrade(this.request, peer, response.headers)) {
      this.#record(response.status);
      return response;
    }
    // Its key is not of 16 bytes, for example, or its client is gone by now.
    peer.closed();
    throw invalidField("Upgrade", "The request headers are not a valid WebSocket handshake.");
  }

  refuse(thrown: unknown, own: Fields = noFields): Response | Promise<Response> {
    if (thrown instanceof RateLimited) this.spend(thrown.allowance);
    const { name: route } = this.route;
    // Threads tell of theirs: what comes here as SQLite's own error is of the file that this thread reads.
    const damage = thrown instanceof StorageDamaged ? null : damageIn(thrown);
    if (damage !== null) this.deps.control.damage.note(damage);
    const failure = { requestId: this.requestId, route, format: this.#format() };
    const error =
      damage === null ? underSentNames(thrown, this.sentNames) : new StorageDamaged(damage);
    const { status, text, headers } = errorAnswer(error, failure);
    const dressed = new Headers(this.route.headers);
    for (const [name, value] of Object.entries(headers)) dressed.set(name, value);
    const { rule } = this.route;
    const { config } = this.deps;
    const challenge = challengeOf(error, { rule, caller: this.#caller, config });
    const sent = failure.format === "json" ? wireJson(text) : htmlWithBasePath(config, text);
    return this.#send(sent, { status, headers: dressed }, { ...challenge, ...own });
  }

  #format(): "json" | "html" {
    const { format } = this.route;
    if (format !== "asked") return format;
    return this.request.headers.get("accept")?.includes("text/html") === true ? "html" : "json";
  }

  /** A page, a file or a redirect keeps its own headers and gets the route's. */
  #dress(response: Response): Response {
    for (const [name, value] of this.route.headers) {
      if (name !== "content-type" && !response.headers.has(name)) response.headers.set(name, value);
    }
    return response;
  }

  #finish(response: Response, own: Fields): Response {
    const headed = this.#headed(response, own);
    this.#record(headed.status);
    return headed;
  }

  #headed(response: Response, own: Fields): Response {
    const { headers } = response;
    headers.set("x-request-id", this.requestId);
    headers.set("x-content-type-options", "nosniff");
    for (const name in this.#headers) headers.set(name, this.#headers[name]);
    // The usage is asked for last, so that it includes this request.
    if (this.#caller !== null && this.route.rule.read) {
      const usage = this.deps.usage.headersOf(this.#caller);
      for (const name in usage) headers.set(name, usage[name]);
    }
    for (const name in own) headers.set(name, own[name]);
    return response;
  }

  #record(status: number): void {
    const { metrics, isLogged } = this.route;
    const durationMs = performance.now() - this.#startedMs;
    metrics.observe(status, durationMs / 1_000);
    if (!isLogged && status < 500) return;
    log("info", "request", {
      method: metrics.method,
      route: metrics.route,
      status,
      duration_ms: Math.round(durationMs * 10) / 10,
      request_id: this.requestId,
    });
  }
}

/**
 * Tells whether a body may be compressed: it is no stream, which would have to wait for its end, and has no coding yet.
 */
function isCompressible({ body, headers }: Response): boolean {
  if (body === null || headers.has("content-encoding") || headers.has("etag")) return false;
  return textType.test(headers.get("content-type") ?? "");
}
const textType = /^(text\/|application\/(json|javascript))/;

function varying(response: Response): Response {
  response.headers.append("vary", "accept-encoding");
  return response;
}
