/*
 * Bun renders the documentation.
 * Decision: `Bun.markdown` makes HTML of the pages while the executable is built; anchors and links are ours.
 * Because: it knows CommonMark and tables, and needs no package.
 * Cost: its own anchors leave out `_`, so ours are made here, by the rule of code hosts.
 * Revisit: when a version of Bun changes it. Versions are exact, and tests hold what it writes.
 */

import { posix } from "node:path";
import { addressOf, type DocsPage, linkBetween } from "./page";

/** Makes a page of a file; `file` is its path below `src/docs`, `files` are the paths of all. */
export function renderPage(file: string, markdown: string, files: ReadonlySet<string>): DocsPage {
  const path = pathOf(file);
  const anchors = new Anchors();
  const html = Bun.markdown
    .html(markdown, { noHtmlBlocks: true, noHtmlSpans: true, autolinks: { url: true } })
    .replace(/<h([1-6])>([\s\S]*?)<\/h\1>/g, (_, level: string, inside: string) => {
      const anchor = anchors.of(textOf(inside));
      const mark = ` <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`;
      return `<h${level} id="${anchor}">${inside}${level === "1" ? "" : mark}</h${level}>`;
    })
    .replace(
      /<a href="([^"]*)"([^>]*)>([\s\S]*?)<\/a>/g,
      (whole, href: string, _, text: string) => {
        if (/^(https?:|mailto:|#)/.test(href)) return whole;
        const link = linkOf(file, href, files);
        return link === null ? text : `<a href="${link}">${text}</a>`;
      },
    )
    .replace(/<h[1-6] id="([^"]+)"[\s\S]*?(?=<h[1-6] id="|$)/g, withNames)
    .replace(/<th[^>]*><\/th>/g, "<td></td>")
    .replace(/<th\b/g, '<th scope="col"')
    .replace(/<table>[\s\S]*?<\/table>/g, (table) => `<div class="wide">${table}</div>`)
    .replace(/<pre>[\s\S]*?<\/pre>|\n/g, (block) =>
      block === "\n" ? " " : `<div class="code">${block}</div>`,
    );
  return { file, path, title: titleOf(html), markdown, html };
}

/** Names what the first cell of a row defines: `sessions.is_bounce` is an anchor in the section `sessions`. */
function withNames(section: string, anchor: string): string {
  const known = new Set<string>();
  return section.replace(/<tr><td>[\s\S]*?<\/td>/g, (cell) =>
    cell.replace(/<code>([a-z][\w.]*)<\/code>/g, (whole, name: string) => {
      if (known.has(name)) return whole;
      known.add(name);
      return `<code id="${anchor}.${name}">${name}</code>`;
    }),
  );
}

/** The path of the page that a file becomes: `api/filters.md` is `api/filters`, an index is its folder. */
const pathOf = (file: string): string =>
  file.replace(/\.md$/, "").replace(/(^|\/)(index|README)$/, "");

/** The relative link to a page or an address of this server; null for a file that is no page. */
function linkOf(file: string, href: string, files: ReadonlySet<string>): string | null {
  const [target = "", fragment] = href.split("#");
  const anchor = fragment === undefined ? "" : `#${fragment}`;
  const here = addressOf(pathOf(file));
  if (target.startsWith("/")) return linkBetween(here, target.slice(1)) + anchor;
  const meant = posix.join(posix.dirname(file), target);
  return files.has(meant) ? linkBetween(here, addressOf(pathOf(meant))) + anchor : null;
}

/** Returns the names by which headings of a page are linked; a repeated heading gets a number. */
class Anchors {
  readonly #known = new Map<string, number>();

  of(heading: string): string {
    const name = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-");
    const repeats = this.#known.get(name) ?? 0;
    this.#known.set(name, repeats + 1);
    return repeats === 0 ? name : `${name}-${repeats}`;
  }
}

const titleOf = (html: string): string => textOf(/<h1[^>]*>([\s\S]*?)<\/h1>/.exec(html)?.[1] ?? "");

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/** The text of HTML that Bun wrote. */
export const textOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, "")
    .replace(/&(amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)
    .trim();
