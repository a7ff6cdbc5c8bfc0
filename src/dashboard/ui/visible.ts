import { Fragment, options, type VNode } from "preact";
import { visibleText } from "../../lib/visible-text";
import { shownText } from "./said";

/** A text that is read out or shown beside an element. */
const names = ["title", "aria-label", "label", "placeholder"] as const;

/**
 * Makes hidden characters visible, and the letters of encoded addresses readable, in every text of the document,
 * wherever it came from: texts and names of elements are changed while elements are made. A `bdi` has its text from
 * `Said`, which does it itself because it cuts the text. Blocks of code are copied, so addresses stay encoded there.
 */
export function showHidden(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    if (vnode.type === Fragment || (typeof vnode.type === "string" && vnode.type !== "bdi")) {
      makeVisible(vnode);
    }
    before?.(vnode);
  };
}

function makeVisible({ type, props }: VNode): void {
  const shown = type === "pre" || type === "code" ? linesOf : textOf;
  const all: Record<string, unknown> = props;
  for (const name of names) if (name in all) all[name] = textOf(all[name]);
  const { children } = all;
  if (typeof children === "string") all.children = shown(children);
  else if (Array.isArray(children)) all.children = children.map(shown);
}

const textOf = (value: unknown): unknown => (typeof value === "string" ? shownText(value) : value);

/** Line breaks of a block of code are those of our own. */
const linesOf = (value: unknown): unknown =>
  typeof value === "string" ? value.split("\n").map(visibleText).join("\n") : value;
