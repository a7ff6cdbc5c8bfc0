/*
 * The server tells an agent who can call the operations that no tool has.
 * Decision: `describe_project` lists these operations with the pages of the dashboard, and the reads that need a scope
 * which the client has not requested. If an agent calls one of them, with `more_reads` or as a tool, the server refuses
 * the call and names the page, or the tool that has the operation, and the HTTP request.
 * Because: no tool deletes, publishes or sends anything, so an agent has to ask its human, and must say where.
 * Cost: the description of a project is about 800 characters longer.
 */

import type { Caller } from "../domain/caller";
import { ApiError } from "../domain/errors";
import { hasRights } from "../http/auth/rights";
import type { Deps } from "../http/deps";
import { type Access, hasAccount } from "../http/operation/facts";
import type { Operation } from "../http/operation/operation";
import type { ProjectPage } from "../http/operation/operation-doc";
import { readableProjects } from "../store/control/project-selector";
import { inputFieldsOf, moreReadsName } from "./more-reads";
import type { ToolCall } from "./result";
import { type Arguments, isAccountRead, isOpenTo, moreReads, tools } from "./tools";

/** Refuses an operation that a tool has under another name, or that no tool has. */
export class ToolRefusal extends ApiError {
  constructor(
    message: string,
    /** The call that helps, or the page to open; null for an operation that has neither. */
    readonly next: Pick<ToolCall, "tool" | "args"> | { readonly open: string } | null,
  ) {
    super("FORBIDDEN", message, { field: "operation" });
  }
}

/** Finds an operation by its id in the API, or by the name that a tool for it would have; null if there is none. */
export function operationCalled(
  operations: readonly Operation[],
  called: unknown,
  { caller }: Pick<Asker, "caller">,
): Operation | null {
  if (caller.isDemo) return null;
  const of = ({ doc, rule, isPage, call }: Operation): boolean =>
    call !== undefined &&
    hasAccount(rule.access) &&
    !isPage &&
    (doc.id === called || asToolName(doc.id) === called);
  return operations.find(of) ?? null;
}

/** `createGoal` → `create_goal`. */
const asToolName = (id: string): string =>
  id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns the error for an operation that the called tool does not have. */
export function refusalWithoutTool(
  operation: Operation,
  args: Arguments,
  { deps, caller }: Asker,
): ToolRefusal {
  const { name, doc, rule } = operation;
  const own = tools.find(({ operations }) => operations.includes(name))?.name;
  const tool = own ?? (isAccountRead(operation) ? moreReadsName : null);
  if (tool !== null) {
    const sent = own === undefined ? { operation: doc.id, arguments: args } : args;
    return new ToolRefusal(`The tool ${tool} does this: ${doc.summary}.`, { tool, args: sent });
  }
  const url = doc.page === undefined ? null : urlOf(doc.page, deps, caller, args.project);
  const parts = [
    `No tool does this: ${doc.summary}.`,
    url === null ? "" : "Ask your human to do it in the dashboard, on the page that `next` names.",
    isOfBrowser(rule.access)
      ? "No program can do it, only a person who is logged in."
      : `A program with the API key sends ${requestWords(operation)}.`,
  ];
  return new ToolRefusal(parts.filter(Boolean).join(" "), url === null ? null : { open: url });
}

/** Tells whether an operation takes neither an API key nor the token of an agent. */
const isOfBrowser = (access: Access): boolean => access === "cookie" || access === "admin";

function requestWords(operation: Operation): string {
  const fields = inputFieldsOf(operation);
  return fields.length === 0 ? operation.name : `${operation.name} (${fields.join(", ")})`;
}

interface Asker {
  readonly deps: Deps;
  readonly caller: Caller;
}

/** The address of a page. It has the id of the project, not its name, which is text of a person. */
function urlOf(page: ProjectPage, deps: Deps, caller: Caller, project: unknown): string {
  const readable = readableProjects(deps, caller);
  const named = readable.find(({ id, name }) => id === project || name === project);
  const { id = null } = named ?? (readable.length === 1 ? readable[0] : undefined) ?? {};
  const app = `${deps.config.publicUrl}/app`;
  return id === null ? app : `${app}/p/${id}/${page}`;
}

/** Returns notes about the operations that a caller has rights for and that its tools do not have. */
export function notesOfOthers(
  operations: readonly Operation[],
  project: string,
  { deps, caller }: Asker,
): readonly string[] {
  if (caller.isDemo) return [];
  const own = operations.filter(({ rule }) => hasRights(rule, caller));
  return [noteOfPages(own, project, deps), noteOfScopes(own, caller)].filter((note) => note !== "");
}

function noteOfPages(operations: readonly Operation[], project: string, { config }: Deps): string {
  const changes = operations.filter(({ name }) => !name.startsWith("GET "));
  const listed = listedBy(changes, ({ doc }) => doc.page);
  if (listed === "") return "";
  return (
    "No tool does the following. A person does it in the dashboard of this server, on a page below " +
    `${config.basePath}/app/p/${project}/. more_reads with one of these names returns the address and the request. ` +
    `${listed}.`
  );
}

/** Clients request few scopes, and the server hides tools that need other scopes. */
function noteOfScopes(operations: readonly Operation[], caller: Caller): string {
  const hidden = moreReads(operations).filter((operation) => !isOpenTo(operation, caller));
  const listed = listedBy(hidden, ({ rule }) => rule.access);
  if (listed === "") return "";
  return `more_reads has more reads with other scopes; a call asks your human for the scope. ${listed}.`;
}

/** Lists operations in groups with the same page or scope: `replays:read: listReplays, getReplay; …`. */
function listedBy(
  operations: readonly Operation[],
  by: (operation: Operation) => string | undefined,
): string {
  const groups = Map.groupBy(operations, by);
  groups.delete(undefined);
  const listed = [...groups].map(
    ([key, of]) => `${key}: ${of.map(({ doc }) => doc.id).join(", ")}`,
  );
  return listed.join("; ");
}
