import { attempt } from "./attempt";

export type Properties = Record<string, unknown>;

const stringCharsMax = 4096;
const keysMax = 100;
const itemsMax = 50;
const levelsMax = 8;
/** More values than fit into an event the server takes: a DOM node or a framework's tree is not walked to its end. */
const valuesMax = 5000;

let valuesLeft = 0;

/** What leaves the page: plain values of bounded size, and nothing under a key that speaks of email. */
export const clean = (properties: unknown): Properties => {
  valuesLeft = valuesMax;
  return typeof properties === "object" ? (plain(properties, []) as Properties) : {};
};

const plain = (given: unknown, parents: readonly unknown[]): unknown => {
  const value = written(given);
  if (typeof value === "string") return firstOf(value, stringCharsMax).join("");
  // Functions, symbols and bigints cannot be written.
  if (/^(f|s|bi)/.test(typeof value) || --valuesLeft < 0) return undefined;
  if (Object(value) !== value) return value;
  if (parents.includes(value)) return "[Circular]";
  if (parents.length >= levelsMax) return "[MaxDepth]";
  const path = [...parents, value];
  if (Array.isArray(value)) {
    const items = value.slice(0, itemsMax).map((item) => plain(item, path));
    return items.filter((item) => item !== undefined);
  }
  const object: Properties = {};
  const keys = Object.keys(value as Properties).filter((key) => !/email/i.test(key));
  for (const key of keys.slice(0, keysMax)) object[key] = plain((value as Properties)[key], path);
  return object;
};

/** Code points, like every length: a character outside the first plane counts once and is never cut in two. */
export const firstOf = (text: string, charsMax: number): string[] =>
  [...text.slice(0, 2 * charsMax)].slice(0, charsMax);

/**
 * An object may say itself how it is written, a date for example. Old libraries say it for every object and array, and
 * say otherwise for dates: these do not count.
 */
const written = (given: unknown): unknown => {
  if (Object(given) !== given || Array.isArray(given)) return given;
  const writable = given as Record<string, () => unknown>;
  const how = writable.toISOString ? "toISOString" : "toJSON";
  return writable[how] === ({} as typeof writable)[how] ? given : attempt(() => writable[how]());
};

/** An address as it may be told: where, but never what was asked there. Only web addresses; others are empty. */
export const cutUrl = (address: string, base?: string): string =>
  attempt(() => {
    const url = new URL(address, base);
    return /^https?:/.test(url.protocol) && url.origin + url.pathname;
  }) || "";
