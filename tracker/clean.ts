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
  const writable = given as { toJSON?(): unknown } | null | undefined;
  // A date, for example, says itself how it is written.
  const value = writable && writable.toJSON ? writable.toJSON() : given;
  // Texts are cut by code points, like every length: a character outside the first plane counts once and is never cut
  // in two.
  if (typeof value === "string") {
    return [...value.slice(0, 2 * stringCharsMax)].slice(0, stringCharsMax).join("");
  }
  // Functions, symbols and bigints cannot be written.
  if (/^(f|s|bi)/.test(typeof value) || --valuesLeft < 0) return undefined;
  if (!value || typeof value !== "object") return value;
  if (parents.includes(value)) return "[Circular]";
  if (parents.length >= levelsMax) return "[MaxDepth]";
  const path = [...parents, value];
  if (Array.isArray(value)) {
    const items = value.slice(0, itemsMax).map((item) => plain(item, path));
    return items.filter((item) => item !== undefined);
  }
  const object: Properties = {};
  const keys = Object.keys(value).filter((key) => !/email/i.test(key));
  for (const key of keys.slice(0, keysMax)) object[key] = plain((value as Properties)[key], path);
  return object;
};

/** An address as it may be told: where, but never what was asked there. Only web addresses; others are empty. */
export const cutUrl = (address: string, base?: string): string =>
  attempt(() => {
    const url = new URL(address, base);
    return /^https?:/.test(url.protocol) && url.origin + url.pathname;
  }) || "";
