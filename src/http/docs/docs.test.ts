import { describe, expect, test } from "bun:test";
import { pageHtml } from "./frame";
import { groupsOf, inOrder } from "./order";
import type { DocsPage } from "./page";
import { renderPage } from "./render";

const files = new Set(["index.md", "api/filters.md", "api/README.md", "tracker.md"]);
const rendered = (markdown: string, file = "api/filters.md"): string =>
  renderPage(file, markdown, files).html;

describe("a page of the documentation", () => {
  test("has anchors on its headings, by the rule of code hosts; repeated ones have numbers", () => {
    const html = rendered(
      "# A `b_c` & D: (e)\n\n## Über uns?\n\n### INVALID_FIELD\n\n## Twice\n\n## Twice",
    );
    const anchors = [...html.matchAll(/<h(\d) id="([^"]+)">/g)].map(([, level, id]) => [level, id]);
    expect(anchors).toEqual([
      ["1", "a-b_c--d-e"],
      ["2", "über-uns"],
      ["3", "invalid_field"],
      ["2", "twice"],
      ["2", "twice-1"],
    ]);
    expect(html).toContain(
      '<a class="anchor" href="#twice-1" aria-label="Link to this section">#</a>',
    );
    expect(html).not.toContain('href="#a-b_c--d-e"');
  });

  test("links pages relatively, also of other folders; a file of the repository alone is no link", () => {
    const html = rendered(
      "[a](../tracker.md#b) [c](README.md) [d](../index.md) [e](/openapi.json?tag=Reads) [f](#g) " +
        "[h](https://example.com/i.md) [j](../../README.md)",
    );
    expect([...html.matchAll(/<a href="([^"]*)">/g)].map(([, link]) => link)).toEqual([
      ...["../tracker#b", "../api", "../../docs", "../../openapi.json?tag=Reads", "#g"],
      "https://example.com/i.md",
    ]);
    expect(html).toContain(" j</p>");
    expect(rendered("[a](tracker.md)", "index.md")).toContain('<a href="docs/tracker">');
  });

  test("has no HTML but that of Markdown", () => {
    const html = rendered(
      "a <b onclick=c>\n\n<script>alert(1)</script>\n\n`<i>`\n\n```html\n<p>\n```",
    );
    expect(html.match(/<\/?(b|script|i)\b/g)).toBeNull();
    expect(html).toContain(
      '<div class="code"><pre><code class="language-html">&lt;p&gt;\n</code></pre>',
    );
  });

  test("has tables that can be wider than a phone, with heads that have a scope", () => {
    const html = rendered("| a | b |\n|---|---|\n| c | d \\| e |");
    expect(html).toMatch(
      /<div class="wide"><table>[\s\S]*<th scope="col">a<\/th>[\s\S]*<\/table>\s*<\/div>/,
    );
    expect(html).toContain("<td>d | e</td>");
    const corner = rendered("| | a |\n|---|---|\n| b | c |");
    expect(corner).toContain('<tr><td></td><th scope="col">a</th></tr>');
  });

  test("breaks lines where the reader's window ends, and in code alone where the file does", () => {
    const html = rendered("# A\n\none\ntwo\n\n```sh\na\nb\n```");
    expect(html).toContain("<p>one two</p>");
    expect(html).toContain("a\nb\n</code></pre>");
    expect(html.match(/\n/g)?.length).toBe(2);
  });

  test("names what the first cells of its tables define, once in each section", () => {
    const html = rendered(
      "## A b\n\n| X | Y |\n|---|---|\n| `c_d`, `e` | `f` |\n| `c_d` | g |\n| `H I` | |\n\n## J\n\n" +
        "| X |\n|---|\n| `e` |",
    );
    const names = [...html.matchAll(/<code id="([^"]+)">/g)].map(([, name]) => name);
    expect(names).toEqual(["a-b.c_d", "a-b.e", "j.e"]);
  });

  test("lists its sections when it has several", () => {
    const page = renderPage("tracker.md", "# A\n\n## B `c`\n\n## D & e\n\n## F\n\n## G", files);
    expect(pageHtml(page, [page])).toContain('<li><a href="#d--e">D &amp; e</a></li>');
    const short = renderPage("tracker.md", "# A\n\n## B\n\n## D\n\n## F", files);
    expect(pageHtml(short, [short])).not.toContain("On this page");
  });
});

describe("the order of pages", () => {
  const page = (path: string, html = ""): DocsPage => ({
    ...{ file: `${path}.md`, path, title: path, markdown: "", html },
  });
  const first = page(
    "",
    '<a href="docs/start">a</a> <a href="docs/api/b#c">b</a> <a href="docs/api/a">a</a>',
  );
  const pages = [
    ...[
      "api/a",
      "api/b",
      "api/c",
      "definitions",
      "internals",
      "internals/deep/page",
      "internals/map",
    ].map((one) => page(one)),
    ...[first, page("start")],
  ];

  test("is that in which the first page links them; others follow by their paths", () => {
    expect(inOrder(pages).map(({ path }) => path)).toEqual([
      ...["", "start", "api/b", "api/a", "api/c", "definitions"],
      ...["internals", "internals/deep/page", "internals/map"],
    ]);
  });

  test("groups them by folder; those that stand beside folders come first, or last", () => {
    const groups = groupsOf(pages).map((group) => [
      group.title,
      group.pages.map(({ path }) => path),
    ]);
    expect(groups).toEqual([
      [null, ["", "start"]],
      ["API", ["api/b", "api/a", "api/c"]],
      ["Internals", ["internals", "internals/map"]],
      ["More", ["definitions"]],
    ]);
  });
});
