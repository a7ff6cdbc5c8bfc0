import type { Page, Part } from "../reading/page";
import { paths, words } from "./words";

/** Something on a page that a recommendation can be put on. */
export interface Hit {
  readonly page: Page;
  /** The part; null where the whole page is meant, such as the one that a link to /pricing leads to. */
  readonly part: Part | null;
  /** The path at which it is found, when it is not on the page itself. */
  readonly path: string;
}

/** Parts that another recommendation is already on: an element carries one event. */
export type Taken = ReadonlySet<Part>;

type Matches = (part: Part, page: Page) => boolean;

/** The first part that matches one of the kinds, a better kind and the page's main content first. */
export function firstPart(
  pages: readonly Page[],
  taken: Taken,
  ...kinds: readonly Matches[]
): Hit | null {
  for (const matches of kinds) {
    for (const page of pages) {
      const found = page.parts.filter((part) => !taken.has(part) && matches(part, page));
      const best = found.find(({ region }) => region === "main") ?? found[0];
      if (best !== undefined) return { page, part: best, path: page.url.pathname };
    }
  }
  return null;
}

const isControl = ({ tag, attributes }: Part): boolean =>
  tag === "a" ||
  (tag === "button" && attributes.type !== "reset") ||
  (tag === "input" && /^(submit|button|image)$/i.test(attributes.type ?? ""));

const isLink = ({ tag }: Part): boolean => tag === "a";

/** The address that a link leads to; null where it leads nowhere. */
const linkedFrom = ({ tag, target }: Part): URL | null => (tag === "a" ? target : null);

type Topic = keyof typeof paths;

/** Longer ones are headlines of articles, in which any word may stand. */
const controlLabelCharsMax = 40;

/**
 * A link or button of a topic: by where it leads, or by what it says. "Get started" is written on links to quick starts
 * too: one that leads to documentation is about nothing else.
 */
export const isAbout =
  (topic: Topic): Matches =>
  (part, page) => {
    if (!isControl(part) || part.region === "dialog") return false;
    if (leadsTo(topic, part)) return true;
    if (part.label.length > controlLabelCharsMax || !words[topic].test(part.label)) return false;
    return topic === "docs" || !(leadsTo("docs", part) || isDocsHost(part, page));
  };

function leadsTo(topic: Topic, part: Part): boolean {
  const target = linkedFrom(part);
  return target !== null && /^https?:$/.test(target.protocol) && paths[topic].test(target.pathname);
}

interface Form {
  /** The fields in document order. */
  readonly fields: readonly Part[];
  /** All that its tag and its fields say. */
  readonly said: string;
}
/** The words of a form that somebody fills in are fewer. */
const saidCharsMax = 4_000;
/** The parts of each form of a page. They are found once, since a page may consist of forms. */
const formsOfPages = new WeakMap<Page, ReadonlyMap<Part, Form>>();
function formsOf(page: Page): ReadonlyMap<Part, Form> {
  const known = formsOfPages.get(page);
  if (known !== undefined) return known;
  const fields = new Map<Part, Part[]>();
  for (const part of page.parts) {
    if (part.tag === "form") fields.set(part, []);
    const form = part.form === null ? undefined : page.parts[part.form];
    if (form !== undefined) fields.get(form)?.push(part);
  }
  const forms = new Map<Part, Form>();
  for (const [form, own] of fields) {
    const said = [form, ...own].map(saidOf).join(" ").slice(0, saidCharsMax);
    forms.set(form, { fields: own, said });
  }
  formsOfPages.set(page, forms);
  return forms;
}

const typeOf = ({ attributes }: Part): string => (attributes.type ?? "").toLowerCase();
/** Names, labels and the like of a part, to look for words in. */
const saidOf = ({ label, attributes }: Part): string =>
  [
    label,
    attributes.name,
    attributes.id,
    attributes.class,
    attributes.placeholder,
    attributes.action,
  ]
    .filter((text) => text !== undefined)
    .join(" ")
    .replace(/[_-]+/g, " ");

const isEmailField = (part: Part): boolean =>
  part.tag === "input" &&
  (typeOf(part) === "email" || /e-?mail/i.test(part.attributes.name ?? part.attributes.id ?? ""));
const isPasswordField = (part: Part): boolean =>
  part.tag === "input" && typeOf(part) === "password";
const isSearchField = (part: Part): boolean =>
  part.tag === "input" &&
  (typeOf(part) === "search" || /^(q|s|query|search)$/i.test(part.attributes.name ?? ""));
const isTyped = (part: Part): boolean =>
  part.tag === "textarea" ||
  (part.tag === "input" && /^(|text|email|tel|url|password|search|number)$/.test(typeOf(part)));

type FormMatches = (fields: readonly Part[], said: string) => boolean;

export const isForm =
  (matches: FormMatches): Matches =>
  (part, page) => {
    if (part.tag !== "form" || part.region === "dialog") return false;
    const form = formsOf(page).get(part);
    return form !== undefined && matches(form.fields, form.said);
  };

/** New accounts have a password to choose; a form that only lets people in has one to remember. */
export const registers: FormMatches = (fields, said) => {
  const passwords = fields.filter(isPasswordField);
  if (passwords.length === 0) return fields.some(isEmailField) && words.signUp.test(said);
  const isNew = passwords.some(({ attributes }) => attributes.autocomplete === "new-password");
  return isNew || passwords.length > 1 || words.signUp.test(said) || !words.logIn.test(said);
};
export const asksPassword: FormMatches = (fields) => fields.some(isPasswordField);

export const asksForContact: FormMatches = (fields, said) =>
  !fields.some(isPasswordField) &&
  fields.some(isEmailField) &&
  (fields.some(({ tag }) => tag === "textarea") ||
    fields.filter(isTyped).length > 2 ||
    words.lead.test(said));

export const asksForAddress: FormMatches = (fields, said) =>
  fields.filter(isTyped).length <= 2 &&
  fields.some(isEmailField) &&
  !fields.some(isPasswordField) &&
  !fields.some(({ tag }) => tag === "textarea") &&
  !words.signUp.test(said.replace(words.newsletter, " "));

export const asksForWords: FormMatches = (fields) => fields.some(isSearchField);

/** Returns the part that is clicked to send a form; its first field where it has no button. */
function senderOf(page: Page, form: Part): Part {
  const fields = formsOf(page).get(form)?.fields ?? [];
  const sends = (part: Part): boolean =>
    (part.tag === "button" && !/^(button|reset)$/.test(typeOf(part))) ||
    (part.tag === "input" && /^(submit|image)$/.test(typeOf(part)));
  return fields.find(sends) ?? fields.find(isTyped) ?? form;
}

/** A form's recommendation goes on what sends it. */
export function onSender(hit: Hit | null): Hit | null {
  if (hit === null || hit.part === null || hit.part.tag !== "form") return hit;
  return { ...hit, part: senderOf(hit.page, hit.part) };
}

const pricesOfTableMin = 2;

/** Prices to compare: more than one, under a name for them or per month. A list of goods is none. */
export const isPriceTable: Matches = ({ tag, prices, isRecurring, attributes }, { url }) => {
  if (!/^(section|article|table)$/.test(tag) || prices < pricesOfTableMin) return false;
  const named = `${attributes.id ?? ""} ${attributes.class ?? ""}`;
  return (
    isRecurring ||
    /pric|plan|tarif|prix|preis|preci?o|prezz/i.test(named) ||
    paths.pricing.test(url.pathname)
  );
};

const buttonForm = /(^|[\s_-])(btn|button|cta)(?![a-z])/i;

/** Tells whether a part is made to be clicked: a button, or a link that looks like one, in the page's own content. */
export const isProminent: Matches = (part) =>
  isControl(part) &&
  part.region === "main" &&
  part.label !== "" &&
  part.form === null &&
  (part.tag === "button" ||
    part.attributes.role === "button" ||
    buttonForm.test(part.attributes.class ?? ""));

/** Tells whether a part is the first link below the first heading, for pages where nothing looks like a button. */
export const isFirstLink: Matches = (part, page) => {
  if (!isLink(part) || part.region !== "main" || part.label === "") return false;
  const heading = page.parts.findIndex(({ tag }) => tag === "h1");
  return heading >= 0 && page.parts.indexOf(part) > heading;
};

/** Finds what follows the first screen: the second section of the page, or its first smaller heading. */
export function sectionAfterHero(pages: readonly Page[], taken: Taken): Hit | null {
  const [page] = pages;
  if (page === undefined) return null;
  const own = page.parts.filter(({ region }) => region === "main");
  const sections = own.filter(({ tag }) => tag === "section");
  const after = sections.slice(1).find((section) => !taken.has(section));
  const part = after ?? own.find(({ tag }) => tag === "h2");
  return part === undefined ? null : { page, part, path: page.url.pathname };
}

const players =
  /(^|\.)(youtube(-nocookie)?\.com|player\.vimeo\.com|wistia\.(com|net)|loom\.com|dailymotion\.com)$/i;
export const isVideo: Matches = ({ tag, target }) =>
  tag === "video" || (tag === "iframe" && target !== null && players.test(target.hostname));

const stores =
  /^(apps\.apple\.com|play\.google\.com|addons\.mozilla\.org|chromewebstore\.google\.com)$/;
const program = /\.(exe|dmg|msi|pkg|deb|rpm|appimage|apk|zip|tar\.gz|tgz)$/i;
export const isDownload: Matches = (part) => {
  const target = linkedFrom(part);
  if (target === null || part.region === "dialog") return false;
  return (
    part.attributes.download !== undefined ||
    stores.test(target.hostname) ||
    program.test(target.pathname)
  );
};

export const isDocsHost: Matches = (part) =>
  /^(docs|developers?|help|learn)\./.test(linkedFrom(part)?.hostname ?? "");
