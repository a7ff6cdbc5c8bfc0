import type { eventWithTime, serializedNodeWithId } from "@rrweb/types";

export interface Mirror {
  getNode(id: number): Node | null;
}

type Attributes = Record<string, unknown>;

/** What is spoken or shown although it is an attribute; below a masked element it is masked too. */
const spoken = [
  "title",
  "alt",
  "placeholder",
  "aria-label",
  "aria-description",
  "aria-placeholder",
  "aria-valuetext",
  "label",
  "summary",
];
const addressed = [
  "href",
  "src",
  "action",
  "formaction",
  "poster",
  "data",
  "xlink:href",
  "background",
  "cite",
  "ping",
  "srcset",
  "imagesrcset",
  "rr_src",
  "srcdoc",
];
/** What somebody chose, and what no player needs. */
const never = /^(?:on|nonce$|integrity$|checked$|selected$)/;
const measured = /^(?:img|video|iframe|canvas|object|embed)$/;
const fields = /^(?:input|textarea|select|option)$/;

const embeddedCharsMax = 8_192;

/** What the library's masks do not reach, done to each event before it leaves the page. Changes it in place. */
export function tidy(event: eventWithTime, mirror: Mirror, mask: string): void {
  if (event.type === 4) event.data.href = pageOf(event.data.href);
  if (event.type === 2) tidyNode(event.data.node, mirror, mask);
  if (event.type !== 3) return;
  const { data } = event;
  if (data.source === 0) {
    for (const { node } of data.adds) tidyNode(node, mirror, mask);
    for (const { id, attributes } of data.attributes) {
      tidyAttributes(
        attributes,
        id,
        mirror.getNode(id)?.nodeName.toLowerCase() ?? "",
        mirror,
        mask,
      );
    }
    for (const text of data.texts) {
      if (text.value !== null && isDesigned(mirror.getNode(text.id)))
        text.value = stars(text.value);
    }
  }
  if (data.source === 5) {
    data.text = stars(data.text);
    data.isChecked = false;
  }
}

function tidyNode(node: serializedNodeWithId, mirror: Mirror, mask: string): void {
  if (node.type === 2) tidyAttributes(node.attributes, node.id, node.tagName, mirror, mask);
  if (node.type === 3 && isDesigned(mirror.getNode(node.id))) {
    node.textContent = stars(node.textContent);
  }
  if (node.type === 0 || node.type === 2) {
    for (const child of node.childNodes) tidyNode(child, mirror, mask);
  }
}

/** A whole document can be editable, which no selector says. */
const isDesigned = (node: Node | null): boolean => node?.ownerDocument?.designMode === "on";

function tidyAttributes(
  attributes: Attributes,
  id: number,
  tag: string,
  mirror: Mirror,
  mask: string,
): void {
  for (const name in attributes) {
    if (never.test(name) || (name === "aria-checked" && tag === "input")) delete attributes[name];
  }
  tidyAddresses(attributes, tag);
  if (fields.test(tag) && tag !== "option" && typeof attributes.value === "string") {
    attributes.value = stars(attributes.value);
  }
  const node = mirror.getNode(id);
  if (!(node instanceof Object) || node.nodeType !== 1) return;
  tidyElement(attributes, node, tag, mask);
}

function tidyAddresses(attributes: Attributes, tag: string): void {
  for (const name of addressed) {
    const value = attributes[name];
    if (typeof value !== "string") continue;
    const isLink = name === "href" || name === "xlink:href";
    if (tag === "a" && name === "href") {
      // Where a link leads says something about the visit. Nothing else is ever loaded by a player.
      attributes["data-aa-href"] = pageOf(value);
      attributes.href = "#";
    } else if (!(isLink && value[0] === "#") && !(tag === "img" && isEmbedded(value))) {
      delete attributes[name];
    }
  }
}

const isEmbedded = (address: string): boolean =>
  address.slice(0, 11) === "data:image/" && address.length < embeddedCharsMax;

function tidyElement(attributes: Attributes, node: Node, tag: string, mask: string): void {
  if (!isElement(node)) return;
  if (measured.test(tag) && !("rr_width" in attributes)) {
    // The player loads no picture, so that a picture must say how large it was.
    const { width, height } = node.getBoundingClientRect();
    if (width > 0 && height > 0) {
      attributes.rr_width = `${Math.round(width)}px`;
      attributes.rr_height = `${Math.round(height)}px`;
    }
  }
  let isMasked: boolean | null = null;
  for (const name of spoken) {
    const value = attributes[name];
    if (typeof value !== "string" || value === "") continue;
    isMasked ??= node.closest(mask) !== null;
    if (isMasked) attributes[name] = stars(value);
  }
}

/** Of any window: what lies in a frame is no instance of this window's class. */
export const isElement = (node: Node | null): node is Element => node?.nodeType === 1;

const stars = (text: string): string => "*".repeat(text.length);

/** Origin and path; of an address of another kind its scheme. */
export function pageOf(address: string): string {
  try {
    const { protocol, origin, pathname } = new URL(address, location.href);
    return /^https?:$/.test(protocol) ? origin + pathname : protocol;
  } catch {
    return "";
  }
}
