import { isObject } from "./input";

type Json = Readonly<Record<string, unknown>>;

/** The document with no component that nothing in it uses, and, if tags are named, with their operations alone. */
export function selection(document: Json, tags: readonly string[] | null): Json {
  const isWanted = (operation: unknown): boolean =>
    tags === null || tags.some((tag) => hasTag(operation, tag));
  const paths = Object.entries(objectOf(document.paths)).flatMap(([path, item]) => {
    const operations = Object.entries(objectOf(item)).filter(([, one]) => isWanted(one));
    return operations.length === 0 ? [] : [[path, Object.fromEntries(operations)] as const];
  });
  const shown = Object.fromEntries(paths);
  const own = Array.isArray(document.tags) ? document.tags : [];
  return {
    ...document,
    tags: own.filter((one: unknown) => tags === null || tags.includes(String(objectOf(one).name))),
    paths: shown,
    components: used(objectOf(document.components), shown),
  };
}

export const tagsOf = (document: Json): readonly string[] =>
  (Array.isArray(document.tags) ? document.tags : []).map((one) => String(objectOf(one).name));

const hasTag = (operation: unknown, tag: string): boolean => {
  const { tags } = objectOf(operation);
  return Array.isArray(tags) && tags.includes(tag);
};

/** Components by reference, from what is shown on; how to log in stays whole. */
function used(components: Json, shown: Json): Json {
  const found = new Set<string>();
  const open = [...refsIn(shown)];
  for (let ref = open.pop(); ref !== undefined; ref = open.pop()) {
    if (found.has(ref)) continue;
    found.add(ref);
    const [kind = "", name = ""] = ref.split("/").slice(2);
    open.push(...refsIn(objectOf(components[kind])[name]));
  }
  const kept = (kind: string): Json =>
    Object.fromEntries(
      Object.entries(objectOf(components[kind])).filter(([name]) =>
        found.has(`#/components/${kind}/${name}`),
      ),
    );
  return { ...components, schemas: kept("schemas"), responses: kept("responses") };
}

function refsIn(value: unknown): readonly string[] {
  const text = JSON.stringify(value) ?? "";
  return [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = ""]) => ref);
}

const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
