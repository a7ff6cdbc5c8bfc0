import type { DocsPage } from "./page";
import { textOf } from "./render";

/** A section of a page as the search of browsers reads it. */
interface Section {
  readonly path: string;
  readonly title: string;
  /** Empty for what stands before the first section. */
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

/** What browsers search: the text of each section, by its heading. */
export const searchIndex = (pages: readonly DocsPage[]): readonly Section[] =>
  pages.flatMap(({ path, title, html }) =>
    html.split(/(?=<h[2-6] id=")/).map((part) => {
      const [, anchor = "", inside = ""] =
        /^<h[2-6] id="([^"]+)">([\s\S]*?)(?: <a class="anchor"|<\/h)/.exec(part) ?? [];
      const body = part.replace(/^<h[1-6][\s\S]*?<\/h[1-6]>/, "").replace(/<\/(td|th|p|li)>/g, " ");
      return {
        path,
        title,
        anchor,
        heading: textOf(inside),
        text: textOf(body).replace(/\s+/g, " "),
      };
    }),
  );
