import type { Project } from "../support/server/account";
import { userAgent } from "../support/server/account";
import { Connection, ConnectionLost, requestText } from "../support/server/connection";

/** The events of one project that the server has acknowledged. Their numbers are 1, 2, 3 … */
export interface Acknowledged {
  readonly project: Project;
  events: number;
  /** The sum of their numbers: one that is missing and one that is there twice do not add up. */
  sum: number;
}

/** The sizes of requests, in turn. */
const sizes = [1, 5, 24];
const sizeMean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
const connections = 20;
const retryMs = 100;
const visitors = 50_000;
const pages = 400;

/**
 * Sends events at a steady rate, on connections that outlive the server: a request without an answer, or one that the
 * server refuses for a moment, is sent with the same bytes until it is acknowledged.
 */
export class Sender {
  readonly #acknowledged: readonly Acknowledged[];
  readonly #runs: Promise<unknown>;
  #isEnding = false;
  #resume: PromiseWithResolvers<void> | null = null;
  readonly #busy = new Set<number>();
  /** Requests that were sent more than once. */
  repeats = 0;

  constructor(url: string, projects: readonly Project[], eventsPerSecond: number) {
    this.#acknowledged = projects.map((project) => ({ project, events: 0, sum: 0 }));
    const everyMs = (1_000 * sizeMean * connections) / eventsPerSecond;
    const names = Array.from({ length: connections }, (_, name) => name);
    this.#runs = Promise.all(names.map((name) => this.#run(url, name, everyMs)));
  }

  get acknowledged(): readonly Acknowledged[] {
    return this.#acknowledged;
  }
  get events(): number {
    return this.#acknowledged.reduce((sum, { events }) => sum + events, 0);
  }

  /** Resolves when no request is under way any more. */
  async pause(): Promise<void> {
    this.#resume = Promise.withResolvers<void>();
    while (this.#busy.size > 0) await Bun.sleep(retryMs);
  }
  resume(): void {
    this.#resume?.resolve();
    this.#resume = null;
  }
  async end(): Promise<void> {
    this.#isEnding = true;
    this.resume();
    await this.#runs;
  }

  async #run(url: string, name: number, everyMs: number): Promise<void> {
    const line = new Line(url);
    await Bun.sleep((everyMs * name) / connections);
    let dueMs = performance.now();
    for (let turn = name; !this.#isEnding; turn++) {
      await this.#resume?.promise;
      if (this.#isEnding) break;
      this.#busy.add(name);
      await this.#send(line, turn);
      this.#busy.delete(name);
      // A server that was away is not sent all that it missed at once.
      dueMs = Math.max(dueMs + everyMs, performance.now() - 1_000);
      await Bun.sleep(Math.max(0, dueMs - performance.now()));
    }
    line.close();
  }

  /** Most events go to the first project. */
  async #send(line: Line, turn: number): Promise<void> {
    const of =
      this.#acknowledged[turn % 8 === 7 ? 1 + (turn % (this.#acknowledged.length - 1)) : 0];
    const size = sizes[turn % sizes.length];
    // The numbers are this request's from here on: another one takes the next.
    const first = of.events + 1;
    of.events += size;
    const numbers = Array.from({ length: size }, (_, index) => first + index);
    of.sum += numbers.reduce((sum, number) => sum + number, 0);
    const events = numbers.map(eventOf);
    const { token } = of.project;
    const path = size === 1 ? "/track" : "/track/batch";
    const body = size === 1 ? { token, ...events[0] } : { token, events };
    const request = requestText("POST", path, { "User-Agent": userAgent }, JSON.stringify(body));
    for (; !(await line.isTaken(request)); this.repeats++) await Bun.sleep(retryMs);
  }
}

/** A connection that is made again when it was lost. */
class Line {
  #connection: Connection | null = null;

  constructor(private readonly url: string) {}

  /** Resolves with whether the server has acknowledged the request. */
  async isTaken(request: string): Promise<boolean> {
    try {
      if (this.#connection?.isClosed !== false) {
        this.#connection = await Connection.open(this.url);
      }
      const { status, body } = await this.#connection.send(request);
      if (status !== 202 && status !== 503) throw new Error(`/track answered ${status}: ${body}`);
      return status === 202;
    } catch (error) {
      if (isAway(error)) return false;
      throw error;
    }
  }

  close(): void {
    this.#connection?.close();
  }
}

/** Tells whether a request failed because the server is away, as between a stop and its next start. */
export const isAway = (error: unknown): boolean =>
  error instanceof ConnectionLost ||
  (error instanceof Error && "code" in error && /^ECONN/.test(String(error.code)));

const eventOf = (number: number) => ({
  event: number % 5 === 0 ? "click" : "page_view",
  event_id: `n${number}`,
  user_id: `u${(number * 7_919) % visitors}`,
  session_id: `s${Math.floor(number / 6)}`,
  properties: {
    number,
    path: `/page/${(number * 31) % pages}`,
    plan: number % 3 === 0 ? "pro" : "free",
  },
});
