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
  const folders = new Set(pages.map(({ path }) => path.split("/").slice(0, -1).join("/")));
  for (const page of inOrder(pages)) {
    const [top = "", ...below] = page.path.split("/");
    if (below.length > 1) continue;
    const isOfFolder = below.length === 1 || (top !== "" && folders.has(top));
    const title = isOfFolder ? titleOf(top) : groups.size === 1 ? null : lastTitle;
    groups.set(title, [...(groups.get(title) ?? []), page]);
  }
  const shown = [...groups].map(([title, ofGroup]) => ({ title, pages: ofGroup }));
  return shown.toSorted((a, b) => Number(a.title === lastTitle) - Number(b.title === lastTitle));
}

/** Pages that stand beside the folders and come after one. */
const lastTitle = "More";

/** `operate` is `Operate`, an abbreviation is in capitals. */
const titleOf = (folder: string): string =>
  folder.length <= 3 ? folder.toUpperCase() : folder.charAt(0).toUpperCase() + folder.slice(1);
