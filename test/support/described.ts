import { errorStatus } from "../../src/domain/errors";
import { detailOf, type Hooks } from "../../src/http/operation/openapi";
import { namedSchemas, type StandardSchema } from "../../src/lib/schema";

/** What Elysia keeps of a route that is of use here. */
export interface MountedRoute {
  readonly method: string;
  readonly path: string;
  readonly hooks: Hooks;
}

interface Detail {
  readonly hide?: boolean;
  readonly responses?: Readonly<
    Record<string, { readonly description?: string; readonly content?: Content }>
  >;
}
type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
}

/**
 * Throws unless an answer is what its operation says of itself: the status is one of those it names, an error's code is
 * among those of that status, any other body has the schema of the status and no field that the schema does not know.
 * Reads skip this at run time, so tests do it.
 */
export function expectDescribed(
  routes: readonly MountedRoute[],
  method: string,
  path: string,
  status: number,
  text: string,
): void {
  const code = status >= 400 ? codeOf(status, text) : null;
  const route = routeFor(routes, method, path);
  const detail = route && (detailOf(route) as Detail);
  // 304 says of a cached answer that it still holds.
  if (route === undefined || detail === undefined || detail.hide === true || status === 304) return;
  const name = `${method} ${route.path}`;
  const described = detail.responses?.[status];
  if (described === undefined) throw new Error(`${name} does not say that it answers ${status}.`);
  if (code !== null) {
    if (described.description?.includes(`\`${code}\``)) return;
    throw new Error(`${name} does not say that it refuses with ${status} ${code}.`);
  }
  const { schema } = described.content?.["application/json"] ?? {};
  const names = [schema, ...(schema?.anyOf ?? [])]
    .map((one) => one?.$ref?.replace("#/components/schemas/", ""))
    .filter((one) => one !== undefined && one !== "Error");
  for (const one of names) expectSchema(name, String(one), text);
}

function expectSchema(operation: string, schemaName: string, text: string): void {
  const definition = namedSchemas().get(schemaName);
  if (definition === undefined) throw new Error(`${operation}: nobody made ${schemaName}.`);
  const answer: unknown = JSON.parse(text);
  const { validate } = (definition as unknown as StandardSchema<unknown>)["~standard"];
  const verdict = validate(answer);
  if ("issues" in verdict) {
    const issues = verdict.issues.map((one) => `${one.path.join(".")} ${one.message}`).join("; ");
    throw new Error(`${operation} broke ${schemaName}: ${issues}\n${text.slice(0, 2_000)}`);
  }
  const extra = undeclared(definition as Node, answer, "");
  if (extra !== null) throw new Error(`${operation} answered with an undeclared field: ${extra}`);
}

/** The code of an error body, which must be one of the table under its status; null for a page or another body. */
function codeOf(status: number, text: string): string | null {
  if (!text.startsWith('{"error"')) return null;
  const { error, message } = JSON.parse(text) as {
    error: keyof typeof errorStatus;
    message: unknown;
  };
  if (errorStatus[error] === status && typeof message === "string" && message !== "") return error;
  throw new Error(`${status} came with ${text.slice(0, 300)}`);
}

function routeFor(
  routes: readonly MountedRoute[],
  method: string,
  path: string,
): MountedRoute | undefined {
  const [pathname = ""] = path.split("?");
  const ofMethod = routes.filter((route) => route.method === method);
  // A path that is spelled out is not one that patterns take, whatever methods it has.
  if (routes.some((route) => route.path === pathname)) {
    return ofMethod.find((route) => route.path === pathname);
  }
  const asked = pathname.split("/");
  return ofMethod.find((route) => {
    const parts = route.path.split("/");
    const fits = parts.every((part, at) => part.startsWith(":") || part === asked[at]);
    return parts.length === asked.length && fits;
  });
}

interface Node {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly patternProperties?: unknown;
  readonly additionalProperties?: unknown;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
}

/** The first field of an answer that its schema does not name; objects with free keys say so in their schema. */
function undeclared(node: Node, value: unknown, path: string): string | null {
  if (node.anyOf !== undefined) {
    const found = node.anyOf.map((branch) => undeclared(branch, value, path));
    return found.includes(null) ? null : (found[0] ?? null);
  }
  if (Array.isArray(value)) {
    const { items } = node;
    if (items === undefined) return null;
    return firstOf(value.map((item, at) => undeclared(items, item, `${path}[${at}]`)));
  }
  const isObject = typeof value === "object" && value !== null;
  if (!isObject || node.properties === undefined || isFree(node)) return null;
  const { properties } = node;
  return firstOf(
    Object.entries(value).map(([key, one]) => {
      const property = properties[key];
      return property === undefined
        ? `${path}.${key}`
        : undeclared(property, one, `${path}.${key}`);
    }),
  );
}

const isFree = ({ patternProperties, additionalProperties }: Node): boolean =>
  patternProperties !== undefined ||
  (additionalProperties !== undefined && additionalProperties !== false);
const firstOf = (found: readonly (string | null)[]): string | null =>
  found.find((one) => one !== null) ?? null;

/** What an operation takes, as it says itself. */
export function fieldsOf(route: MountedRoute): readonly string[] {
  const refs = JSON.stringify(detailOf(route));
  const parameters = [...refs.matchAll(/components\/parameters\/\w+\.(\w+)/g)];
  const [, bodyName = ""] = /"requestBody":.*?schemas\/(\w+)/.exec(refs) ?? [];
  const body = namedSchemas().get(bodyName) as { readonly properties?: object } | undefined;
  return [...parameters.map(([, name = ""]) => name), ...Object.keys(body?.properties ?? {})];
}
