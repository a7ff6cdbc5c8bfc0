import { computed, signal } from "@preact/signals";
import { addressAt, leaveFor, pathHere } from "../lib/server-path";
import { isOver, shared } from "../state/share";
import { type ApiRequest, addressOf } from "./request";

/** The cost of a request, for readers who look. */
export interface Cost {
  readonly ms: number;
  readonly storeMs: number | null;
  readonly bytes: number;
}

export interface Answered<Answer> {
  readonly answer: Answer;
  /** The answer as it came. */
  readonly text: string;
  readonly cost: Cost;
  /** The version of the project's data that was read; null where the operation names none. */
  readonly version: number | null;
}

export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Other fields of the server's answer, by their names. */
    readonly more: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** The account in which this browser acts: an address named it last. Null is the one that the server chooses. */
const actingKey = "sightline:account";
export const actingAccount = (): string | null => localStorage.getItem(actingKey);
export function actIn(id: string | null): void {
  if (id === null) localStorage.removeItem(actingKey);
  else localStorage.setItem(actingKey, id);
}

/** The credential of the demo or of a share, for a visitor without an account. It lives as long as this page. */
export const guestToken = signal("");
export const isGuest = computed(() => guestToken.value !== "");
const requestCount = signal(0);
/** The last request found no server, or a proxy that found none. */
export const isOffline = signal(false);

/** `signal` gives it up: the server, which sees the connection end, then stops working on it. */
export async function call<Answer>(
  request: ApiRequest,
  signal: AbortSignal | null = null,
): Promise<Answered<Answer>> {
  const started = performance.now();
  const headers: Record<string, string> = {};
  const acting = actingAccount();
  if (isGuest.value) headers.authorization = `Bearer ${guestToken.value}`;
  else if (acting !== null) headers["x-account"] = acting;
  const { method } = request;
  const init: RequestInit = { method, credentials: "same-origin", headers, signal };
  if (request.body !== undefined) init.body = JSON.stringify(request.body);
  if (request.bytes !== undefined) init.body = request.bytes;
  requestCount.value++;
  const sentAfter = logInCount;
  const response = await fetch(addressAt(addressOf(request)), init).catch(() => null);
  // A cancelled request says nothing about the connection.
  if (signal?.aborted !== true) isOffline.value = isUnreachable(response);
  if (response === null)
    throw new Refusal(
      0,
      "UNREACHABLE",
      "Cannot reach the server. Check your connection and that the server is running.",
    );
  const text = await response.text();
  const cost = { ms: performance.now() - started, storeMs: storeOf(response), bytes: text.length };
  if (!response.ok) {
    const refusal = refusalOf(response, text);
    if (refusal.code === "AUTH_REQUIRED" && !isGuest.value && !isLoggingOut) {
      // A request that was on its way while the person logged in was refused for the session before.
      if (sentAfter === logInCount) await sessionAgain();
      return call(request, signal);
    }
    if (refusal.code === "CONFIRM_REQUIRED" && !isGuest.value) {
      await confirmation();
      return call(request, signal);
    }
    if (response.status === 401 && shared !== null) endShare(refusal.code);
    throw refusal;
  }
  return { answer: parsed<Answer>(text), text, cost, version: versionOf(response) };
}

const isUnreachable = (response: Response | null): boolean =>
  response === null || response.status === 502 || response.status === 504;

/** The refusal in an answer. */
export function refusalOf({ status }: Response, text: string): Refusal {
  const { error = "", message, ...more } = parsed<Partial<Record<string, string>>>(text);
  const between = `A proxy in front of the server responded with status ${status}. Try again in a moment.`;
  return new Refusal(status, error, message ?? between, more);
}

let isLoggingOut = false;

/** Reads that are under way meanwhile are refused: they lead nowhere, so that the log-in does not lead back to here. */
export async function logOut(): Promise<void> {
  isLoggingOut = true;
  try {
    await call({ method: "POST", path: "/auth/logout" });
  } catch (error) {
    if (error instanceof Refusal && error.code === "AUTH_REQUIRED") return;
    isLoggingOut = false;
    throw error;
  }
}

/** The person logs in and comes back to here. */
export function leave(): Promise<never> {
  leaveFor(`/login?next=${encodeURIComponent(pathHere() + location.search)}`);
  return new Promise(() => undefined);
}

let ask: (isConfirmation: boolean) => Promise<void> = leave;
let asking: Promise<void> | null = null;
let confirming: Promise<void> | null = null;
/** The number of times that the person has logged in on this page. */
let logInCount = 0;

/** Handles a session that has ended, once a page is there that may hold what somebody wrote. */
export function whenSessionEnds(work: (isConfirmation: boolean) => Promise<void>): void {
  ask = work;
}

let isLoggedOut = false;
/** Tells whether a page may repeat a read by itself: not while it is hidden, nor after the person closed the log-in. */
export const mayPoll = (): boolean => document.visibilityState === "visible" && !isLoggedOut;

/** Requests that fail at the same time share one log-in. It rejects when the person does not log in. */
function sessionAgain(): Promise<void> {
  isLoggedOut = true;
  asking ??= ask(false)
    .then(() => {
      logInCount++;
      isLoggedOut = false;
    })
    .finally(() => {
      asking = null;
    });
  return asking;
}

/** Actions that need a fresh sign-in share one. It rejects when the person does not confirm. */
export function confirmation(): Promise<void> {
  confirming ??= ask(true).finally(() => {
    confirming = null;
  });
  return confirming;
}

/** The page asks for the password again; a share that is revoked is told as such. */
function endShare(error: string): void {
  if (error === "AUTH_REQUIRED") location.reload();
  else isOver.value = true;
}

/** An answer that is no JSON was sent by a proxy in between, and not by our API. */
function parsed<Answer>(text: string): Answer {
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse("{}");
  }
}

function versionOf({ headers }: Response): number | null {
  const sent = headers.get("x-data-version");
  return sent === null ? null : Number(sent);
}

function storeOf(response: Response): number | null {
  const found = /store;dur=([\d.]+)/.exec(response.headers.get("server-timing") ?? "");
  return found === null ? null : Number(found[1]);
}
