import { attempt } from "./attempt";
import { clean, type Properties } from "./clean";
import { deliver, emptyOutbox, put } from "./delivery";
import { machineProperties, placeProperties } from "./environment";
import { anonymousId, isId, isName, makeId, touchSession, userId } from "./identity";
import { bytesOf, write } from "./json";
import { project, token } from "./settings";
import { cut, shorten } from "./shorten";
import { hold, isHeld, recall, recallObject, remember } from "./storage";

const dayMs = 86_400_000;
const heldEventsMax = 1000;
const batchEventsMax = 100;
const propertiesBytesMax = 8192;
const flushMs = 5000;
/** Browsers take 64 KiB at a time: a burst goes out in parts, while the page is still there. */
const waitingEventsMax = 40;
const waitingBytesMax = 30_720;
/** Routers change the address first; the new title comes a moment later. */
const titleSettlesMs = 300;

export interface TrackedEvent {
  readonly properties: Properties;
  readonly [field: string]: unknown;
}

/** This is true while the tracker is silent: before it has begun, and after an opt-out. */
export let isOff = true;

let queue: TrackedEvent[] = [];
let queueBytes = 0;
let newest: TrackedEvent;
let added: Properties = {};
let timer = 0;

/** It returns undefined, so that a caller can go on with `!`. */
export const track = (event: unknown, own?: unknown): undefined => {
  if (isOff || !isName(event)) return undefined;
  touchSession();
  newest = {
    token,
    project,
    event: `${event}`,
    properties: { ...shorten(clean(automaticProperties())), ...added, ...clean(own) },
    user_id: userId(),
    session_id: recall("sid"),
    timestamp: Date.now(),
    event_id: makeId(""),
  };
  queue.push(newest);
  queueBytes += bytesOf(write(newest));
  if (isHeld && queue.length > heldEventsMax) queue.shift();
  timer = timer || setTimeout(() => attempt(flush), flushMs);
  if (queue.length >= waitingEventsMax || queueBytes >= waitingBytesMax) flush();
};

/** Tracks an event of our own making, whose texts are the page's. */
export const tell = (event: string, own: Properties): undefined => track(event, shorten(own));

/** The properties are collected in parts, so that a missing API does not cost all of them. */
const automaticProperties = (): Properties => ({
  ...attempt(placeProperties),
  ...attempt(machineProperties),
  session_count: +recall("sc"),
  // A clock that was ahead at the first visit and is right now makes no negative age.
  days_since_first_visit: Math.max(0, Math.floor((Date.now() - +recall("fv")) / dayMs)),
  ...recallObject("utm"),
  ...recallObject("ft"),
});

let view: TrackedEvent;
let viewAddress: string;
let viewTitle: unknown;

export const page = (name?: unknown): void => {
  viewAddress = location.href;
  viewTitle = titleNow();
  tell("page_view", { page: name || viewTitle });
  view = newest;
  setTimeout(() => attempt(retitle), titleSettlesMs);
};

const titleNow = (): unknown => cut("title", document.title);

/** A page view that has not gone out yet gets the title that the page has now, where it had the one of before. */
const retitle = (): void => {
  if (viewAddress !== location.href) return;
  const { properties } = view;
  const title = titleNow();
  for (const key of ["title", "page"]) if (properties[key] === viewTitle) properties[key] = title;
  viewTitle = title;
};

export const set = (properties: unknown): void => {
  Object.assign(added, clean(properties));
  for (const key in added) if (added[key] === null) delete added[key];
};

export const identify = (id: unknown, traits?: { readonly email?: unknown } | null): void => {
  if (!isId(id)) return;
  const text = `${id}`;
  const isKnown = recall("identified_uid") === text;
  remember("identified_uid", text);
  if (isKnown && !traits) return;
  const cleaned = clean(traits);
  attempt(() => {
    cleaned.email = (traits as { email: string }).email.trim().toLowerCase();
  });
  link(anonymousId(), text, traits && cleaned);
};

/** Tells the server that two ids are one visitor, after everything tracked under the first. */
export const link = (previous: string, id: string, traits?: unknown): void => {
  flush();
  put("identify", [{ token, project, previous_id: previous, user_id: id, traits }]);
  flush();
};

export const flush = (isLeaving = isHidden()): void => {
  clearTimeout(timer);
  timer = 0;
  if (isHeld || isOff) return;
  attempt(retitle);
  queueBytes = 0;
  const batch: TrackedEvent[] = [];
  for (const event of queue.splice(0)) {
    // The server will refuse it, and must not refuse others along with it.
    if (bytesOf(write(event.properties)) > propertiesBytesMax) put("track", [event]);
    else batch.push(event);
  }
  while (batch.length) put("track", batch.splice(0, batchEventsMax));
  deliver(isLeaving);
};

export const isHidden = (): boolean => document.visibilityState === "hidden";

/** Log-out: whoever comes next on this device is somebody else. */
export const reset = (): void => {
  flush();
  added = {};
  remember("identified_uid", null);
  remember("sid", null);
  if (!isHeld) remember("uid", makeId("anon_"));
};

export const requireConsent = (): void => {
  if (recall("consent") !== "granted") hold(true);
};

export const grantConsent = (): void => {
  hold(false);
  remember("consent", "granted");
  track("$consent", { action: "granted" });
  flush();
  announce("granted");
};

export const revokeConsent = (): void => {
  remember("consent", null, true);
  hold(true);
  drop();
  announce("revoked");
};

const announce = (state: string): unknown =>
  document.dispatchEvent(new CustomEvent("aa:consent", { detail: { state } }));

/** Forgets what was not sent yet. */
const drop = (): void => {
  queue = [];
  emptyOutbox();
};

export const switchOff = (): void => {
  isOff = true;
  drop();
};

export const switchOn = (): void => {
  isOff = false;
};
