import { clean, type Properties } from "./clean";
import { bytesOf, deliver, emptyOutbox, put } from "./delivery";
import { pageProperties } from "./environment";
import { anonymousId, isName, makeId, touchSession, userId, visitProperties } from "./identity";
import { project, token } from "./settings";
import { hold, isHeld, recall, release, remember } from "./storage";

const heldEventsMax = 1000;
const batchEventsMax = 100;
const propertiesBytesMax = 8192;
const flushMs = 5000;

interface Queued {
  readonly properties: Properties;
}

/** True while the tracker is silent: before it has begun, and after an opt-out. */
export let isOff = true;

let queue: Queued[] = [];
let identifications: object[] = [];
let added: Properties = {};
let timer: ReturnType<typeof setTimeout> | undefined;

export function track(event: unknown, own?: unknown): void {
  if (isOff || !isName(event)) return;
  touchSession();
  queue.push({
    token,
    project,
    event: String(event),
    properties: {
      ...clean({ ...pageProperties(), ...visitProperties() }),
      ...added,
      ...clean(own),
    },
    user_id: userId(),
    session_id: recall("sid"),
    timestamp: Date.now(),
    event_id: makeId(""),
  } as Queued);
  if (isHeld && queue.length > heldEventsMax) queue.shift();
  timer = timer || setTimeout(() => flush(), flushMs);
}

export const page = (name?: unknown): void => track("page_view", { page: name || document.title });

export function set(properties: unknown): void {
  Object.assign(added, clean(properties));
  for (const key in added) if (added[key] === null) delete added[key];
}

export function identify(id: unknown, traits?: { readonly email?: unknown } | null): void {
  if (!isName(id)) return;
  const isNew = recall("identified_uid") !== String(id);
  remember("identified_uid", String(id));
  if (!isNew && !traits) return;
  const cleaned = clean(traits);
  if (traits && typeof traits.email === "string") cleaned.email = traits.email.trim().toLowerCase();
  link(anonymousId(), String(id), traits && cleaned);
}

/** Tells the server that two ids are one visitor, after everything tracked under the first. */
export function link(previous: string, id: string, traits?: unknown): void {
  identifications.push({ token, project, previous_id: previous, user_id: id, traits });
  flush();
}

export function flush(isLeaving = document.visibilityState === "hidden"): void {
  clearTimeout(timer);
  timer = undefined;
  if (isHeld || isOff) return;
  const batch: Queued[] = [];
  for (const event of queue.splice(0)) {
    // The server will refuse it, and must not refuse others along with it.
    if (bytesOf(JSON.stringify(event.properties)) > propertiesBytesMax) put("/track", [event]);
    else batch.push(event);
  }
  while (batch.length) put("/track", batch.splice(0, batchEventsMax));
  for (const one of identifications.splice(0)) put("/identify", [one]);
  deliver(isLeaving);
}

/** Forgets what was not sent yet. */
function drop(): void {
  queue = [];
  identifications = [];
  emptyOutbox();
}

/** Log-out: whoever comes next on this device is somebody else. */
export function reset(): void {
  flush();
  added = {};
  for (const key of ["identified_uid", "sid", "last_activity"]) remember(key, null);
  if (!isHeld) remember("uid", makeId("anon_"));
}

export function requireConsent(): void {
  if (recall("consent") !== "granted") hold();
}

export function grantConsent(): void {
  release();
  remember("consent", "granted");
  track("$consent", { action: "granted" });
  flush();
  announce("granted");
}

export function revokeConsent(): void {
  remember("consent", null, true);
  hold();
  drop();
  announce("revoked");
}

const announce = (state: string): unknown =>
  document.dispatchEvent(new CustomEvent("aa:consent", { detail: { state } }));

export function switchOff(): void {
  isOff = true;
  drop();
}

export function switchOn(): void {
  isOff = false;
}
