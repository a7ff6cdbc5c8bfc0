import { changeOf } from "./changes";
import { isDocument, nodeOf } from "./nodes";
import { isObject, type Json, numberOf, pageOf, screenPx } from "./values";

export interface CleanEvent {
  readonly type: number;
  readonly timestamp: number;
  readonly data: Readonly<Json>;
}

/** Types of events, as the recording library numbers them. */
export const eventType = {
  domContentLoaded: 0,
  load: 1,
  fullSnapshot: 2,
  incremental: 3,
  meta: 4,
  custom: 5,
} as const;

/** The one custom event: the page has another address without having been loaded; `payload.href` is its page. */
export const routeTag = "aa-route";

/**
 * The allow-list: what a recorded event may contain. It is rebuilt key by key, so that what is not named here does not
 * exist afterwards: no unknown node, attribute, event or key (`__proto__` among them). It runs where segments are taken
 * in, and again in the player, whose rules may be newer than those a segment was stored under.
 * Takes what JSON.parse has made, and may share parts with it. Null: the event is left out. Never throws; cleaning what
 * is clean changes nothing.
 */
export function cleanEvent(event: unknown): CleanEvent | null {
  if (!isObject(event)) return null;
  const { type, timestamp } = event;
  if (typeof timestamp !== "number" || !Number.isFinite(timestamp)) return null;
  if (type === eventType.domContentLoaded || type === eventType.load) {
    return { type, timestamp, data: {} };
  }
  if (typeof type !== "number" || !isObject(event.data)) return null;
  const data = dataOf(type, event.data);
  return data === null ? null : { type, timestamp, data };
}

function dataOf(type: number, data: Json): Json | null {
  switch (type) {
    case eventType.fullSnapshot:
      return snapshotOf(data);
    case eventType.incremental:
      return changeOf(data);
    case eventType.meta:
      return {
        href: pageOf(data.href),
        width: screenPx(data.width),
        height: screenPx(data.height),
      };
    case eventType.custom:
      return data.tag === routeTag && isObject(data.payload)
        ? { tag: routeTag, payload: { href: pageOf(data.payload.href) } }
        : null;
    default:
      return null;
  }
}

function snapshotOf(data: Json): Json | null {
  const node = nodeOf(data.node);
  if (node === null || !isDocument(node)) return null;
  const offset = isObject(data.initialOffset) ? data.initialOffset : {};
  return { node, initialOffset: { top: numberOf(offset.top), left: numberOf(offset.left) } };
}
