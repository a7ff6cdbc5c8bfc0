import { css, cssParts } from "./css";
import { isObject, type Json, numberOf, pageOf, stars, textOf, wordsOf } from "./values";

/** The rules for keeping the value of an attribute. */
type Rule =
  | "text"
  | "css"
  | "sheet"
  | "address"
  | "page"
  | "picture"
  | "name"
  | "id"
  | "value"
  | "measure"
  | "number";

interface Kept {
  readonly name: string;
  readonly rule: Rule;
}

const attributesMax = 60;
/** This stands for an address or a picture that is not kept. */
const replacementsMax = 4;
const valueCharsMax = 100_000;
const dataCharsMax = 1_000;
const nameCharsMax = 200;

/**
 * The names are as SVG writes them; HTML takes any case. `checked` and `selected` are missing, as they tell what
 * somebody chose.
 */
const texts = `
  class title alt lang dir role tabindex hidden width height align valign bgcolor color face size border cellpadding
  cellspacing colspan rowspan span scope headers type placeholder disabled readonly required multiple rows cols wrap min
  max step maxlength minlength pattern for label open start reversed datetime media autocomplete inputmode spellcheck
  draggable contenteditable nowrap noshade clear compact high low optimum slot part exportparts theme is controls usemap
  shape coords abbr axis rules frame summary xmlns version
  d x y x1 y1 x2 y2 cx cy r rx ry fx fy fr dx dy points viewBox preserveAspectRatio transform stroke-width
  stroke-linecap stroke-linejoin stroke-dasharray stroke-dashoffset stroke-opacity stroke-miterlimit fill-opacity
  fill-rule clip-rule opacity display visibility overflow font-family font-size font-weight font-style text-anchor
  dominant-baseline alignment-baseline letter-spacing word-spacing text-decoration gradientUnits gradientTransform
  spreadMethod offset stop-color stop-opacity patternUnits patternContentUnits patternTransform clipPathUnits maskUnits
  maskContentUnits markerWidth markerHeight markerUnits refX refY orient vector-effect pointer-events shape-rendering
  text-rendering color-interpolation-filters stdDeviation in in2 result mode operator k1 k2 k3 k4 values flood-color
  flood-opacity lengthAdjust textLength startOffset`;
/** None of these takes a script; an address in them is one of CSS. */
const styles = "style fill stroke filter clip-path mask marker-start marker-mid marker-end";

const pageAttribute = "data-aa-href";

const rules: ReadonlyMap<string, Kept> = new Map(
  [
    ...of("text", texts),
    ...of("css", styles),
    ...of("sheet", "_cssText"),
    ...of("address", "href xlink:href"),
    ...of("page", pageAttribute),
    ...of("picture", "src"),
    ...of("name", "name"),
    ...of("id", "id"),
    ...of("value", "value aria-valuenow aria-valuetext"),
    ...of("measure", "rr_width rr_height"),
    ...of("number", "rr_scrollLeft rr_scrollTop"),
  ].flatMap((kept) => [
    [kept.name, kept] as const,
    ...(kept.rule === "text" ? [[kept.name.toLowerCase(), kept] as const] : []),
  ]),
);

function of(rule: Rule, list: string): Kept[] {
  return wordsOf(list).map((name) => ({ name, rule }));
}

/** Attributes of no meaning to a browser, but for styling and to whoever reads aloud. */
const descriptive = /^(?:data|aria)-[a-z0-9_.-]{1,80}$/;

function keptOf(name: string): Kept | undefined {
  const known = rules.get(name);
  if (known !== undefined) return known;
  const lower = name.toLowerCase();
  if (lower !== name) return rules.get(lower) ?? descriptiveOf(lower);
  return descriptiveOf(name);
}
const descriptiveOf = (name: string): Kept | undefined =>
  descriptive.test(name) ? { name, rule: "text" } : undefined;

/** An empty picture: one that is not loaded shall not look broken. */
const emptyPicture = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";

/** A clean object is returned as it came: nearly all are clean, and a new object costs the most. */
export function attributesOf(attributes: unknown, tag: string): Json {
  if (!isObject(attributes)) return tag === "img" ? rebuilt({}, tag) : {};
  let count = 0;
  for (const name in attributes) {
    const kept = keptOf(name);
    count += 1;
    if (kept === undefined || kept.name !== name || count > attributesMax + replacementsMax) {
      return rebuilt(attributes, tag);
    }
    const value = attributes[name];
    if (cleanValue(kept, value, tag) !== value) return rebuilt(attributes, tag);
  }
  return tag === "img" && attributes.src === undefined ? rebuilt(attributes, tag) : attributes;
}

function rebuilt(attributes: Json, tag: string): Json {
  const clean: Json = {};
  let count = 0;
  for (const name in attributes) {
    const kept = keptOf(name);
    if (kept === undefined) continue;
    if (count === attributesMax) break;
    const value = cleanValue(kept, attributes[name], tag);
    if (value !== undefined) {
      clean[kept.name] = value;
      count += 1;
    } else if (kept.rule === "address" && (tag === "a" || tag === "")) {
      const page = pageOf(attributes[name]);
      if (page !== "") clean[pageAttribute] = page;
      // The look of a link, which leads nowhere.
      if (tag === "a") clean.href = "#";
    }
  }
  if (tag === "img" && clean.src === undefined) {
    clean.src = emptyPicture;
    clean["data-aa-picture"] = "";
  }
  return clean;
}

/**
 * Cleans changed attributes, whose tag is not known. Null takes an attribute away; a changed style may come as an
 * object.
 */
export function changedAttributes(attributes: Json): Json {
  const clean: Json = {};
  let count = 0;
  for (const name in attributes) {
    if (count === attributesMax) break;
    count += 1;
    const value = attributes[name];
    if (value === null) {
      if (removable.test(name) && name !== "__proto__") clean[name] = null;
    } else if (name === "style" && isObject(value)) {
      clean.style = changedStyle(value);
    } else {
      Object.assign(clean, rebuilt({ [name]: value }, ""));
    }
  }
  return clean;
}
const removable = /^[\w:.-]{1,100}$/;

const propertiesMax = 500;
export const isProperty = (name: string): boolean =>
  /^[-\w]{1,100}$/.test(name) && name !== "__proto__";

function changedStyle(style: Json): Json {
  const clean: Json = {};
  for (const name of Object.keys(style).slice(0, propertiesMax)) {
    if (!isProperty(name)) continue;
    const value = style[name];
    if (value === false) clean[name] = false;
    else if (typeof value === "string") clean[name] = css(value);
    else if (Array.isArray(value)) {
      clean[name] = [css(value[0]), value[1] === "important" ? "important" : ""];
    }
  }
  return clean;
}

/** Returns the cleaned value; undefined when it is not kept. */
function cleanValue({ name, rule }: Kept, value: unknown, tag: string): unknown {
  if (rule === "number") return numberOf(value);
  if (typeof value === "boolean") return rule === "text" ? value : undefined;
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return undefined;
  switch (rule) {
    case "text":
      return textOf(text, name.startsWith("data-") ? dataCharsMax : valueCharsMax);
    case "css":
      return css(text);
    case "sheet":
      return tag === "style" || tag === "" ? cssParts(text) : undefined;
    case "address":
      return ownFragment.test(text) ? text : undefined;
    case "page":
      return pageOf(text);
    case "picture":
      return embeddedPicture.test(text) ? text : undefined;
    case "measure":
      return measure.test(text) ? text : undefined;
    case "name":
      return (text.startsWith("aa-") ? text : `aa-${text}`).slice(0, nameCharsMax);
    case "id":
      return idOf(text, tag);
    case "value":
      return isField(tag) ? stars(textOf(text, dataCharsMax)) : textOf(text, valueCharsMax);
  }
}

const ownFragment = /^#[\w.:-]{0,200}$/;
const embeddedPicture = /^data:image\/(?:png|gif|jpeg|webp|avif);base64,[A-Za-z0-9+/=]{0,200000}$/;
const measure = /^\d{1,5}(?:\.\d{1,20})?px$/;

/**
 * The tags of elements that a visitor enters something into. A change may be one of any tag: then it counts as one of
 * these.
 */
const fields: ReadonlySet<string> = new Set(["input", "textarea", "select", ""]);
/** Elements of a page's own, whose names have a hyphen, may be fields as well. */
const isField = (tag: string): boolean => fields.has(tag) || tag.includes("-");

/**
 * Words that the members of nodes, elements, forms and documents begin with. Inside a form, an element whose name or id
 * is one hides the member that the player calls. Ids with a dash are none of them.
 */
const members = new RegExp(
  `^(?:${wordsOf(`
    append after attach attributes base before body child class clone close closest compare
    contains content cookie create current data default dispatch doc document elements embeds first
    fonts get has head host implementation inner insert is last length links location matches
    namespace next node normalize on open outer owner parent prefix prepend previous query ready
    remove replace reset root scripts scroll set shadow style submit tag text title toggle to value
    view window write __
  `).join("|")})[A-Za-z_]*$`,
);
const hidesMembers: ReadonlySet<string> = new Set(
  "button fieldset input output select textarea img object".split(" ").concat(""),
);

function idOf(text: string, tag: string): string {
  const id = textOf(text, nameCharsMax);
  return hidesMembers.has(tag) && members.test(id) ? `aa-${id}`.slice(0, nameCharsMax) : id;
}
