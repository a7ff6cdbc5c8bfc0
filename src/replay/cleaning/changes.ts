import { changedAttributes, isProperty } from "./attributes";
import { css, cssPart } from "./css";
import { isDocument, isText, nodeOf } from "./nodes";
import { isId, isObject, type Json, listOf, numberOf, screenPx, stars, textOf } from "./values";

/** Sources of incremental events. Media, canvas, fonts, logs, selections and custom elements are not kept. */
const source = {
  mutation: 0,
  mouseMove: 1,
  mouseInteraction: 2,
  scroll: 3,
  viewport: 4,
  input: 5,
  touchMove: 6,
  styleRules: 8,
  drag: 12,
  styleDeclaration: 13,
  adoptedSheets: 15,
} as const;

const positionsMax = 5_000;
const positionMsMin = -60_000;
const interactionMax = 10;
const inputCharsMax = 10_000;
const sheetsMax = 200;
const rulesMax = 20_000;
const rulePathMax = 16;

/** Returns the cleaned change; null when the event is left out. */
export function changeOf(data: Json): Json | null {
  switch (data.source) {
    case source.mutation:
      return mutationOf(data);
    case source.mouseMove:
    case source.touchMove:
    case source.drag:
      return movementOf(data);
    case source.viewport:
      return { source: data.source, width: screenPx(data.width), height: screenPx(data.height) };
    case source.styleRules:
      return hasSheet(data)
        ? { source: data.source, ...sheetOf(data), ...rulesChange(data) }
        : null;
    case source.styleDeclaration:
      return hasSheet(data) ? declarationOf(data) : null;
    default:
      return isId(data.id) ? changeOfNode(data, data.id) : null;
  }
}

function changeOfNode(data: Json, id: number): Json | null {
  switch (data.source) {
    case source.mouseInteraction:
      return interactionOf(data, id);
    case source.scroll:
      return { source: data.source, id, x: numberOf(data.x), y: numberOf(data.y) };
    case source.input: {
      const text = stars(textOf(data.text, inputCharsMax));
      return { source: data.source, id, text, isChecked: false };
    }
    case source.adoptedSheets:
      return adoptedOf(data, id);
    default:
      return null;
  }
}

function mutationOf(data: Json): Json {
  const takesDocument = data.isAttachIframe === true;
  const clean: Json = {
    source: source.mutation,
    texts: kept(data.texts, textOfChange),
    attributes: kept(data.attributes, attributeChange),
    removes: kept(data.removes, removal),
    adds: kept(data.adds, (add) => addition(add, takesDocument)),
  };
  if (takesDocument) clean.isAttachIframe = true;
  return clean;
}

function kept(value: unknown, clean: (one: Json) => Json | null): Json[] {
  const list: Json[] = [];
  for (const one of listOf(value)) {
    const made = isObject(one) ? clean(one) : null;
    if (made !== null) list.push(made);
  }
  return list;
}

/** The parent is not known here: it could be a style. */
const textOfChange = ({ id, value }: Json): Json | null =>
  isId(id) ? { id, value: value === null ? null : cssPart(textOf(value)) } : null;

const attributeChange = ({ id, attributes }: Json): Json | null =>
  isId(id) && isObject(attributes) ? { id, attributes: changedAttributes(attributes) } : null;

function removal({ id, parentId, isShadow }: Json): Json | null {
  if (!isId(id) || !isId(parentId)) return null;
  return isShadow === true ? { id, parentId, isShadow } : { id, parentId };
}

function addition(add: Json, takesDocument: boolean): Json | null {
  if (!isId(add.parentId)) return null;
  const node = nodeOf(add.node);
  // Only what an iframe holds is ever added as a document.
  if (node === null || isDocument(node) !== takesDocument) return null;
  if (isText(node)) node.textContent = cssPart(node.textContent);
  const clean: Json = {
    parentId: add.parentId,
    nextId: isId(add.nextId) ? add.nextId : null,
    node,
  };
  if (add.previousId !== undefined) clean.previousId = isId(add.previousId) ? add.previousId : null;
  return clean;
}

function movementOf(data: Json): Json | null {
  const positions: Json[] = [];
  for (const one of listOf(data.positions)) {
    if (positions.length === positionsMax) break;
    if (!isObject(one)) continue;
    const timeOffset = Math.min(0, Math.max(positionMsMin, numberOf(one.timeOffset)));
    const id = isId(one.id) ? one.id : 0;
    positions.push({ x: numberOf(one.x), y: numberOf(one.y), id, timeOffset });
  }
  return positions.length === 0 ? null : { source: data.source, positions };
}

function interactionOf(data: Json, id: number): Json | null {
  const { type } = data;
  if (typeof type !== "number" || !Number.isInteger(type)) return null;
  if (type < 0 || type > interactionMax) return null;
  const clean: Json = { source: source.mouseInteraction, type, id };
  if (typeof data.x === "number") {
    clean.x = numberOf(data.x);
    clean.y = numberOf(data.y);
  }
  if (Number.isInteger(data.pointerType)) clean.pointerType = data.pointerType;
  return clean;
}

const hasSheet = (data: Json): boolean => isId(data.id) || isId(data.styleId);
const sheetOf = ({ id, styleId }: Json): Json => ({
  ...(isId(id) && { id }),
  ...(isId(styleId) && { styleId }),
});

const ruleIndexOf = (index: unknown): number | number[] =>
  Array.isArray(index) ? index.slice(0, rulePathMax).map(numberOf) : numberOf(index);

const ruleOf = ({ rule, index }: Json): Json =>
  index === undefined ? { rule: css(rule) } : { rule: css(rule), index: ruleIndexOf(index) };

const rulesOf = (value: unknown): Json[] => kept(listOf(value).slice(0, rulesMax), ruleOf);

function rulesChange(data: Json): Json {
  const clean: Json = {};
  if (Array.isArray(data.adds)) clean.adds = rulesOf(data.adds);
  if (Array.isArray(data.removes)) {
    clean.removes = kept(data.removes.slice(0, rulesMax), ({ index }) => ({
      index: ruleIndexOf(index),
    }));
  }
  if (typeof data.replace === "string") clean.replace = css(data.replace);
  if (typeof data.replaceSync === "string") clean.replaceSync = css(data.replaceSync);
  return clean;
}

function declarationOf(data: Json): Json {
  const clean: Json = {
    source: source.styleDeclaration,
    ...sheetOf(data),
    index: ruleIndexOf(data.index),
  };
  const property = propertyOf(data.set);
  if (property !== null && isObject(data.set)) {
    const { value, priority } = data.set;
    const set = { property, value: value === null ? null : css(value) };
    clean.set = priority === "important" ? { ...set, priority } : set;
  }
  const removed = propertyOf(data.remove);
  if (removed !== null) clean.remove = { property: removed };
  return clean;
}

const propertyOf = (value: unknown): string | null =>
  isObject(value) && typeof value.property === "string" && isProperty(value.property)
    ? value.property
    : null;

function adoptedOf(data: Json, id: number): Json {
  const styleIds = listOf(data.styleIds).slice(0, sheetsMax).filter(isId);
  const clean: Json = { source: source.adoptedSheets, id, styleIds };
  if (Array.isArray(data.styles)) {
    clean.styles = kept(data.styles.slice(0, sheetsMax), ({ styleId, rules }) =>
      isId(styleId) ? { styleId, rules: rulesOf(rules) } : null,
    );
  }
  return clean;
}
