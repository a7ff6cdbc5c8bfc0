import { snippetOn } from "./installation";
import { planOf } from "./plan/plan";
import { inUtf8 } from "./reading/charset";
import type { Page } from "./reading/page";
import { readPage } from "./reading/read-page";
import { allowsNothing, type Robots, robotsOf } from "./reading/robots";

/** The pages of a full scan beside the start page. */
const furtherPagesMax = 9;
/** Links that are compared with robots.txt, to find those that may be read. */
const linksComparedMax = 100;

export interface PageText {
  /** The address to which redirects led. */
  readonly address: string;
  readonly bytes: Uint8Array;
  /** The encoding that the header of the answer names. */
  readonly charset: string | null;
}

/** What is stored of a scan, as JSON. */
export interface SitePlans {
  readonly preview: string;
  readonly full: string | null;
  readonly snippet: string | null;
}

/** The functions over the texts of a site. The server asks a thread for them: every text was written by a stranger. */
export interface SiteReader {
  /** Reads a page. The first one is the start page; a page that two links lead to counts once. */
  page(text: PageText): Promise<void>;
  /** Takes the bytes of a robots.txt; null for one that could not be fetched, which allows nothing. */
  robots(bytes: Uint8Array | null): Promise<void>;
  /** The pages that the start page links to and that may be read, in the order in which they are read. */
  links(): Promise<readonly string[]>;
  mayRead(address: string): Promise<boolean>;
  plans(start: string, isFull: boolean): Promise<SitePlans>;
}

/** The pages of one site, as far as they were read. */
export class Site implements SiteReader {
  readonly pages: Page[] = [];
  #allows: Robots = allowsNothing;

  async page({ address, bytes, charset }: PageText): Promise<void> {
    const url = new URL(address);
    url.search = "";
    url.hash = "";
    const page = await readPage(url, inUtf8(bytes, charset));
    if (!this.pages.some((known) => known.url.href === url.href)) this.pages.push(page);
  }

  async robots(bytes: Uint8Array | null): Promise<void> {
    this.#allows = bytes === null ? allowsNothing : robotsOf(new TextDecoder().decode(bytes));
  }

  async links(): Promise<readonly string[]> {
    const [start] = this.pages;
    if (start === undefined) return [];
    const allowed: string[] = [];
    for (const url of linksOf(start).slice(0, linksComparedMax)) {
      if (allowed.length === furtherPagesMax) break;
      if (this.#allows(url)) allowed.push(url.href);
    }
    return allowed;
  }

  async mayRead(address: string): Promise<boolean> {
    const url = new URL(address);
    return url.origin === this.pages[0]?.url.origin && this.#allows(url);
  }

  async plans(start: string, isFull: boolean): Promise<SitePlans> {
    const url = new URL(start);
    const snippet = snippetOn(this.pages);
    return {
      preview: JSON.stringify(planOf(url, this.pages.slice(0, 1), "preview")),
      full: isFull ? JSON.stringify(planOf(url, this.pages, "full")) : null,
      snippet: snippet === null ? null : JSON.stringify(snippet),
    };
  }
}

/** Pages of the same origin, each once. A page that is linked from everywhere is as far up as its path is short. */
function linksOf({ url, parts }: Page): readonly URL[] {
  const links = new Map<string, URL>();
  for (const { tag, target } of parts) {
    if (tag !== "a" || target === null || target.origin !== url.origin) continue;
    const link = new URL(target);
    link.search = "";
    link.hash = "";
    if (link.href === url.href || isFile(link.pathname)) continue;
    links.set(link.href, links.get(link.href) ?? link);
  }
  // Sorting is stable: pages of one depth stay in document order.
  return [...links.values()].sort((a, b) => depthOf(a) - depthOf(b));
}

const depthOf = ({ pathname }: URL): number => pathname.split("/").filter(Boolean).length;

/** A name that ends like a file and not like a page. */
const isFile = (path: string): boolean =>
  /\.[a-z0-9]{1,8}$/i.test(path) && !/\.(html?|xhtml|php|aspx?|jsp|cfm)$/i.test(path);
