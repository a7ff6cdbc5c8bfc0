import { decodeHTML } from "entities/decode";
import { addressIn } from "../../../domain/scan-url";
import { turn } from "../../../lib/turn";
import { labelOf } from "./label";
import {
  type AttributeName,
  attributeCharsMax,
  attributeNames,
  type Page,
  type Part,
  type PartTag,
  partTags,
  type Region,
  type Script,
  scriptMarks,
} from "./page";
import { countPrices, isRecurringPrice } from "./prices";
import { regionOf } from "./region";

/** Further parts of a page say nothing new; this bounds the memory that a hostile page can take. */
const partsMax = 2_000;
const scriptsMax = 200;
/** A base as it is written: entities make it longer. An address has 2,000 characters at most. */
const baseCharsMax = 8_000;
const labelTextCharsMax = 400;
const containerTextCharsMax = 8_000;
const inlineScriptCharsMax = 64 * 1024;
/** Parts whose text is gathered at one time: nested deeper, only the outer ones gather. */
const openPartsMax = 12;
/** Regions within one another that are told apart. Ends that are waited for cost the more the deeper they are. */
const regionsMax = 32;
/**
 * HTMLRewriter compares an end tag with every element that is open, so a page of open elements and of end tags that
 * belong to none would take it minutes. It is read as far as both are fewer.
 */
const elementsMax = 10_000;
const endTagsMax = 15_000;
/** A page is read in pieces of this size or to the end of a tag; the bounds above are checked between them. */
const pieceBytes = 2 * 1024;

/** Reads a page as a browser without scripts would find it, from HTML of any quality. */
export async function readPage(url: URL, bytes: Uint8Array): Promise<Page> {
  const reading = new Reading(url);
  const rewriter = new HTMLRewriter().on("*", {
    element: (element) => reading.enter(element),
    text: ({ text }) => reading.hear(text),
  });
  const output = rewriter.transform(new Response(piecesOf(bytes, reading))).body;
  for await (const _ of output ?? []);
  return reading.page();
}

function piecesOf(bytes: Uint8Array, reading: Reading): ReadableStream<Uint8Array> {
  let at = 0;
  let endTags = 0;
  return new ReadableStream({
    async pull(controller) {
      // The rewriter reads a piece in the turn after it, so the elements are counted by then.
      await turn();
      // A tag that came in parts would be read from its beginning with each of them.
      const tagEnd = bytes.indexOf(greaterThan, at + pieceBytes);
      const piece = bytes.slice(at, tagEnd < 0 ? bytes.length : tagEnd + 1);
      endTags += countEndTags(piece);
      const isTooMuch = reading.elements > elementsMax || endTags > endTagsMax;
      if (piece.length === 0 || isTooMuch) return controller.close();
      controller.enqueue(piece);
      at += piece.length;
    },
  });
}

const lessThan = 0x3c;
const greaterThan = 0x3e;
const slash = 0x2f;
function countEndTags(piece: Uint8Array): number {
  let count = 0;
  for (let at = piece.indexOf(lessThan); at >= 0; at = piece.indexOf(lessThan, at + 1)) {
    if (piece[at + 1] === slash) count += 1;
  }
  return count;
}

interface Open {
  readonly at: number;
  readonly tag: PartTag;
  text: string;
}

type Draft = { -readonly [K in keyof Part]: Part[K] };
interface DraftScript extends Omit<Script, "target"> {
  readonly src: string;
}

class Reading {
  /** The number of elements so far. */
  elements = 0;
  readonly #url: URL;
  #base: URL;
  readonly #parts: Draft[] = [];
  readonly #scripts: DraftScript[] = [];
  #inline = "";
  #open: Open[] = [];
  #form: number | null = null;
  readonly #regions: Region[] = [];
  /** Tells whether an element is open whose text nobody sees. */
  #isMuted = false;
  /** Data, such as the state of an application, would leave no room for the snippets after it. */
  #inScript: "code" | "data" | null = null;

  constructor(url: URL) {
    this.#url = url;
    this.#base = url;
  }

  enter(element: HTMLRewriterTypes.Element): void {
    this.elements += 1;
    const tag = element.tagName;
    if (tag === "script") this.#enterScript(element);
    else if (muted.has(tag)) this.#mute(element);
    else if (tag === "base") this.#setBase(element.getAttribute("href"));
    else if (tag === "img") this.hear(` ${element.getAttribute("alt") ?? ""} `);
    else this.#enterVisible(element, tag);
  }

  #enterVisible(element: HTMLRewriterTypes.Element, tag: string): void {
    const region = regionOf(element);
    if (region !== null) this.#enterRegion(element, region);
    if (isPartTag(tag) && !this.#isMuted && !element.hasAttribute("hidden")) {
      this.#enterPart(element, tag);
    } else if (breaking.has(tag)) this.hear(" ");
  }

  hear(text: string): void {
    if (this.#inScript !== null) {
      const isKept = this.#inScript === "code" && this.#inline.length < inlineScriptCharsMax;
      if (isKept) this.#inline += text;
      return;
    }
    if (this.#isMuted) return;
    for (const open of this.#open) {
      const charsMax = containers.has(open.tag) ? containerTextCharsMax : labelTextCharsMax;
      if (open.text.length < charsMax) open.text += text.slice(0, charsMax);
    }
  }

  page(): Page {
    for (const open of this.#open) this.#finish(open);
    // The base may stand after what it is the base of. Each address is parsed once.
    for (const part of this.#parts) part.target = this.#targetOf(addressAttributeOf(part));
    return {
      url: this.#url,
      parts: this.#parts,
      scripts: this.#scripts.map(({ src, ...script }) => ({
        ...script,
        target: this.#targetOf(src),
      })),
      inlineScript: this.#inline.slice(0, inlineScriptCharsMax),
    };
  }

  #enterScript(element: HTMLRewriterTypes.Element): void {
    const read = (name: string): string | null => attributeOf(element, name);
    const type = read("type")?.toLowerCase() ?? "";
    if (this.#scripts.length < scriptsMax) {
      this.#scripts.push({
        src: read("src") ?? "",
        project: read("data-project"),
        token: read("data-token"),
        marks: scriptMarks.filter((mark) => element.hasAttribute(mark)),
      });
    }
    this.#inScript = type.includes("json") ? "data" : "code";
    element.onEndTag(() => {
      this.#inScript = null;
      this.#inline += "\n";
    });
  }

  /** Mutes an element. What is within it is muted with it, and its own end need not be waited for. */
  #mute(element: HTMLRewriterTypes.Element): void {
    if (this.#isMuted || !element.canHaveContent || element.selfClosing) return;
    this.#isMuted = true;
    element.onEndTag(() => {
      this.#isMuted = false;
    });
  }

  /** An attribute that was cut off would lead elsewhere. */
  #targetOf(address: string | undefined): URL | null {
    if (address === undefined || address.length >= attributeCharsMax) return null;
    return addressIn(address, this.#base);
  }

  #setBase(href: string | null): void {
    if (href === null || href.length > baseCharsMax || this.#base !== this.#url) return;
    this.#base = addressIn(decoded(href), this.#url) ?? this.#url;
  }

  #enterRegion(element: HTMLRewriterTypes.Element, region: Region): void {
    if (this.#regions.length >= regionsMax) return;
    if (!element.canHaveContent || element.selfClosing) return;
    this.#regions.push(region);
    element.onEndTag(() => {
      this.#regions.pop();
    });
  }

  #enterPart(element: HTMLRewriterTypes.Element, tag: PartTag): void {
    // Links do not nest, whatever the markup says; nor do buttons and forms.
    if (!containers.has(tag)) this.#closeAll(tag);
    if (blocks.has(tag)) this.hear(" ");
    if (this.#parts.length >= partsMax) return;
    const at = this.#parts.length;
    const attributes: Partial<Record<AttributeName, string>> = {};
    for (const name of attributeNames) {
      const value = attributeOf(element, name);
      if (value !== null) attributes[name] = value;
    }
    const region = this.#regions.at(-1) ?? "main";
    const form = tag === "form" ? null : this.#form;
    const known = { tag, attributes, region, form, target: null };
    this.#parts.push({ ...known, label: spokenLabel(attributes), prices: 0, isRecurring: false });
    if (empty.has(tag) || !element.canHaveContent || element.selfClosing) return;
    if (tag === "form") this.#form = at;
    const open: Open = { at, tag, text: "" };
    if (this.#open.length < openPartsMax) this.#open.push(open);
    element.onEndTag(() => this.#close(open));
  }

  #closeAll(tag: PartTag): void {
    for (const open of this.#open.filter((one) => one.tag === tag)) this.#close(open);
  }

  #close(open: Open): void {
    if (open.tag === "form" && this.#form === open.at) this.#form = null;
    if (!this.#open.includes(open)) return;
    this.#open = this.#open.filter((one) => one !== open);
    this.#finish(open);
  }

  #finish({ at, tag, text }: Open): void {
    const part = this.#parts[at];
    if (part === undefined) return;
    const plain = decoded(text);
    if (containers.has(tag)) {
      part.prices = countPrices(plain);
      part.isRecurring = isRecurringPrice(plain);
    } else part.label = labelOf(plain) || part.label;
  }
}

const muted: ReadonlySet<string> = new Set(["style", "template", "noscript", "svg", "title"]);
const containers: ReadonlySet<string> = new Set(["section", "article", "table", "form"]);
const blocks: ReadonlySet<string> = new Set(["section", "article", "table", "form", "h1", "h2"]);
const empty: ReadonlySet<string> = new Set(["input"]);
/** A reader sees a gap between the texts of two of these. */
const breaking: ReadonlySet<string> = new Set([
  "br",
  "p",
  "div",
  "li",
  "td",
  "th",
  "tr",
  "h3",
  "span",
]);

/** The attribute of a part that names an address of interest. */
const addressAttributeOf = ({ tag, attributes }: Draft): string | undefined => {
  if (tag === "a") return attributes.href;
  return tag === "iframe" ? (attributes.src ?? "") : undefined;
};

const isPartTag = (tag: string): tag is PartTag => partTags.some((one) => one === tag);

function attributeOf(element: HTMLRewriterTypes.Element, name: string): string | null {
  const written = element.getAttribute(name);
  return written === null ? null : decoded(written.slice(0, attributeCharsMax));
}

/** Returns the name of an element that has no text of its own. */
const spokenLabel = (attributes: Part["attributes"]): string =>
  labelOf(
    attributes["aria-label"] ??
      attributes.title ??
      (/^(submit|button)$/i.test(attributes.type ?? "") ? attributes.value : undefined) ??
      attributes.placeholder ??
      "",
  );

/** HTMLRewriter gives text and attributes as they are written. */
const decoded = (text: string): string => (text.includes("&") ? decodeHTML(text) : text);
