import { type ErrorCode, errorStatus } from "../../../src/domain/errors";
import { splitName } from "../../../src/http/operation/facts";
import { codesOf } from "../../../src/http/operation/openapi";
import type { Operation } from "../../../src/http/operation/operation";
import { Receipt } from "../../../src/http/operation/receipt";
import { placed } from "../../../src/ingest/dialects/paths";

/**
 * Throws unless an answer is what its operation says of itself: the status is one of those it names, an error's code is
 * among those of that status, any other body has the schema of the status and no field that the schema does not know.
 * Reads skip this at run time, so tests do it.
 */
export function expectDescribed(
  operations: readonly Operation[],
  method: string,
  path: string,
  status: number,
  { text, type }: { readonly text: string; readonly type: string | null },
): void {
  const operation = operationFor(operations, method, path);
  if (operation === undefined && isForeign(path)) return;
  // OAuth has codes of its own, in lower case.
  const isOfProtocol =
    operation?.returns[status] !== undefined && /^\{"error":"[a-z_]+"/.test(text);
  const code = status >= 400 && !isOfProtocol ? codeOf(status, text) : null;
  // 304 says of a cached answer that it still holds.
  if (operation === undefined || status === 304) return;
  const { name, returns, doc, csv } = operation;
  if (csv !== undefined && type?.startsWith("text/csv") === true) return;
  if (code !== null) {
    if (codesOf(operation).includes(code)) return;
    throw new Error(`${name} does not say that it refuses with ${status} ${code}.`);
  }
  if (returns[status] !== undefined) {
    expectSchema(operation, status, text);
    return;
  }
  const isNamed =
    codesOf(operation).some((one) => errorStatus[one] === status) ||
    (status === 302 && doc.redirects !== undefined) ||
    (status === 202 && text === "" && name === "POST /mcp") ||
    (status === 200 && Object.keys(returns).length === 0);
  if (!isNamed) throw new Error(`${name} does not say that it answers ${status}.`);
}

/** Clients of other products are answered in forms of those. */
const foreignPaths: ReadonlySet<string> = new Set(placed.map(({ endpoint }) => endpoint.path));
const isForeign = (path: string): boolean =>
  path.startsWith("/in/") || foreignPaths.has(path.replace(/\/?(\?.*)?$/, ""));

function expectSchema(
  { name, returns, doc, hasReceipt }: Operation,
  status: number,
  text: string,
): void {
  const definition = returns[status];
  if (doc.produces !== undefined || definition === undefined) return;
  const answer = withoutReceipt(JSON.parse(text), hasReceipt);
  const verdict = definition["~standard"].validate(answer);
  const schemaName = definition.$id;
  if ("issues" in verdict) {
    const issues = verdict.issues.map((one) => `${one.path.join(".")} ${one.message}`).join("; ");
    throw new Error(`${name} broke ${schemaName}: ${issues}\n${text.slice(0, 2_000)}`);
  }
  const extra = undeclared(definition as Node, answer, "");
  if (extra !== null) throw new Error(`${name} answered with an undeclared field: ${extra}`);
}

/** What is left of an answer that ends with a receipt, which has a schema of its own. */
function withoutReceipt(answer: unknown, hasReceipt: boolean): unknown {
  if (!hasReceipt || typeof answer !== "object" || answer === null) return answer;
  if (!("receipt" in answer)) return answer;
  const { receipt, ...rest } = answer;
  const verdict = Receipt["~standard"].validate(receipt);
  if ("value" in verdict) return rest;
  throw new Error(`The receipt broke its schema: ${JSON.stringify(verdict.issues)}`);
}

/** The code of an error body, which must be one of the table under its status; null for a page or another body. */
function codeOf(status: number, text: string): ErrorCode | null {
  if (!text.startsWith('{"error"')) return null;
  const { error, message } = JSON.parse(text) as {
    error: ErrorCode;
    message: unknown;
  };
  if (errorStatus[error] === status && typeof message === "string" && message !== "") return error;
  throw new Error(`${status} came with ${text.slice(0, 300)}`);
}

interface Known {
  /** The operations of a path as it is spelled, by their methods. */
  readonly byPath: ReadonlyMap<string, ReadonlyMap<string, Operation>>;
  readonly patterns: readonly {
    readonly method: string;
    readonly parts: readonly string[];
    readonly operation: Operation;
  }[];
}
const knownOf = new WeakMap<readonly Operation[], Known>();

/** Every answer of every test is looked up, so each app's operations are taken apart once. */
function known(operations: readonly Operation[]): Known {
  const found = knownOf.get(operations);
  if (found !== undefined) return found;
  const byPath = new Map<string, Map<string, Operation>>();
  const patterns = operations.map((operation) => {
    const { method, path } = splitName(operation.name);
    const ofPath = byPath.get(path) ?? new Map<string, Operation>();
    byPath.set(path, ofPath.set(method, operation));
    return { method, parts: path.split("/"), operation };
  });
  const made = { byPath, patterns };
  knownOf.set(operations, made);
  return made;
}

function operationFor(
  operations: readonly Operation[],
  method: string,
  path: string,
): Operation | undefined {
  const [pathname = ""] = path.split("?");
  const { byPath, patterns } = known(operations);
  // A path that is spelled out is not one that patterns take, whatever methods it has.
  const ofPath = byPath.get(pathname);
  if (ofPath !== undefined) return ofPath.get(method);
  const asked = pathname.split("/");
  return patterns.find(
    (one) =>
      one.method === method &&
      one.parts.length === asked.length &&
      one.parts.every((part, at) => part.startsWith("{") || part === asked[at]),
  )?.operation;
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
export const fieldsOf = ({ takes }: Operation): readonly string[] =>
  Object.keys(takes.properties ?? {});
