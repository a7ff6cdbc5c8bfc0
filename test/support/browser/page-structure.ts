import type { Page } from "playwright-core";
import { eventually } from "../suite/eventually";

/** What can be said of a page without comparing pictures; each list names what is wrong. */
export interface Structure {
  /** What acts but has no name. */
  readonly nameless: readonly string[];
  readonly repeatedIds: readonly string[];
  /** The number of tables without a head. */
  readonly headlessTables: number;
  /** What is too small to be hit. */
  readonly small: readonly string[];
  /** Texts whose contrast with what they lie on is below 4.5 (WCAG 2.2, 1.4.3). */
  readonly faint: readonly string[];
  readonly headings: number;
  readonly mains: number;
  /** Style elements: the policy of the pages refuses them. */
  readonly styles: number;
  readonly overflowPx: number;
  /** Controls that are too narrow for what stands in them. */
  readonly squeezed: readonly string[];
  /** What is seen beyond the edge of the card that it is in. */
  readonly outside: readonly string[];
  /** Links and pictures that lead elsewhere; nothing that a visitor sent may become one. */
  readonly foreign: readonly string[];
  /** Texts and names with characters that nobody sees. */
  readonly hidden: readonly string[];
}

export const sound: Structure = {
  nameless: [],
  repeatedIds: [],
  headlessTables: 0,
  small: [],
  faint: [],
  headings: 1,
  mains: 1,
  styles: 0,
  overflowPx: 0,
  squeezed: [],
  outside: [],
  foreign: [],
  hidden: [],
};

export const structureOf = (page: Page): Promise<Structure> => page.evaluate(script);

const script = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const seen = (one) => one.checkVisibility({ visibilityProperty: true });
  const nameOf = (one) =>
    (one.getAttribute("aria-label") ?? one.getAttribute("title") ?? one.textContent ?? "").trim() ||
    one.labels?.[0]?.textContent?.trim() || "";
  const short = (one) => one.outerHTML.slice(0, 120);
  const ids = all("[id]").map(({ id }) => id);
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => top.map((value, i) => (i === 3 ? 1 : value * top[3] + below[i] * (1 - top[3])));
  const backOf = (one) => {
    if (one === null) return [255, 255, 255, 1];
    const color = rgba(getComputedStyle(one).backgroundColor);
    return color[3] === 1 ? color : over(color, backOf(one.parentElement));
  };
  const light = (color) => {
    const [r, g, b] = color.slice(0, 3).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const faint = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const one = node.parentElement;
    const said = node.textContent.trim();
    if (said === "" || one === null || !seen(one)) continue;
    if (one.closest(".visually-hidden, option, :disabled, title, .skip, .funnel-plot")) continue;
    const style = getComputedStyle(one);
    const back = backOf(one);
    const color = over(rgba(one instanceof SVGElement ? style.fill : style.color), back);
    const [a, b] = [light(color), light(back)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) faint.add(ratio.toFixed(2) + " " + said.slice(0, 24) + " ." + one.className);
  }
  const unseen = /[\\p{Cc}\\p{Cf}\\p{Cs}\\u034F\\u115F\\u1160\\u2028\\u2029\\u3164\\uFE00-\\uFE0E\\uFFA0]/u;
  const hidden = [];
  const told = (one, text) => {
    if (unseen.test(text)) hidden.push(one.nodeName + " " + JSON.stringify(text.slice(0, 80)));
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const one = node.parentElement;
    const isBlock = one.closest("pre, textarea, script") !== null || node.data.trim() === "";
    told(one, isBlock ? node.data.replaceAll("\\n", "") : node.data);
  }
  for (const one of all("*")) {
    for (const name of ["title", "aria-label", "placeholder", "label"]) told(one, one.getAttribute(name) ?? "");
  }
  const isCut = (one, card) => {
    for (let at = one.parentElement; at !== card; at = at.parentElement)
      if (getComputedStyle(at).overflowX !== "visible") return true;
    return false;
  };
  const outside = all(".card").flatMap((card) => {
    const edge = card.getBoundingClientRect().right + 1;
    return [...card.querySelectorAll("*")].filter((one) => {
      const { right, width } = one.getBoundingClientRect();
      return width > 1 && right > edge && seen(one) && !(one instanceof SVGElement) && !isCut(one, card);
    }).map(short);
  });
  const stage = document.querySelector(".stage") ?? document.documentElement;
  return {
    nameless: all("a, button, input, select, textarea, [role=img]")
      .filter((one) => seen(one) && nameOf(one) === "").map(short),
    repeatedIds: ids.filter((id, i) => ids.indexOf(id) !== i),
    headlessTables: all("table").filter((one) => seen(one) && !one.querySelector("th[scope=col]")).length,
    small: all("main button, main a, main select").filter((one) => {
      const { width, height } = one.getBoundingClientRect();
      return seen(one) && getComputedStyle(one).display !== "inline" && (width < 24 || height < 20);
    }).map(short),
    faint: [...faint],
    headings: all("h1").filter(seen).length,
    mains: all("main").length,
    styles: all("style").length,
    overflowPx: Math.max(0, stage.scrollWidth - stage.clientWidth),
    squeezed: all(".tool, .small, .choice, .primary, .tabs button").filter((one) =>
      seen(one) && one.scrollWidth > one.clientWidth + 1 && !one.closest(".project-menu, .suggestions")).map(short),
    outside: outside.slice(0, 3),
    foreign: all("a[href], img, iframe, object")
      .filter((one) => new URL(one.href ?? one.src ?? "", location.href).origin !== location.origin).map(short),
    hidden,
  };
})()`;

/** Charts learn their width after the layout, and are drawn in the frame that follows. */
export const painted = `new Promise((done) => {
  const next = (frames) => (frames === 0 ? done() : requestAnimationFrame(() => next(frames - 1)));
  next(4);
})`;

/**
 * Waits until nothing is being read. A condition that Playwright itself waits for is evaluated by the page, which its
 * policy forbids; asked from outside it is not.
 */
export async function untilQuiet(page: Page): Promise<void> {
  await eventually(async () => {
    // What was just pressed is drawn first, and what that asks for is then under way.
    await page.evaluate(painted);
    if (!(await page.evaluate(isQuiet))) throw new Error(`Still busy: ${page.url()}`);
  });
}

const isQuiet = `document.querySelector("main :is(h2, .tile, .state)") !== null &&
  document.querySelector("[aria-busy=true], .waiting") === null`;
