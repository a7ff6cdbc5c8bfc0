import { attributesOf } from "./attributes";
import { cssPart } from "./css";
import { tagOf } from "./tags";
import { isId, isObject, type Json, listOf, textOf } from "./values";

const depthMax = 512;
const tagCharsMax = 100;

/** Types of nodes in a recording; 4, a CDATA section, becomes a comment. */
const node = { document: 0, doctype: 1, element: 2, text: 3, cdata: 4, comment: 5 } as const;

export const isDocument = (clean: Json): boolean => clean.type === node.document;
export const isText = (clean: Json): boolean => clean.type === node.text;

/**
 * Returns the cleaned node; null when it is not kept. A document is only kept at the top of a snapshot, or of what is
 * put into an iframe.
 */
export function nodeOf(value: unknown, depth = 0): Json | null {
  if (!isObject(value) || depth > depthMax || !isId(value.id)) return null;
  const { id } = value;
  let clean: Json;
  switch (value.type) {
    case node.document:
      if (depth > 0) return null;
      clean = { type: node.document, id, childNodes: childrenOf(value, depth) };
      if (value.compatMode === "BackCompat") clean.compatMode = "BackCompat";
      break;
    case node.doctype:
      clean = { type: node.doctype, id, name: "html", publicId: "", systemId: "" };
      break;
    case node.element:
      clean = elementOf(value, id, depth);
      break;
    case node.text:
      clean = { type: node.text, id, textContent: textOf(value.textContent) };
      break;
    case node.cdata:
    case node.comment:
      clean = { type: node.comment, id, textContent: "" };
      break;
    default:
      return null;
  }
  if (isId(value.rootId)) clean.rootId = value.rootId;
  if (value.isShadow === true && value.type !== node.document) clean.isShadow = true;
  return clean;
}

function elementOf(value: Json, id: number, depth: number): Json {
  const isSvg = value.isSVG === true;
  const tagName = tagOf(textOf(value.tagName, tagCharsMax), isSvg);
  const clean: Json = {
    type: node.element,
    id,
    tagName,
    attributes: attributesOf(value.attributes, tagName),
    childNodes: contentOf(value, tagName, isSvg, depth),
  };
  if (isSvg) clean.isSVG = true;
  if (value.isShadowHost === true) clean.isShadowHost = true;
  if (value.needBlock === true) clean.needBlock = true;
  return clean;
}

function contentOf(value: Json, tag: string, isSvg: boolean, depth: number): Json[] {
  if (tag === "style") return listOf(value.childNodes).flatMap(styleText);
  // The content of an iframe comes as an event of its own.
  if (tag === "iframe") return [];
  const children = childrenOf(value, depth);
  return tag === "title" && !isSvg ? children.filter(isText) : children;
}

function childrenOf(value: Json, depth: number): Json[] {
  const clean: Json[] = [];
  for (const child of listOf(value.childNodes)) {
    const kept = nodeOf(child, depth + 1);
    if (kept !== null) clean.push(kept);
  }
  return clean;
}

/** A style holds CSS alone, whatever its text nodes say of themselves. */
function styleText(value: unknown): Json[] {
  if (!isObject(value) || value.type !== node.text || !isId(value.id)) return [];
  const clean: Json = {
    type: node.text,
    id: value.id,
    textContent: cssPart(value.textContent),
    isStyle: true,
  };
  if (isId(value.rootId)) clean.rootId = value.rootId;
  return [clean];
}
