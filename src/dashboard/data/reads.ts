import { type Signal, signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { nowMs } from "../lib/clock";
import { type Cost, call, mayPoll, Refusal } from "./api";
import { freshMs, isFresh, noteVersion } from "./freshness";
import { askJoined } from "./joined";
import { type ApiRequest, keyOf } from "./request";
import { own, shown } from "./shown";
import { giveUpUnwanted, underWay } from "./under-way";

interface Entry {
  readonly answer: Signal<unknown>;
  readonly error: Signal<Refusal | null>;
  readonly cost: Signal<Cost | null>;
  atMs: number;
  /** The header X-Data-Version of the answer. */
  version: number | null;
  running: Promise<void> | null;
}

/** Kept for as long as the page lives: going back is free. A hundred answers are some 500 kB. */
const entriesMax = 200;
const entries = new Map<string, Entry>();

function entryOf(key: string): Entry {
  const known = entries.get(key);
  if (known !== undefined) {
    // The newest used are last.
    entries.delete(key);
    entries.set(key, known);
    return known;
  }
  const made: Entry = {
    answer: signal(undefined),
    error: signal(null),
    cost: signal(null),
    atMs: 0,
    version: null,
    running: null,
  };
  entries.set(key, made);
  const [oldest] = entries.keys();
  if (entries.size > entriesMax && oldest !== undefined) entries.delete(oldest);
  return made;
}

export const costOf = (key: string): Cost | null => entries.get(key)?.cost.value ?? null;

/** After a change, what was read before is read again when it is shown next. */
export function forget(): void {
  for (const entry of entries.values()) entry.atMs = 0;
  for (const { request } of shown.value.values()) void prepare(request);
}

/** Fetches unless a fresh answer is there. Also for what will probably be asked for next. */
export function prepare(request: ApiRequest, goodForMs = freshMs): Promise<void> {
  const entry = entryOf(keyOf(request));
  if (entry.running !== null) return entry.running;
  if (entry.error.value === null && isFresh(request, entry, nowMs(), goodForMs)) {
    return Promise.resolve();
  }
  const running = ask(request)
    .then(
      ({ answer, cost, version }) => {
        entry.answer.value = answer;
        entry.error.value = null;
        entry.cost.value = cost;
        entry.atMs = nowMs();
        entry.version = version;
        noteVersion(request, version);
      },
      (error: unknown) => {
        if (entry.running !== running) return; // it was given up
        entry.error.value = error instanceof Refusal ? error : new Refusal(0, "", String(error));
      },
    )
    .finally(() => {
      if (entry.running === running) entry.running = null;
    });
  entry.running = running;
  return running;
}

/** Questions that go together leave at the next pause, as the others do, and before: they are seen first. */
const ask = (request: ApiRequest) =>
  request.isJoined === true
    ? askJoined(request)
    : Promise.resolve().then(() =>
        underWay([keyOf(request)], (signal) => call<unknown>(request, signal)),
      );

let isLooking = false;

/** Prepares what is shown from now on: what is under way for nobody any more makes way. */
function prepareShown(request: ApiRequest): void {
  if (!isLooking) queueMicrotask(makeWay);
  isLooking = true;
  void prepare(request);
}

/** Gives up unwanted requests, once all parts of the page have said what they show and before any of it is sent. */
function makeWay(): void {
  isLooking = false;
  const givenUp = giveUpUnwanted((key) => shown.value.has(key));
  for (const key of givenUp) {
    const entry = entries.get(key);
    if (entry !== undefined) entry.running = null;
    const again = shown.value.get(key);
    if (again !== undefined) void prepare(again.request);
  }
}

/** Repeats the reads that failed or are out of date, once the server answers again. */
export function catchUp(): void {
  for (const { request } of shown.value.values()) void prepare(request);
}

/** Returns the time of the oldest answer on the screen; null without answers. */
export function oldestAnswerMs(): number | null {
  const times = [...shown.value.keys()].map((key) => entries.get(key)?.atMs ?? 0);
  const known = times.filter((atMs) => atMs > 0);
  return known.length === 0 ? null : Math.min(...known);
}

/** A failure of one part of a page mostly concerns others, too. */
function retryFailed(): void {
  for (const [key, { request }] of shown.value) {
    if (entries.get(key)?.error.value) void prepare(request);
  }
}

/** Answers are kept by their requests; the caller knows the shape of the answer. */
const isAnswer = <Answer>(kept: unknown): kept is Answer => kept !== undefined;

export interface Reading<Answer> {
  /** The answer; while the next one is under way, the one before. */
  readonly data: Answer | undefined;
  readonly error: Refusal | null;
  readonly isStale: boolean;
  readonly retry: () => void;
}

/** Reads, keeps what is on the screen until the next answer is there, and tells the drawer. */
export function useRead<Answer>(title: string, request: ApiRequest | null): Reading<Answer> {
  const key = request === null ? "" : keyOf(request);
  const last = useRef<Answer | undefined>(undefined);
  useLayoutEffect(() => {
    if (request === null) return;
    const release = own([{ title, request }]);
    prepareShown(request);
    const again = () => void (mayPoll() && prepare(request));
    document.addEventListener("visibilitychange", again);
    return () => {
      document.removeEventListener("visibilitychange", again);
      release();
    };
  }, [key]);
  if (request === null)
    return { data: undefined, error: null, isStale: false, retry: () => undefined };
  const entry = entryOf(key);
  const kept = entry.answer.value;
  const answer = isAnswer<Answer>(kept) ? kept : undefined;
  if (answer !== undefined) last.current = answer;
  const error = answer === undefined ? entry.error.value : null;
  return {
    data: answer ?? (error === null ? last.current : undefined),
    error,
    isStale: answer === undefined && error === null,
    retry: retryFailed,
  };
}
