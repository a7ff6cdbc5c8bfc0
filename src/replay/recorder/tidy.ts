import type { eventWithTime, serializedNodeWithId } from "@rrweb/types";

export interface Mirror {
  getNode(id: number): Node | null;
}

type Attributes = Record<string, unknown>;

/** Attributes that repeat the value of a field, a slider or a meter. */
const valued = ["value", "aria-valuenow", "aria-valuetext"];
/** Attributes that are spoken or shown; below a masked element they are masked too. */
const spoken = [
  "title",
  "alt",
  "placeholder",
  "aria-label",
  "aria-description",
  "aria-placeholder",
  "aria-roledescription",
  "aria-braillelabel",
  "aria-brailleroledescription",
  "label",
  "summary",
  "datetime",
  ...valued,
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
/**
 * Attributes that say what somebody chose, and those that no player needs: `content` of a meta element may be a token.
 */
const never = /^(?:on|(?:nonce|integrity|checked|selected|content|download|itemid)$)/;
/** Addresses from which CSS loads. No player loads them, and they may tell something about the visitor. */
const loads = /url\(\s*(?:"[^"]*"|'[^']*'|[^)"']*)\s*\)|@import[^;{}]*/gi;
/** Pictures in themselves, and parts of the page. */
const loadless = /^url\(\s*["']?(?:data:|#)/i;
const measured = /^(?:img|video|iframe|canvas|object|embed)$/;
/** Elements of a page's own, whose names have a hyphen, may be fields as well. */
const fields = /^(?:input|textarea|select)$|-/;

const embeddedCharsMax = 8_192;

/** Selectors of what must not be read, and of what must not be seen at all. */
export interface Hidden {
  readonly mask: string;
  readonly block: string;
}

/**
 * What the library's masks do not reach, done to each event before it leaves the page: its masks and blocks end at
 * shadow roots and frames, and know no attributes. Changes it in place.
 */
export function tidy(event: eventWithTime, mirror: Mirror, hidden: Hidden): void {
  if (event.type === 4) event.data.href = pageOf(event.data.href);
  if (event.type === 2) tidyTree(event.data.node, mirror, hidden);
  if (event.type !== 3) return;
  const { data } = event;
  if (data.source === 0) {
    const isSeen = ({ id }: { readonly id: number }): boolean =>
      !isWithin(above(mirror.getNode(id)), hidden.block);
    data.adds = data.adds.filter(({ node }) => isSeen(node));
    data.attributes = data.attributes.filter(isSeen);
    data.texts = data.texts.filter(isSeen);
    for (const { node } of data.adds) tidyTree(node, mirror, hidden);
    for (const { id, attributes } of data.attributes) {
      const node = mirror.getNode(id);
      const isMasked = isWithin(node, hidden.mask);
      tidyAttributes(attributes, node, node?.nodeName.toLowerCase() ?? "", isMasked);
    }
    for (const text of data.texts) {
      const node = mirror.getNode(text.id);
      if (isOfStyle(node)) tidyStyles(text);
      if (text.value !== null && (isDesigned(node) || isReadable(node, hidden)))
        text.value = stars(text.value);
    }
  }
  // Rules, declarations and adopted style sheets.
  if (data.source === 8 || data.source === 13 || data.source === 15) tidyStyles(data);
  if (data.source === 5) {
    data.text = stars(data.text);
    data.isChecked = false;
  }
}

const isOfStyle = (node: Node | null): boolean => /^style$/i.test(node?.parentNode?.nodeName ?? "");

const isReadable = (node: Node | null, { mask }: Hidden): boolean =>
  !/^(?:style|script)$/i.test(node?.parentNode?.nodeName ?? "") && isWithin(node, mask);

const tidyTree = (node: serializedNodeWithId, mirror: Mirror, hidden: Hidden): void =>
  tidyNode(node, mirror, hidden, isWithin(mirror.getNode(node.id), hidden.mask), "");

function tidyNode(
  node: serializedNodeWithId,
  mirror: Mirror,
  hidden: Hidden,
  isBelowMask: boolean,
  parentTag: string,
): void {
  const own = mirror.getNode(node.id);
  const isMasked = isBelowMask || matches(own, hidden.mask);
  if (node.type === 2) tidyAttributes(node.attributes, own, node.tagName, isMasked);
  const isText = isMasked && parentTag !== "style" && parentTag !== "script";
  if (node.type === 3 && (isText || isDesigned(own))) {
    node.textContent = stars(node.textContent);
  }
  if (parentTag === "style") tidyStyles(node);
  if (node.type === 0 || node.type === 2) {
    if (matches(own, hidden.block)) node.childNodes = [];
    const tag = node.type === 2 ? node.tagName : "";
    for (const child of node.childNodes) tidyNode(child, mirror, hidden, isMasked, tag);
  }
}

const matches = (node: Node | null, selector: string): boolean =>
  isElement(node) && node.matches(selector);

const isShadowRoot = (node: Node): node is ShadowRoot => "host" in node && node.nodeType === 11;
const isDocument = (node: Node): node is Document => node.nodeType === 9;

/** The parent; of a shadow root its host, of a document the frame that shows it. */
function above(node: Node | null): Node | null {
  if (node === null) return null;
  if (isShadowRoot(node)) return node.host;
  if (isDocument(node)) return node.defaultView?.frameElement ?? null;
  return node.parentNode;
}

/** Tells whether a node is an element of the selector or below one, also where shadow roots and frames lie between. */
function isWithin(node: Node | null, selector: string): boolean {
  for (let at = node; at !== null; at = above(at)) if (matches(at, selector)) return true;
  return false;
}

/** A whole document can be editable, which no selector says. */
const isDesigned = (node: Node | null): boolean => node?.ownerDocument?.designMode === "on";

function tidyAttributes(
  attributes: Attributes,
  node: Node | null,
  tag: string,
  isMasked: boolean,
): void {
  for (const name in attributes) {
    if (never.test(name) || (name === "aria-checked" && tag === "input")) delete attributes[name];
  }
  tidyAddresses(attributes, tag);
  for (const name of ["style", "_cssText"]) {
    const value = attributes[name];
    if (typeof value === "string") attributes[name] = unloaded(value);
    else tidyStyles(value);
  }
  if (fields.test(tag)) hide(attributes, valued);
  if (isElement(node)) tidyElement(attributes, node, tag, isMasked);
}

function tidyAddresses(attributes: Attributes, tag: string): void {
  for (const name of addressed) {
    const value = attributes[name];
    if (typeof value !== "string") continue;
    const isLink = name === "href" || name === "xlink:href";
    if (tag === "a" && name === "href") {
      // The address of a link says something about the visit. Nothing else is ever loaded by a player.
      attributes["data-aa-href"] = pageOf(value);
      attributes.href = "#";
    } else if (!(isLink && value[0] === "#") && !(tag === "img" && isEmbedded(value))) {
      delete attributes[name];
    }
  }
}

/** All CSS in an object, however deep it lies. */
function tidyStyles(styles: unknown): void {
  if (!isHolder(styles)) return;
  for (const name in styles) {
    const value = styles[name];
    if (typeof value === "string") styles[name] = unloaded(value);
    else tidyStyles(value);
  }
}
const isHolder = (value: unknown): value is Attributes =>
  typeof value === "object" && value !== null;

const unloaded = (css: string): string =>
  css.replace(loads, (load) =>
    loadless.test(load) ? load : load[0] === "@" ? "@import" : "url()",
  );

const isEmbedded = (address: string): boolean =>
  address.slice(0, 11) === "data:image/" && address.length < embeddedCharsMax;

function tidyElement(attributes: Attributes, node: Element, tag: string, isMasked: boolean): void {
  if (measured.test(tag) && !("rr_width" in attributes)) {
    // The player loads no picture, so that a picture must say how large it was.
    const { width, height } = node.getBoundingClientRect();
    if (width > 0 && height > 0) {
      attributes.rr_width = `${Math.round(width)}px`;
      attributes.rr_height = `${Math.round(height)}px`;
    }
  }
  if (isMasked) hide(attributes, spoken);
}

function hide(attributes: Attributes, names: readonly string[]): void {
  for (const name of names) {
    const value = attributes[name];
    if (typeof value === "string") attributes[name] = stars(value);
  }
}

/** Tells whether a node is an element of any window: one in a frame is no instance of this window's class. */
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
