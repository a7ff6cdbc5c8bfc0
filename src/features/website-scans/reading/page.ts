/** What a page of a site says that its visitors can do. All texts were written by a stranger. */
export interface Page {
  /** Where redirects led, without query and fragment. */
  readonly url: URL;
  /** In document order. */
  readonly parts: readonly Part[];
  readonly scripts: readonly Script[];
  /** The text of inline scripts, as far as it was kept. */
  readonly inlineScript: string;
  /** What stands in `<base href>`, or the page's own address. */
  readonly base: URL;
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

/** Where on a page something stands, as far as its markup says. */
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
  /** Of containers: how many prices its text names, and whether they come again every month or year. */
  readonly prices: number;
  readonly isRecurring: boolean;
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
  readonly src: string;
  readonly type: string;
  readonly project: string | null;
  readonly token: string | null;
  /** Which of these its tag has. */
  readonly marks: readonly ScriptMark[];
}

/** By these a script is known that anybody may serve under a name such as script.js. */
export const scriptMarks = ["data-domain", "data-website-id"] as const;
export type ScriptMark = (typeof scriptMarks)[number];
