import type { eventWithTime, serializedNodeWithId } from "@rrweb/types";
import { isElement, type Mirror } from "./tidy";

const siblingsMax = 1_280;
const siblingsMin = 40;

/**
 * The JSON of an event. A page too large to be kept is told in part: of long lists the first members, and an empty one
 * as high as the rest. What later happens to the others is dropped by the player, which does not find them. Null: it is
 * too large even so.
 */
export function textOf(event: eventWithTime, charsMax: number, mirror: Mirror): string | null {
  let text = JSON.stringify(event);
  for (let keep = siblingsMax; text.length > charsMax && keep >= siblingsMin; keep /= 2) {
    if (event.type === 2) cut(event.data.node, keep, mirror);
    if (event.type === 3 && event.data.source === 0) {
      for (const { node } of event.data.adds) cut(node, keep, mirror);
      // Members of a list that were added one by one are not children of what was added.
      const addsMax = keep * 8;
      if (event.data.adds.length > addsMax) event.data.adds = event.data.adds.slice(-addsMax);
    }
    text = JSON.stringify(event);
  }
  return text.length > charsMax ? null : text;
}

function cut(node: serializedNodeWithId, keep: number, mirror: Mirror): void {
  if (node.type !== 0 && (node.type !== 2 || node.tagName === "style")) return;
  const { childNodes } = node;
  if (childNodes.length > keep) {
    const rest = placeholderOf(childNodes.splice(keep), mirror);
    if (rest !== null) childNodes.push(rest);
  }
  for (const child of childNodes) cut(child, keep, mirror);
}

function placeholderOf(
  gone: readonly serializedNodeWithId[],
  mirror: Mirror,
): serializedNodeWithId | null {
  const elements = gone.filter((one) => one.type === 2);
  const [first] = elements;
  const last = elements[elements.length - 1];
  if (first === undefined || last === undefined) return null;
  const [top, bottom] = [mirror.getNode(first.id), mirror.getNode(last.id)];
  const height =
    isElement(top) && isElement(bottom)
      ? bottom.getBoundingClientRect().bottom - top.getBoundingClientRect().top
      : 0;
  return {
    type: 2,
    id: first.id,
    tagName: first.tagName,
    attributes: {
      rr_height: `${Math.max(0, Math.round(height))}px`,
      "data-aa-left-out": String(gone.length),
    },
    childNodes: [],
  };
}
