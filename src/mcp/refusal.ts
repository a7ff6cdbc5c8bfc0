import { ApiError, type ErrorCode } from "../domain/errors";
import { filterFields } from "../domain/filter";
import { isOfSessions } from "../domain/visitor-field";
import { errorAnswer } from "../http/edge/errors";
import { untrustedHeader } from "../http/edge/headers";
import { isObject, type Node } from "../http/operation/input";
import { inertText } from "../lib/inert-text";
import { halvedWindow } from "./halved-window";
import {
  changedArguments,
  ofOperation,
  repeatedCharsMax,
  sentAgain,
  type ToolCall,
} from "./result";
import { jsonOf } from "./stored";
import type { Arguments } from "./tools";
import { ToolRefusal } from "./without-tool";

type Fields = Readonly<Record<string, unknown>>;

/** Codes after which the same call may succeed, later or a little smaller. */
const retryable: ReadonlySet<ErrorCode> = new Set(["RATE_LIMITED", "UNAVAILABLE", "QUERY_FAILED"]);

const describedByProject: ReadonlySet<ErrorCode> = new Set([
  ...(["INVALID_FILTER_FIELD", "INVALID_FUNNEL_STEPS", "INVALID_PROPERTY_KEY"] as const),
  "GOAL_NOT_FOUND",
]);

interface Failure {
  readonly requestId: string;
  readonly route: string;
}

/**
 * `structuredContent` of a refusal: the body of the error, whether to try again, and the call that helps. `takes` is
 * what the operation takes that has refused.
 */
export function refusalOf(
  thrown: unknown,
  asked: ToolCall,
  takes: () => Node,
  failure: Failure,
): Fields {
  const { text, headers } = errorAnswer(thrown, { ...failure, format: "json" });
  const body: unknown = JSON.parse(text);
  const error = thrown instanceof ApiError ? thrown : null;
  const next = error === null ? null : nextOf(error, asked, takes);
  const untrusted = headers[untrustedHeader]?.replaceAll("[]", "").split(", ") ?? [];
  return {
    ...(isObject(body) ? told(body) : {}),
    ...(untrusted.length > 0 && { untrusted }),
    retryable: error !== null && retryable.has(error.code),
    ...(next !== null && { next }),
  };
}

/** Suggestions are names that visitors have sent, and other parts may repeat the caller. */
const told = (body: Fields): Fields =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name, inert(name, value)]));

/** The parts that this server words: a placeholder in them would look like markup, which `inertText` breaks. */
const ownWords: ReadonlySet<string> = new Set(["message", "suggested_item"]);
const placeholder = /<([a-z_]+)>/g;

function inert(name: string, value: unknown): unknown {
  if (typeof value === "string") {
    if (name === "upgrade_url") return value;
    return inertText(ownWords.has(name) ? value.replace(placeholder, "{$1}") : value);
  }
  if (Array.isArray(value)) return value.map((one) => inert(name, one));
  if (!isObject(value)) return value;
  return ownWords.has(name)
    ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, inert(name, part)]))
    : told(value);
}

function nextOf(error: ApiError, asked: ToolCall, takes: () => Node): Fields | null {
  const { code, extras } = error;
  const { args } = asked;
  const fields = ofOperation(args);
  const again = (changed: Arguments, more: Fields = {}): Fields | null => {
    const isLong = JSON.stringify(args).length > repeatedCharsMax;
    return isLong
      ? null
      : { tool: asked.tool, arguments: sentAgain(changedArguments(args, changed)), ...more };
  };
  if (error instanceof ToolRefusal) {
    const { next } = error;
    if (next === null || "open" in next) return next;
    const isLong = JSON.stringify(next.args).length > repeatedCharsMax;
    return isLong ? null : { tool: next.tool, arguments: sentAgain(next.args) };
  }
  if (code === "PROJECT_REQUIRED") return { tool: "list_projects", arguments: {} };
  // Without a project, something else was not found.
  if (code === "NOT_FOUND" && typeof fields.project === "string") {
    return { tool: "list_projects", arguments: {} };
  }
  if (code === "EXPERIMENT_NOT_FOUND") return { tool: "experiments", arguments: {} };
  if (code === "PRO_REQUIRED") return { open: extras.upgrade_url ?? null };
  if (code === "RATE_LIMITED" || code === "UNAVAILABLE") {
    return again({}, { after_seconds: extras.retry_after_seconds ?? 1 });
  }
  if (code === "QUERY_FAILED") return again(halvedWindow(fields, takes()));
  if (!describedByProject.has(code)) return null;
  const corrected = correctedArguments(fields, extras);
  if (corrected !== null) return again(corrected);
  const { project } = fields;
  return {
    tool: "describe_project",
    arguments: typeof project === "string" ? sentAgain({ project }) : {},
  };
}

/** Returns the arguments with the probable field in place of the unknown one; null where that cannot be told. */
function correctedArguments(
  args: Arguments,
  { suggested_field: meant }: ApiError["extras"],
): Arguments | null {
  if (typeof meant !== "string") return null;
  const unknown = new Set<string>();
  withFields(args, (field) => {
    if (!isKnown(field)) unknown.add(field);
    return field;
  });
  // If several fields are wrong, the suggestion is for one of them only.
  if (unknown.size !== 1) return null;
  const corrected = withFields(args, (field) => (unknown.has(field) ? meant : field));
  return isObject(corrected) ? corrected : null;
}

const isKnown = (field: string): boolean =>
  field.startsWith("properties.") ||
  isOfSessions(field) ||
  filterFields.some((one) => one === field);

/** A copy in which each filter is by the field that `change` says; filters may be JSON within a text. */
function withFields(value: unknown, change: (field: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => withFields(one, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      if (typeof part !== "string") return [key, withFields(part, change)];
      if (key === "field") return [key, change(part)];
      const inner = key === "filters" ? jsonOf(part) : undefined;
      return [key, inner === undefined ? part : JSON.stringify(withFields(inner, change))];
    }),
  );
}
