import { type ErrorCode, errorStatus } from "../../domain/errors";
import { assert } from "../../lib/assert";
import { addressLimits } from "../auth/address-limits";
import { sharedOperations } from "../auth/share-access";
import {
  type Access,
  type AccessRule,
  hasAccount,
  htmlOperations,
  lenientOperations,
  type OperationName,
  takesQuery,
} from "./endpoint-index";
import type { Node } from "./input";
import type { Operation } from "./operation";

/** What an agent needs to know of an operation besides its schemas. */
export interface OperationDoc {
  /** The operationId. */
  readonly id: string;
  readonly summary: string;
  /** What it answers, when to use it, and what to do next. */
  readonly description: string;
  readonly tag: string;
  /** Codes besides those that follow from the endpoint index. */
  readonly errors?: readonly ErrorCode[];
  /** Answers a form by sending the browser on. */
  readonly redirects?: boolean;
  /** Content type, where the answer is not JSON. */
  readonly produces?: string;
}

/**
 * An operation as the OpenAPI plugin takes it. It only refers to schemas by name; the document itself is put together
 * in `openapi-document.ts`.
 */
export function describeOperation(operation: Operation) {
  const { name, rule, doc, takes, returns } = operation;
  const fields = Object.keys(takes.properties ?? {});
  const isQuery = takesQuery(name);
  return {
    operationId: doc.id,
    summary: doc.summary,
    description: `${doc.description}\n\n${rulesOf(name, rule)}`,
    tags: [doc.tag],
    security: securityOf(rule.access),
    ...(isQuery && fields.length > 0
      ? { parameters: fields.map((field) => ({ $ref: parameterRef(takes, field) })) }
      : {}),
    ...(!isQuery && fields.length > 0 ? { requestBody: bodyOf(takes) } : {}),
    responses: {
      ...responsesOf([...answersOf(doc, returns), ...errorsOf(codesOf(operation))]),
      ...(doc.redirects === true ? { 302: { description: "Sends the browser on." } } : {}),
    },
  };
}

const schemaRef = (node: Node): string => `#/components/schemas/${nameOf(node)}`;

const parameterRef = (takes: Node, field: string): string =>
  `#/components/parameters/${nameOf(takes)}.${field}`;

function nameOf(node: Node): string {
  assert(node.$id !== undefined, "a schema that an operation takes or returns has an $id");
  return node.$id;
}

function bodyOf(takes: Node) {
  return {
    required: (takes.required ?? []).some(
      (name) => takes.properties?.[name]?.default === undefined,
    ),
    content: { "application/json": { schema: { $ref: schemaRef(takes) } } },
  };
}

type Schema = { readonly $ref: string } | { readonly type: "string" };
interface Body {
  readonly status: number;
  readonly says: string;
  readonly type: string;
  readonly schema: Schema;
}

const jsonType = "application/json";

/** By status; one that an operation answers with and also refuses with has bodies of both kinds. */
function responsesOf(bodies: readonly Body[]) {
  const statuses = [...new Set(bodies.map(({ status }) => status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const own = bodies.filter((body) => body.status === status);
      const [{ type, schema }] = own;
      const description = own.map(({ says }) => says).join(", or ");
      const anyOf = own.map((body) => body.schema);
      const described = own.length === 1 ? schema : { anyOf };
      return [status, { description, content: { [type]: { schema: described } } }];
    }),
  );
}

function answersOf(
  { produces, summary }: OperationDoc,
  returns: Readonly<Record<number, Node>>,
): readonly Body[] {
  const text: Body = {
    status: 200,
    says: summary,
    type: produces ?? jsonType,
    schema: { type: "string" },
  };
  const answers = Object.entries(returns).map(([status, node]) => ({
    ...text,
    status: Number(status),
    schema: { $ref: schemaRef(node) },
  }));
  return answers.length === 0 ? [text] : answers;
}

/** One body per status, said to be the codes that a client can meet here. */
function errorsOf(codes: readonly ErrorCode[]): readonly Body[] {
  const statuses = [...new Set(codes.map((code) => errorStatus[code]))];
  return statuses.map((status) => {
    const own = [...new Set(codes.filter((code) => errorStatus[code] === status))];
    return {
      status,
      says: own.map((code) => `\`${code}\``).join(", "),
      type: jsonType,
      schema: { $ref: "#/components/schemas/Error" },
    };
  });
}

/** Every code that an operation may refuse with. */
export function codesOf({ name, rule, doc, takes }: Operation): readonly ErrorCode[] {
  const { access, plan, read, demo } = rule;
  const fields = Object.keys(takes.properties ?? {});
  const hasBody = !name.startsWith("GET ");
  const isForAccount = hasAccount(access);
  const errors: ErrorCode[] = ["UNAVAILABLE", "INTERNAL_ERROR", "PAYLOAD_TOO_LARGE"];
  if (hasBody || refusesUnknown(name)) errors.push("INVALID_BODY");
  if (fields.length > 0) errors.push("MISSING_FIELDS");
  const needsProject = takes.required?.includes("project") === true;
  if (needsProject && isForAccount) errors.push("PROJECT_REQUIRED", "NOT_FOUND");
  if (addressLimits.has(name)) errors.push("RATE_LIMITED");
  if (isForAccount) errors.push("AUTH_REQUIRED", "INVALID_TOKEN", "RATE_LIMITED", "FORBIDDEN");
  if (isForAccount && (!demo || hasBody)) errors.push("DEMO_READ_ONLY");
  if (sharedOperations.has(name)) errors.push("INVALID_CREDENTIALS");
  if (isForAccount && hasBody) errors.push("CSRF_FAILED");
  if (plan === "pro" || read) errors.push("PRO_REQUIRED");
  if (read) errors.push("QUERY_FAILED");
  return [...errors, ...(doc.errors ?? [])];
}

const refusesUnknown = (name: OperationName): boolean =>
  !lenientOperations.has(name) && !htmlOperations.has(name);

function rulesOf(name: OperationName, { access, plan, read, demo }: AccessRule): string {
  const words = [
    accessInWords[access] ?? `Needs the scope \`${access}\` (an API key has all scopes).`,
    plan === "pro" ? "Pro plan." : "Free and Pro plans.",
    ...(read ? ["Counts as a read on the Free plan."] : []),
    ...(demo ? ["Open to demo sessions."] : []),
    ...(sharedOperations.has(name) ? ["Open to shares."] : []),
  ];
  return words.join(" ");
}

const accessInWords: Readonly<Partial<Record<Access, string>>> = {
  none: "Needs no credential.",
  token: "Needs the public project token, which is no secret.",
  optional: "Works without a credential; with one it needs the scope `account:read`.",
  own: "Needs a credential; an agent session may only name itself.",
  key: "Needs an API key or a logged-in browser; agent sessions are refused.",
  cookie: "Needs a logged-in browser.",
  admin: "Needs the logged-in browser of an administrator.",
};

function securityOf(access: Access): Record<string, string[]>[] {
  switch (access) {
    case "none":
    case "token":
      return [];
    case "cookie":
    case "admin":
      return [{ browserSession: [] }];
    case "key":
      return [{ apiKey: [] }, { apiKeyInQuery: [] }, { browserSession: [] }];
    case "own":
      return everyCredential([]);
    case "optional":
      return [{}, ...everyCredential(["account:read"])];
    default:
      return everyCredential([access]);
  }
}

const everyCredential = (scopes: string[]): Record<string, string[]>[] => [
  { agentSession: scopes },
  { apiKey: [] },
  { apiKeyInQuery: [] },
  { browserSession: [] },
];
