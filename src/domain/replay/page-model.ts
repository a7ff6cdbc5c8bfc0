import { shownText } from "./label";
import { pageNodesMax, timelineLabelCharsMax } from "./limits";
import { type Fields, fieldsOf, listOf, nodeType, numberOf, textOf } from "./recorded";

interface Node {
  readonly tag: string;
  readonly parent: number;
  children: number[];
  text: string;
  attributes: Fields;
}

export interface Described {
  readonly element: string;
  readonly label?: string;
}

const actionable = new Set(["a", "button", "summary", "option", "label"]);
const inputs = new Set(["input", "textarea", "select"]);
const inputTypes = new Set(
  (
    "button checkbox color date datetime-local email file image month number password radio range reset " +
    "search submit tel text time url week"
  ).split(" "),
);
const choices = /^(select|input\[(radio|checkbox)\])$/;
const levelsUpMax = 6;
const nodesReadMax = 200;
const textCharsMax = 240;

/** As much of the page as is needed to say what somebody clicked: tags, texts, and the attributes that label things. */
export class PageModel {
  readonly #nodes = new Map<number, Node>();
  #documentId = -1;

  /** Builds the model from a full snapshot. */
  load(root: Fields): void {
    this.#nodes.clear();
    this.#documentId = numberOf(root.id);
    this.#keep(root, -1);
  }

  /** Returns the nodes that were touched. */
  change(data: Fields): readonly number[] {
    const touched: number[] = [];
    for (const { id, parentId } of listOf(data.removes)) {
      touched.push(numberOf(parentId));
      const parent = this.#nodes.get(numberOf(parentId));
      if (parent !== undefined) parent.children = parent.children.filter((one) => one !== id);
      this.#forget(numberOf(id));
    }
    for (const { node, parentId } of listOf(data.adds)) {
      touched.push(numberOf(parentId));
      this.#keep(fieldsOf(node), numberOf(parentId));
    }
    for (const { id, value } of listOf(data.texts)) {
      touched.push(numberOf(id));
      const node = this.#nodes.get(numberOf(id));
      if (node !== undefined) node.text = textOf(value).slice(0, textCharsMax);
    }
    for (const { id, attributes } of listOf(data.attributes)) {
      touched.push(numberOf(id));
      const node = this.#nodes.get(numberOf(id));
      if (node !== undefined) {
        node.attributes = { ...node.attributes, ...labelling(fieldsOf(attributes)) };
      }
    }
    return touched;
  }

  /** Tells whether scrolling this node is scrolling the page. */
  isPage(id: number): boolean {
    return id === this.#documentId || /^(html|body)$/.test(this.#nodes.get(id)?.tag ?? "");
  }

  /** The link, button or field that was meant, if the click hit something inside of one. */
  targetOf(id: number): number {
    let at = id;
    for (let up = 0; up < levelsUpMax; up++) {
      const node = this.#nodes.get(at);
      if (node === undefined) break;
      const { role } = node.attributes;
      if (actionable.has(node.tag) || inputs.has(node.tag)) return at;
      if (role === "button" || role === "link") return at;
      at = node.parent;
    }
    return id;
  }

  /** Something that is expected to do something at once. A link may lead to a download or another tab. */
  isButton(id: number): boolean {
    const node = this.#nodes.get(id);
    return /^(button|summary)$/.test(node?.tag ?? "") || node?.attributes.role === "button";
  }

  /** Tells whether quick clicks on this node select words. */
  takesText(id: number): boolean {
    const node = this.#nodes.get(id);
    if (node === undefined) return false;
    const isTyped = node.tag === "input" && !isChoice(elementOf(node));
    return isTyped || node.tag === "textarea" || node.attributes.contenteditable === "true";
  }

  describe(id: number): Described {
    const node = this.#nodes.get(id);
    if (node === undefined) return { element: "unknown" };
    const label = shownText(this.#labelOf(id, node), timelineLabelCharsMax);
    const element = elementOf(node);
    if (label === "") return { element };
    return { element, label: /^[*\s…]+$/.test(label) ? "[masked]" : label };
  }

  #labelOf(id: number, node: Node): string {
    const own = (name: string): string => textOf(node.attributes[name]);
    const name = own("name").replace(/^aa-/, "");
    const said = inputs.has(node.tag)
      ? own("placeholder") || this.#textOfLabel(node) || name
      : this.#textIn(id);
    return own("aria-label") || said.trim() || own("alt") || own("title") || name || own("id");
  }

  #textOfLabel({ parent }: Node): string {
    return this.#nodes.get(parent)?.tag === "label" ? this.#textIn(parent) : "";
  }

  #textIn(id: number): string {
    let text = "";
    const open = [id];
    for (
      let read = 0;
      open.length > 0 && read < nodesReadMax && text.length < textCharsMax;
      read++
    ) {
      const node = this.#nodes.get(open.pop() ?? -1);
      if (node === undefined || inputs.has(node.tag) || node.tag === "style") continue;
      text += node.tag === "" ? node.text : " ";
      open.push(...node.children.toReversed());
    }
    return text;
  }

  /** A node with all below it, without calling itself: the page decides how deep it is. */
  #keep(root: Fields, parentId: number): void {
    const open: (readonly [Fields, number])[] = [[root, parentId]];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [node, parent] = next;
      if (this.#nodes.size >= pageNodesMax) return;
      const id = numberOf(node.id);
      this.#nodes.set(id, nodeOf(node, parent));
      this.#nodes.get(parent)?.children.push(id);
      if (node.tagName === "style") continue;
      for (const child of listOf(node.childNodes).toReversed()) open.push([child, id]);
    }
  }

  #forget(id: number): void {
    const open = [id];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      open.push(...(this.#nodes.get(next)?.children ?? []));
      this.#nodes.delete(next);
    }
  }
}

/** Tells whether an element's value is set by choosing it, in which case its length says nothing about typing. */
export const isChoice = (element: string): boolean => choices.test(element);

/** Names an element in words of ours, as the name of a custom element is the page's. */
function elementOf({ tag, attributes }: Node): string {
  if (tag === "input") {
    const type = textOf(attributes.type);
    return `input[${inputTypes.has(type) ? type : "text"}]`;
  }
  if (tag === "a") return "link";
  if (tag === "") return "text";
  return /^[a-z]+[1-6]?$/i.test(tag) ? tag : "element";
}

function nodeOf(node: Fields, parent: number): Node {
  const isElement = node.type === nodeType.element;
  return {
    tag: isElement ? textOf(node.tagName) : "",
    parent,
    children: [],
    text: node.type === nodeType.text ? textOf(node.textContent).slice(0, textCharsMax) : "",
    attributes: isElement ? labelling(fieldsOf(node.attributes)) : {},
  };
}

const labels = "aria-label placeholder name alt title id role type contenteditable".split(" ");

function labelling(attributes: Fields): Fields {
  const kept: Record<string, string> = {};
  for (const name of labels) {
    const value = attributes[name];
    if (typeof value === "string") kept[name] = value.slice(0, textCharsMax);
    else if (value === null) kept[name] = "";
  }
  return kept;
}
