import type { DocsPage } from "./page";

/** Pages in the order of reading: that in which the first page links them. Others follow, by their paths. */
export function inOrder(pages: readonly DocsPage[]): readonly DocsPage[] {
  const first = pages.find(({ path }) => path === "")?.html ?? "";
  const links = [...first.matchAll(/<a href="docs\/([^"#]+)/g)].map(([, path = ""]) => path);
  const placeOf = ({ path }: DocsPage): number => {
    const place = ["", ...links].indexOf(path);
    return place === -1 ? links.length + 1 : place;
  };
  return pages.toSorted((a, b) => placeOf(a) - placeOf(b) || (a.path < b.path ? -1 : 1));
}

/** Some pages of the side bar: those of a folder, or those that stand beside the folders. */
export interface Group {
  /** Null for the pages that come before all folders. */
  readonly title: string | null;
  readonly pages: readonly DocsPage[];
}

/** The side bar. Pages that are two folders deep are linked by the page of their folder alone. */
export function groupsOf(pages: readonly DocsPage[]): readonly Group[] {
  const groups = new Map<string | null, DocsPage[]>([[null, []]]);
  for (const page of inOrder(pages)) {
    const parts = page.path.split("/");
    if (parts.length > 2) continue;
    const isFirst = parts.length === 1 && groups.size === 1;
    const title = isFirst ? null : parts.length === 1 ? "More" : titleOf(parts[0] ?? "");
    groups.set(title, [...(groups.get(title) ?? []), page]);
  }
  return [...groups].map(([title, ofGroup]) => ({ title, pages: ofGroup }));
}

/** `operate` is `Operate`, an abbreviation is in capitals. */
const titleOf = (folder: string): string =>
  folder.length <= 3 ? folder.toUpperCase() : folder.charAt(0).toUpperCase() + folder.slice(1);
