import { labelOf } from "../reading/label";
import type { AttributeName, Page, Part } from "../reading/page";
import type { Hit } from "./matchers";
import type { Signal } from "./signals";

/** Names that need no escaping in a selector, and leave no room for a sentence. */
const plainName = /^[A-Za-z][\w-]{0,39}$/;
const plainAddress = /^[\w./:?=&%#~-]{1,80}$/;
/** The classes of one part that are compared with those of all others on its page. */
const classesComparedMax = 30;
const plainPath = /^\/[\w./#~%-]{0,79}$/;

/** Says how to record an event, so that a person or an agent can do it without looking anything up. */
export function hintFor({ event, means }: Signal, hit: Hit | null): string {
  switch (means) {
    case "click":
      return `Add data-aa-event="${event}" to ${elementOf(hit, "the element that visitors click")}.`;
    case "impression":
      return (
        `Add data-aa-impression="${event}" to ${elementOf(hit, "the element that visitors should see")}. It is ` +
        `stored as $impression with the property name = "${event}".`
      );
    case "call":
      return callHint(event, hit);
    case "server":
      return (
        'On the server, after creating the account: POST /track with {"token":"<project ' +
        `token>","event":"${event}","user_id":"<id of the user>"}. In the page, call aa.identify("<id of the ` +
        'user>") to link the earlier visit to the same user.'
      );
  }
}

function callHint(event: string, hit: Hit | null): string {
  const call = `window.aa.track("${event}")`;
  if (hit?.part?.tag === "iframe") {
    return `When the player on ${pathOf(hit)} starts playing, call ${call}.`;
  }
  const selector =
    hit?.part == null ? "video" : (selectorOf(hit.part, hit.page).split(",")[0] ?? "video");
  return (
    `On ${pathOf(hit)}: document.querySelector('${selector}')` +
    `.addEventListener("play", () => ${call}, { once: true }).`
  );
}

function elementOf(hit: Hit | null, otherwise: string): string {
  if (hit === null) return `${otherwise}, on the start page`;
  if (hit.part === null) return `the element that holds the prices, on ${pathOf(hit)}`;
  return `${described(hit.part, hit.page)} on ${pathOf(hit)}`;
}

const nouns: Readonly<Partial<Record<Part["tag"], string>>> = {
  a: "the link",
  button: "the button",
  input: "the field",
  section: "the section",
  h2: "the heading",
};

/** The selector is what to go by; the label, which is a stranger's text, stands in quotes. */
function described(part: Part, page: Page): string {
  const isButton = /^(submit|button|image)$/i.test(part.attributes.type ?? "");
  const noun = part.tag === "input" && isButton ? "the button" : (nouns[part.tag] ?? "the element");
  const quoted = part.label === "" ? "" : ` ${JSON.stringify(labelOf(part.label))}`;
  return `${noun}${quoted} (${selectorOf(part, page)})`;
}

/**
 * Returns the most exact plain attribute by which a part is found before anything else on its page. If there is none,
 * it returns the most exact one with the part's index among those that it finds.
 */
function selectorOf(part: Part, page: Page): string {
  const candidates = candidatesOf(part, page);
  const best = candidates.find(({ fits }) => page.parts.find(fits) === part);
  if (best !== undefined) return best.selector;
  const { selector, fits } = candidates[0] ?? lastResort(part);
  return `${selector}, number ${page.parts.filter(fits).indexOf(part) + 1} of these`;
}

interface Candidate {
  readonly selector: string;
  fits(part: Part): boolean;
}

function candidatesOf(part: Part, { parts }: Page): readonly Candidate[] {
  const { tag, attributes, form } = part;
  const by = (name: AttributeName, plain: RegExp): readonly Candidate[] => {
    const value = attributes[name] ?? "";
    if (!plain.test(value)) return [];
    const fits = (other: Part): boolean => other.tag === tag && other.attributes[name] === value;
    return [{ selector: name === "id" ? `${tag}#${value}` : `${tag}[${name}="${value}"]`, fits }];
  };
  const plain = [...classesOf(part)].filter((one) => plainName.test(one));
  const classes = plain.slice(0, classesComparedMax);
  return [
    ...by("id", plainName),
    ...by("href", plainAddress),
    ...by("name", plainName),
    ...by("src", plainAddress),
    ...classes.map((one) => ({
      selector: `${tag}.${one}`,
      fits: (other: Part) => other.tag === tag && classesOf(other).has(one),
    })),
    ...by("type", plainName),
    ...(form === null ? [] : inForm(tag, parts[form]?.attributes ?? {}, parts)),
    lastResort(part),
  ];
}

/** Taken apart once, since each class of a part is compared with those of all others. */
const classesOfParts = new WeakMap<Part, ReadonlySet<string>>();
function classesOf(part: Part): ReadonlySet<string> {
  const known = classesOfParts.get(part);
  if (known !== undefined) return known;
  const classes = new Set((part.attributes.class ?? "").split(/\s+/));
  classesOfParts.set(part, classes);
  return classes;
}

const lastResort = ({ tag }: Part): Candidate => ({
  selector: tag,
  fits: (other) => other.tag === tag,
});

/** Buttons of forms often have no name of their own, while their form has. */
function inForm(
  tag: string,
  { id = "", action = "" }: Part["attributes"],
  parts: readonly Part[],
): readonly Candidate[] {
  const formOf = ({ form }: Part) => (form === null ? undefined : parts[form]?.attributes);
  const candidate = (selector: string, isSame: (form: Part["attributes"]) => boolean) => ({
    selector: `${selector} ${tag}`,
    fits: (other: Part): boolean => {
      const form = formOf(other);
      return other.tag === tag && form !== undefined && isSame(form);
    },
  });
  return [
    ...(plainName.test(id) ? [candidate(`form#${id}`, (form) => form.id === id)] : []),
    ...(plainAddress.test(action)
      ? [candidate(`form[action="${action}"]`, (form) => form.action === action)]
      : []),
    candidate("form", () => true),
  ];
}

const pathOf = (hit: Hit | null): string =>
  hit === null || !plainPath.test(hit.path) ? "the page" : hit.path;
