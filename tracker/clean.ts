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
export function clean(properties: unknown): Properties {
  valuesLeft = valuesMax;
  return properties && typeof properties === "object" ? Object(plain(properties, [])) : {};
}

function plain(given: unknown, parents: readonly unknown[]): unknown {
  const value = isWritable(given) ? given.toJSON() : given;
  if (typeof value === "string") return value.slice(0, stringCharsMax);
  if (/^(function|symbol|bigint)$/.test(typeof value) || --valuesLeft < 0) return undefined;
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
  for (const key of keys.slice(0, keysMax)) object[key] = plain(Object(value)[key], path);
  return object;
}

/** A date, for example. */
const isWritable = (value: unknown): value is { toJSON(): unknown } =>
  typeof Object(value).toJSON === "function";

/** An address as it may be told: where, but never what was asked there. Only web addresses; others are empty. */
export function cutUrl(address: string): string {
  const url = address ? attempt(() => new URL(address, document.baseURI)) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url.origin + url.pathname : "";
}
