/*
 * The OpenAPI plugin only collects.
 * Decision: `@elysiajs/swagger` lists the operations; `http/operation/openapi*.ts` put in schemas, errors and
 * security. The document is complete by itself: generated clients are typed, errors too. That of a tag
 * (`?tag=Reads`) is the same for fewer operations. Codes that all operations of a kind refuse with are told once.
 * Schemas that stand twice become components by their text.
 * Because: the plugin's own document is not valid OpenAPI 3.1, and its page loads from elsewhere.
 * Cost: a few hundred lines of ours; 260 KB, which are 40 KB when they are sent. Agents read a tag, or /skill.md.
 * Revisit: when the plugin's successor handles named schemas.
 */

import { type ErrorCode, errorStatus } from "../../domain/errors";
import { filterErrors } from "../../domain/filter";
import { addressLimits } from "../auth/address-limits";
import { type Access, hasAccount } from "./facts";
import { isObject } from "./input";
import type { Operation } from "./operation";

/**
 * An operation in words: what it does, then in short who may ask and which codes it refuses with besides those that
 * all of its kind have. `rulesInWords` and `refusalsInWords` say once what the short words mean.
 */
export function wordsOf(operation: Operation): string {
  const { rule, shares, doc } = operation;
  const own = ownCodesOf(operation).map((code) => `\`${code}\``);
  const rules = [
    accessInWords[rule.access] ?? `Scope \`${rule.access}\`.`,
    ...(rule.plan === "pro" ? ["Pro."] : []),
    ...(rule.read ? ["Read."] : []),
    ...(rule.demo ? ["Demo."] : []),
    ...(shares !== null ? ["Shares."] : []),
    ...(rule.fresh !== "never" ? ["Fresh sign-in."] : []),
    ...(own.length === 0 ? [] : [`Errors: ${own.join(", ")}.`]),
  ];
  return `${doc.description}\n\n${rules.join(" ")}${requestInWords(operation)}`;
}

/** Shows an example whose input is in its address; the example of a body stands beside the body's schema. */
function requestInWords({ name, takes, takesQuery, doc: { example } }: Operation): string {
  const input = example?.input ?? takes.examples?.[0];
  if (!isObject(input) || !takesQuery) return "";
  const query = new URLSearchParams();
  for (const [field, value] of Object.entries(input)) query.set(field, String(value));
  const path = name.replace(/\{(\w+)\}/g, (_, part: string) => example?.params?.[part] ?? "");
  return `\n\nExample: \`${path}${query.size === 0 ? "" : `?${query}`}\``;
}

export const rulesInWords =
  "Each description ends with the access rules. Scope: agent sessions need it; API keys and logged-in " +
  "browsers have all scopes. Project token: the public one, not a secret. Pro: only the Pro plan; " +
  "otherwise both plans. Read: counts as a monthly read of the Free plan. Demo: demo sessions can use " +
  "it. Shares: share tokens can use it. Fresh sign-in: a browser first confirms the password. " +
  "Errors: further codes besides the common ones.";

const accessInWords: Readonly<Partial<Record<Access, string>>> = {
  none: "No credential.",
  token: "Project token.",
  optional: "No credential, or scope `account:read`.",
  own: "Any credential; an agent session can only name itself.",
  program: "Agent session or API key.",
  key: "API key or logged-in browser.",
  cookie: "Logged-in browser.",
  admin: "Logged-in browser of an administrator.",
};

/** Says which codes operations have in common, by what makes them so. */
export const refusalsInWords =
  "Branch on `error`. Any operation: `PAYLOAD_TOO_LARGE`, `INTERNAL_ERROR`, `UNAVAILABLE`. With input: " +
  "`INVALID_BODY` (shape, unknown fields) and `MISSING_FIELDS` (a missing or invalid field, named in " +
  "`field`). With a credential: `AUTH_REQUIRED`, `INVALID_TOKEN`, `INVALID_CREDENTIALS` (password of a " +
  "share), `RATE_LIMITED`, `FORBIDDEN`, `DEMO_READ_ONLY`, `TWO_FACTOR_REQUIRED` (a browser in an account that " +
  "requires a second factor), and `CSRF_FAILED` where a browser writes. With " +
  "a project token: `INVALID_TOKEN`; with a body too, `ORIGIN_NOT_ALLOWED` and `RATE_LIMITED`. With " +
  "`project`: `PROJECT_REQUIRED`, `NOT_FOUND`. With a credential and an id in the path: `NOT_FOUND`, or " +
  "`EXPERIMENT_NOT_FOUND`. Pro and reads: `PRO_REQUIRED`. Reads: `QUERY_FAILED`. With `filters`: " +
  "`INVALID_FILTER_FIELD`, `INVALID_FILTER_OP`, `INVALID_PROPERTY_KEY`.";

/** Every code that an operation may refuse with. */
export const codesOf = (operation: Operation): readonly ErrorCode[] => [
  ...generalCodesOf(operation),
  ...furtherCodesOf(operation),
];

const furtherCodesOf = ({ doc, rule }: Operation): readonly ErrorCode[] => [
  ...(doc.errors ?? []),
  ...(rule.fresh === "never" ? [] : ["CONFIRM_REQUIRED" as const]),
];

function ownCodesOf(operation: Operation): readonly ErrorCode[] {
  const general = new Set(generalCodesOf(operation));
  const isLimited = addressLimits.has(operation.name);
  const own = [...furtherCodesOf(operation), ...(isLimited ? ["RATE_LIMITED" as const] : [])];
  const isTold = (code: ErrorCode): boolean =>
    general.has(code) && !(code === "RATE_LIMITED" && isLimited);
  return [...new Set(own)].filter((code) => !isTold(code));
}

function generalCodesOf(operation: Operation): readonly ErrorCode[] {
  const { name, rule, shares, takes } = operation;
  const { access, plan, read, demo } = rule;
  const fields = Object.keys(takes.properties ?? {});
  const hasBody = !name.startsWith("GET ");
  const isForAccount = hasAccount(access);
  const errors: ErrorCode[] = ["UNAVAILABLE", "INTERNAL_ERROR", "PAYLOAD_TOO_LARGE"];
  if (hasBody || refusesUnknown(operation)) errors.push("INVALID_BODY");
  if (fields.length > 0) errors.push("MISSING_FIELDS");
  const needsProject = takes.required?.includes("project") === true;
  if (needsProject && isForAccount) errors.push("PROJECT_REQUIRED", "NOT_FOUND");
  if (isForAccount && name.includes("/{id")) {
    errors.push(name.includes("/experiments/") ? "EXPERIMENT_NOT_FOUND" : "NOT_FOUND");
  }
  if (access === "token") errors.push("INVALID_TOKEN");
  if (access === "token" && hasBody) errors.push("ORIGIN_NOT_ALLOWED", "RATE_LIMITED");
  if (addressLimits.has(name)) errors.push("RATE_LIMITED");
  if (isForAccount) errors.push("AUTH_REQUIRED", "INVALID_TOKEN", "RATE_LIMITED", "FORBIDDEN");
  if (isForAccount && (!demo || hasBody)) errors.push("DEMO_READ_ONLY");
  if (shares !== null) errors.push("INVALID_CREDENTIALS");
  if (isForAccount && hasBody) errors.push("CSRF_FAILED");
  if (isForAccount && !rule.isBeforeFactor) errors.push("TWO_FACTOR_REQUIRED");
  if (plan === "pro" || read) errors.push("PRO_REQUIRED");
  if (read) errors.push("QUERY_FAILED");
  if (fields.includes("filters")) errors.push(...filterErrors);
  return errors;
}

const refusesUnknown = ({ isLenient, isPage }: Operation): boolean => !isLenient && !isPage;

/** Absent where it is that of the whole document: every kind of credential. */
export function securityOf({ rule: { access } }: Operation): readonly Security[] | undefined {
  switch (access) {
    case "none":
    case "token":
      return [];
    case "cookie":
    case "admin":
      return [{ browserSession: [] }];
    case "program":
      return [{ agentSession: [] }, { apiKey: [] }];
    case "key":
      return [{ apiKey: [] }, { apiKeyInQuery: [] }, { browserSession: [] }];
    case "optional":
      return [{}, ...everyCredential];
    default:
      return undefined;
  }
}
type Security = Readonly<Record<string, readonly string[]>>;

export const everyCredential: readonly Security[] = [
  { agentSession: [] },
  { apiKey: [] },
  { apiKeyInQuery: [] },
  { browserSession: [] },
];

/** What is answered to requests that no operation takes. */
const codesOfUnmatched: readonly ErrorCode[] = [
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "MISSING_FIELDS",
];

/** The codes of operations by their status, as the schema of an error has them. */
export function codesByStatus(operations: readonly Operation[]): readonly {
  readonly status: number;
  readonly codes: readonly ErrorCode[];
}[] {
  const used = new Set<ErrorCode>([...operations.flatMap(codesOf), ...codesOfUnmatched]);
  const statuses = [...new Set(Object.values(errorStatus))].sort((a, b) => a - b);
  const codes = [...used].map((code) => [code, errorStatus[code]] as const);
  return statuses
    .map((status) => ({
      status,
      codes: codes.filter(([, one]) => one === status).map(([code]) => code),
    }))
    .filter((one) => one.codes.length > 0);
}
