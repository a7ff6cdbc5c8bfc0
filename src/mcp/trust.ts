/*
 * A text is a stranger's until somebody says otherwise.
 * Decision: in results of tools a field is untrusted unless its schema bounds it or `mcp/trust.ts` names it.
 * Because: a field that is added and forgotten is then declared once too often, and never too seldom.
 * Cost: a list of names.
 * Revisit: when the schemas themselves say who wrote a text.
 */

import { isObject, type Node } from "../http/operation/input";
import type { Operation } from "../http/operation/operation";

/** Words of this server, which stay exact: they are to be used as they are. */
const serverTexts: ReadonlySet<string> = new Set([
  ...["snippet", "snippet_note", "api_example", "recommendation", "caveats", "bucket", "timezone"],
  ...["id", "project_id", "account_id", "source_scan_id", "project_token", "country", "category"],
  ...["next_cursor", "scope", "code", "field", "reason", "date", "hour", "week", "month"],
]);

/** Written with a credential of the account. */
const ownerTexts: ReadonlySet<string> = new Set([
  ...["project", "name", "slug", "primary_domain", "allowed_origins", "email", "address", "role"],
  ...["goals", "activation_events", "event_name", "term", "definition", "title", "note"],
  ...["goal_event", "property", "metrics", "group_by", "shared_milestones", "key"],
  ...["mask_selectors", "block_selectors"],
]);

/** Who wrote what in the answers of an operation, by the name of a field. */
export interface Trust {
  /** Of this server: shown as it is. */
  isServers(name: string): boolean;
  /** Sent by anybody. What nobody has looked at counts so. */
  isVisitors(name: string): boolean;
  /** Whether a field of the answer itself is a list of objects. */
  isTable(name: string): boolean;
}

export function trustOf(operation: Operation): Trust {
  const known = trusts.get(operation) ?? makeTrust(operation);
  trusts.set(operation, known);
  return known;
}
const trusts = new WeakMap<Operation, Trust>();

function makeTrust({ name, returns }: Operation): Trust {
  const free = new Set<string>();
  const bound = new Set<string>();
  for (const schema of Object.values(returns)) collect(schema, "", free, bound);
  const lists = new Set(Object.values(returns).flatMap(listsOf));
  // The keys of variants are the owner's; those of received properties are not.
  const isKeyOfOwner = name.includes("/experiments");
  const isOwners = (field: string): boolean =>
    ownerTexts.has(field) && (field !== "key" || isKeyOfOwner);
  const isBound = (field: string): boolean => bound.has(field) && !free.has(field);
  return {
    isTable: (field) => lists.has(field),
    isServers: (field) => serverTexts.has(field),
    isVisitors: (field) => !serverTexts.has(field) && !isOwners(field) && !isBound(field),
  };
}

const listsOf = ({ properties = {}, anyOf = [] }: Node): readonly string[] => [
  ...Object.entries(properties).flatMap(([name, { items }]) =>
    items !== undefined && isOfObjects(items) ? [name] : [],
  ),
  ...anyOf.flatMap(listsOf),
];
const isOfObjects = ({ type, anyOf = [] }: Node): boolean =>
  type === "object" || (anyOf.length > 0 && anyOf.every(isOfObjects));

/** Names of fields whose texts are free, and of those that a rule of the schema bounds: words, dates, ids. */
function collect(node: Node, name: string, free: Set<string>, bound: Set<string>): void {
  const { anyOf = [], items, properties = {} } = node;
  if ("patternProperties" in node || isObject(node.additionalProperties)) free.add(name);
  if (node.type === "string") ("pattern" in node || "const" in node ? bound : free).add(name);
  if (node.enum !== undefined) bound.add(name);
  if (node.type === undefined && node.enum === undefined && anyOf.length === 0) free.add(name);
  for (const branch of anyOf) collect(branch, name, free, bound);
  if (items !== undefined) collect(items, name, free, bound);
  for (const [field, one] of Object.entries(properties)) collect(one, field, free, bound);
}
