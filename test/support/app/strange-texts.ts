import type { Node } from "../../../src/http/operation/input";
import { trustKeyword } from "../../../src/lib/schema";

/** The nodes of a tree are alike: their paths are those of its first level. */
const flat = (path: string): string => path.replaceAll(".children[]", "");
const below = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

/** Returns the texts of an answer that contain a word, names of fields included, with their paths. */
export function textsOf(
  value: unknown,
  word: string,
  path = "",
): readonly { readonly path: string; readonly text: string }[] {
  if (typeof value === "string")
    return value.includes(word) ? [{ path: flat(path), text: value }] : [];
  if (Array.isArray(value)) return value.flatMap((one) => textsOf(one, word, `${path}[]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [
    ...(key.includes(word) ? [{ path: flat(path), text: key }] : []),
    ...textsOf(part, word, below(path, key)),
  ]);
}

/** Returns the paths of an answer at which a visitor may have written something, as the marks of its schema say. */
export function visitorsPaths(
  node: Node | undefined,
  value: unknown,
  path = "",
): ReadonlySet<string> {
  const found = new Set<string>();
  if (node === undefined || value === null || value === undefined) return found;
  const add = (...others: ReadonlySet<string>[]): void => {
    for (const one of others.flatMap((paths) => [...paths])) found.add(one);
  };
  const isOfVisitors = node[trustKeyword] === "visitor";
  if (isOfVisitors && (typeof value === "string") === (node.type === "string")) {
    const isEmpty = typeof value === "object" && Object.keys(value).length === 0;
    return isEmpty ? found : new Set([flat(path)]);
  }
  for (const branch of node.anyOf ?? []) add(visitorsPaths(branch, value, path));
  if (Array.isArray(value)) {
    for (const one of value) add(visitorsPaths(node.items, one, `${path}[]`));
  } else if (typeof value === "object") {
    for (const [name, part] of Object.entries(value)) {
      add(visitorsPaths(nodeOf(node, name), part, below(path, name)));
    }
  }
  return found;
}

function nodeOf(node: Node, name: string): Node | undefined {
  const own = node.properties?.[name];
  if (own !== undefined) return own;
  const { patternProperties = {}, additionalProperties } = node as Node & {
    readonly patternProperties?: Readonly<Record<string, Node>>;
  };
  const [, matching] =
    Object.entries(patternProperties).find(([one]) => new RegExp(one).test(name)) ?? [];
  return (
    matching ??
    (typeof additionalProperties === "object" ? (additionalProperties as Node) : undefined)
  );
}
