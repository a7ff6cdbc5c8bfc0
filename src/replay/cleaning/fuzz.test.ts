import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { cases } from "../../../test/support/random/cases";
import { cleanEvent } from "./clean";
import { isObject, wordsOf } from "./values";

const words = fc.constantFrom(
  ...wordsOf(`
    a A IMG img SCRIPT script style LINK iframe input textarea title svg g use x-card form __proto__
    href xlink:href src value name id style class Class _cssText rr_width rr_scrollTop data-x
    data-aa-href onclick #a # https://a.test/b?c aa-x appendChild javascript:x 1px url(//e) \\75rl( rl(
    @import /* constructor
  `),
  "p{background:url(//e)}",
  "",
);
const numbers = fc.oneof(
  fc.integer({ min: -1, max: 16 }),
  fc.constantFrom(2 ** 31, 1.5, Number.NaN),
);
const flag = fc.constantFrom(true, false, "true", null);
const anything = fc.oneof(
  words,
  numbers,
  flag,
  fc.anything({ withNullPrototype: false, maxDepth: 2 }),
);
const attributes = fc.dictionary(fc.oneof(words, fc.string()), anything, { maxKeys: 8 });

/** An object with each key there or not, and now and then with a value of another kind. */
const odd = (keys: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    Object.fromEntries(
      Object.entries(keys).map(([key, value]) => [
        key,
        fc.oneof({ weight: 12, arbitrary: value }, { weight: 1, arbitrary: anything }),
      ]),
    ),
    { requiredKeys: [] },
  );
const many = (one: fc.Arbitrary<unknown>) => fc.array(one, { maxLength: 4 });

/** Words alone seldom make one that holds text. */
const style = odd({
  type: fc.constant(2),
  id: fc.constant(3),
  tagName: fc.constantFrom("style", "STYLE", "link"),
  attributes,
  childNodes: many(odd({ type: fc.constant(3), id: fc.constant(4), textContent: words })),
});
const { node } = fc.letrec((tie) => ({
  node: fc.oneof({ weight: 1, arbitrary: style }, { weight: 6, arbitrary: tie("element") }),
  element: odd({
    type: fc.integer({ min: 0, max: 6 }),
    id: numbers,
    tagName: words,
    attributes,
    textContent: words,
    childNodes: fc.oneof({ maxDepth: 4 }, fc.constant([]), many(tie("node"))),
    isSVG: flag,
    isStyle: flag,
    isShadow: flag,
    isShadowHost: flag,
    needBlock: flag,
    rootId: numbers,
    compatMode: fc.constantFrom("BackCompat", "x"),
  }),
}));
const rules = many(odd({ rule: words, index: fc.oneof(numbers, many(numbers)) }));
const data = odd({
  source: fc.integer({ min: 0, max: 16 }),
  id: numbers,
  styleId: numbers,
  type: numbers,
  x: numbers,
  y: numbers,
  text: words,
  isChecked: flag,
  node: node.map((one) => ({ ...(one as object), type: 0, id: 1 })),
  href: words,
  tag: fc.constantFrom("aa-route", "x"),
  payload: odd({ href: words }),
  width: numbers,
  texts: many(odd({ id: numbers, value: words })),
  attributes: many(odd({ id: numbers, attributes })),
  removes: many(odd({ id: numbers, parentId: numbers, index: numbers, isShadow: flag })),
  adds: fc.oneof(
    many(odd({ parentId: numbers, nextId: numbers, previousId: numbers, node })),
    rules,
  ),
  isAttachIframe: flag,
  positions: many(odd({ x: numbers, y: numbers, id: numbers, timeOffset: numbers })),
  index: numbers,
  set: odd({ property: words, value: words, priority: fc.constantFrom("important", "x") }),
  remove: odd({ property: words }),
  replace: words,
  styleIds: many(numbers),
  styles: many(odd({ styleId: numbers, rules })),
});
const event = odd({ type: fc.integer({ min: 0, max: 7 }), timestamp: fc.integer(), data });
/** Most of the events above are none that is kept; of these most are, and bring text or CSS. */
const likely = fc
  .record({
    type: fc.constantFrom(2, 3),
    source: fc.constantFrom(0, 0, 8, 13, 15),
    timestamp: fc.integer({ min: 0, max: 2 ** 40 }),
    data,
    nodes: many(node),
  })
  .map(({ type, source, timestamp, data: some, nodes }) => ({
    ...{ type, timestamp },
    data: { ...some, source, id: 1, node: { type: 0, id: 1, childNodes: nodes } },
  }));

/** Returns a value as it would arrive: with own keys of JSON, `__proto__` among them. */
const arrived = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? "null");

/** Keys whose texts are CSS, wherever they stand. */
const cssKeys = new Set(["style", "_cssText", "rule", "replace", "replaceSync"]);

/**
 * Every text of a clean event that a browser reads as CSS: by its key; by its parent, where that is a style; and where
 * the parent is not known, which is in changes of texts and in text that is added by itself.
 */
function cssIn(value: unknown, isCss = false): string[] {
  if (typeof value === "string") return isCss ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((one) => cssIn(one, isCss));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === "texts") return listIn(inner).flatMap((change) => cssIn(change.value, true));
    if (key === "adds") return listIn(inner).flatMap((add) => [...cssIn(add), ...textIn(add.node)]);
    const isOfStyle = key === "childNodes" && value.tagName === "style";
    if (isOfStyle) return listIn(inner).flatMap(textIn);
    return cssIn(inner, isCss || cssKeys.has(key));
  });
}
const listIn = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);
const textIn = (node: unknown): string[] =>
  isObject(node) && node.type === 3 ? [String(node.textContent)] : [];

/** In a title, a class or a text these are only words. */
const loads = /@import|url\(\/\//i;

describe("whatever arrives", () => {
  test("is cleaned without an exception, and once is enough", () => {
    let kept = 0;
    fc.assert(
      fc.property(event, (one) => {
        const clean = cleanEvent(arrived(one));
        if (clean === null) return;
        kept += 1;
        expect(arrived(cleanEvent(arrived(clean)))).toEqual(arrived(clean));
      }),
      { numRuns: cases(80, 500) },
    );
    expect(kept).toBeGreaterThan(cases(5, 40));
  });

  test("leaves no script, no handler and no address that loads", () => {
    let cssTexts = 0;
    fc.assert(
      fc.property(fc.oneof(event, likely), (one) => {
        const clean = JSON.stringify(cleanEvent(arrived(one)));
        expect(clean).not.toMatch(/"tagName":"(?:script|link|object)"/i);
        expect(clean).not.toMatch(/"__proto__":/);
        // A change to null takes an attribute away.
        expect(clean).not.toMatch(/"(?:on[a-z]+|srcdoc)":(?!null)/i);
        expect(clean).not.toMatch(/"(?:href|src)":"javascript:/i);
        const texts = cssIn(JSON.parse(clean));
        cssTexts += texts.length;
        expect(texts.filter((text) => loads.test(text))).toEqual([]);
      }),
      { numRuns: cases(80, 500) },
    );
    expect(cssTexts).toBeGreaterThan(cases(0, 40));
  });

  test("is searched for CSS by its key and by its parent", () => {
    const text = { type: 3, id: 2, textContent: "@import" };
    const inStyle = { type: 2, id: 1, tagName: "style", childNodes: [text] };
    const inTitle = { ...inStyle, tagName: "title" };
    const found = (data: unknown) => cssIn({ data }).filter((one) => loads.test(one));
    expect(found({ node: { childNodes: [inTitle] } })).toEqual([]);
    expect(found({ node: { childNodes: [inStyle] } })).toEqual(["@import"]);
    expect(found({ adds: [{ node: inStyle }, { node: inTitle }] })).toEqual(["@import"]);
    expect(found({ adds: [{ node: text }] })).toEqual(["@import"]);
    expect(found({ texts: [{ id: 1, value: "@import" }] })).toEqual(["@import"]);
    expect(found({ attributes: [{ attributes: { style: { fill: "url(//e)" } } }] })).toHaveLength(
      1,
    );
  });

  test("that is no event at all does no harm", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (one) => {
        cleanEvent(one);
      }),
    );
  });
});
