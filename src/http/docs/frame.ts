import { escapeHtml } from "../../lib/escape-html";
import { groupsOf } from "./order";
import { addressOf, type DocsPage, linkBetween, markdownAddressOf, referenceAddress } from "./page";
import { textOf } from "./render";

interface Shown {
  /** The address below the origin: `docs/api/filters`. */
  readonly address: string;
  readonly title: string;
  readonly body: string;
  /** The address of the same as Markdown; null where there is none. */
  readonly markdown: string | null;
}

/** A page of the documentation with its frame: a header, the search, and the list of all pages. */
export const pageHtml = (page: DocsPage, pages: readonly DocsPage[]): string =>
  framed(
    {
      address: addressOf(page.path),
      title: page.title,
      body: page.html.replace(/(?<=<\/h1>)/, contentsOf(page)),
      markdown: markdownAddressOf(page),
    },
    pages,
  );

/** The page of an address at which there is none. `meant` are pages that were probably meant. */
export function missingPageHtml(
  address: string,
  meant: readonly DocsPage[],
  pages: readonly DocsPage[],
): string {
  const list = meant.map((page) => `<li>${linkTo(page, address)}</li>`).join("");
  const start = `<a href="${linkBetween(address, addressOf(""))}">start at the beginning</a>`;
  const body = `<h1>Page not found</h1>
${list === "" ? "" : `<p>Did you mean one of these?</p><ul>${list}</ul>`}
<p>Search for a word, choose a page from the list, or ${start}.</p>`;
  return framed({ address, title: "Page not found", body, markdown: null }, pages);
}

function framed({ address, title, body, markdown }: Shown, pages: readonly DocsPage[]): string {
  const to = (other: string): string => linkBetween(address, other);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · Sightline</title>
<link rel="icon" href="${to("app/icon.svg")}" type="image/svg+xml">
<link rel="stylesheet" href="${to("app/docs.css")}">
<script src="${to("docs/theme.js")}"></script>
<script type="module" src="${to("app/docs.js")}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="brand" href="${to("docs")}">Sightline <span>Documentation</span></a>
<search hidden data-index="${to("docs/search.json")}" data-root="${to("docs")}">
<label class="visually-hidden" for="search">Search the documentation</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" maxlength="100">
<div id="matches" hidden></div>
</search>
<nav aria-label="Sightline">
<a class="to-pages" href="#pages">All pages</a>
<a href="${to(referenceAddress)}">API reference</a>
<a href="${to("app")}">Dashboard</a>
</nav>
</header>
<div class="columns">
<main id="content">
<article>
${body}
</article>
${markdown === null ? "" : `<footer><a href="${to(markdown)}">This page as Markdown</a></footer>`}
</main>
<nav id="pages" aria-label="Pages">
${groupsOf(pages)
  .map((group) => listOf(group.title, group.pages, address))
  .join("\n")}
</nav>
</div>
</body>
</html>
`;
}

function listOf(title: string | null, pages: readonly DocsPage[], address: string): string {
  const reference = `<a href="${linkBetween(address, referenceAddress)}">All operations</a>`;
  const links = [
    ...(title === "API" ? [reference] : []),
    ...pages.map((page) => linkTo(page, address)),
  ];
  const items = links.map((link) => `<li>${link}</li>`).join("\n");
  return `${title === null ? "" : `<h2>${escapeHtml(title)}</h2>\n`}<ul>\n${items}\n</ul>`;
}

function linkTo(page: DocsPage, address: string): string {
  const own = addressOf(page.path);
  // Pages two folders deep are not listed: that of their folder stands for them.
  const isAbove = page.path.includes("/") && address.startsWith(`${own}/`);
  const current = own === address ? ' aria-current="page"' : isAbove ? ' aria-current="true"' : "";
  return `<a href="${linkBetween(address, own)}"${current}>${escapeHtml(page.title)}</a>`;
}

const sectionsMin = 4;

/** The sections of a long page, as links. */
function contentsOf({ html }: DocsPage): string {
  const sections = [...html.matchAll(/<h2 id="([^"]+)">([\s\S]*?)(?: <a class="anchor"|<\/h2>)/g)];
  if (sections.length < sectionsMin) return "";
  const items = sections.map(
    ([, anchor, text = ""]) => `<li><a href="#${anchor}">${escapeHtml(textOf(text))}</a></li>`,
  );
  return `\n<details class="contents"><summary>On this page</summary>\n<ul>${items.join("\n")}</ul></details>`;
}
