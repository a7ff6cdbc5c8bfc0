/** A page of the documentation, as the build makes it of a file of `src/docs`. */
export interface DocsPage {
  /** The path of the file below `src/docs`: `api/filters.md`. */
  readonly file: string;
  /** The path below `/docs`, without a slash in front: `api/filters`. It is empty for the first page. */
  readonly path: string;
  /** The first heading of the file. */
  readonly title: string;
  readonly markdown: string;
  /** The body as HTML. Its links are relative to the address of the page. */
  readonly html: string;
}

/** The documentation stands here, without a slash in front: links are relative, so that a proxy may add a path. */
const root = "docs";

/** The address of a page below the origin: `docs/api/filters`. */
export const addressOf = (path: string): string => (path === "" ? root : `${root}/${path}`);

/** The same as Markdown stands where its file does, so that links between files lead somewhere. */
export const markdownAddressOf = ({ file }: DocsPage): string => `${root}/${file}`;

/** A link from the page at one address to another address of this server, whatever both stand below. */
export function linkBetween(from: string, to: string): string {
  const here = from.split("/").slice(0, -1);
  const there = to.split("/");
  let shared = 0;
  while (shared < there.length - 1 && here[shared] === there[shared]) shared++;
  return "../".repeat(here.length - shared) + there.slice(shared).join("/");
}

/** The reference of the operations, which is no page of `src/docs`. */
export const referenceAddress = "docs/api";
