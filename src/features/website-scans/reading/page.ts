/** What an attribute says is kept up to here. */
export const attributeCharsMax = 500;

/** The parts of a site's page that say what its visitors can do. All texts were written by a stranger. */
export interface Page {
  /** The address to which redirects led, without query and fragment. */
  readonly url: URL;
  /** The parts in document order. */
  readonly parts: readonly Part[];
  readonly scripts: readonly Script[];
  /** The text of inline scripts, as far as it was kept. */
  readonly inlineScript: string;
}

export const partTags = [
  "a",
  "button",
  "input",
  "textarea",
  "form",
  "section",
  "article",
  "table",
  "h1",
  "h2",
  "video",
  "iframe",
] as const;
export type PartTag = (typeof partTags)[number];

/** The region of a page in which something stands, as far as its markup says. */
export type Region = "main" | "nav" | "footer" | "dialog";

export interface Part {
  readonly tag: PartTag;
  /** The visible text or, where there is none, what stands for it: one line of at most 80 characters. */
  readonly label: string;
  /** Entities are decoded. */
  readonly attributes: Readonly<Partial<Record<AttributeName, string>>>;
  readonly region: Region;
  /** The form that it stands in, as its place in `parts`. */
  readonly form: number | null;
  /** The number of prices in a container's text, and whether they recur every month or year. */
  readonly prices: number;
  readonly isRecurring: boolean;
  /** The address that a link leads to or a frame shows; null where there is none. */
  readonly target: URL | null;
}

export const attributeNames = [
  "id",
  "class",
  "href",
  "action",
  "src",
  "type",
  "name",
  "role",
  "autocomplete",
  "placeholder",
  "value",
  "aria-label",
  "title",
  "download",
] as const;
export type AttributeName = (typeof attributeNames)[number];

export interface Script {
  /** The address that it comes from; null for an inline script. */
  readonly target: URL | null;
  readonly project: string | null;
  readonly token: string | null;
  /** The marks that its tag has. */
  readonly marks: readonly ScriptMark[];
}

/** Attributes by which a script is known that anybody may serve under a name such as script.js. */
export const scriptMarks = ["data-domain", "data-website-id"] as const;
export type ScriptMark = (typeof scriptMarks)[number];
