import { storedText } from "../../../src/lib/inert-text";
import type { Json, TestApp } from "./app";

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** `structuredContent` of a tool. */
export interface ToolResult {
  readonly answer: Json;
  readonly tables: Readonly<Record<string, Table>>;
  readonly untrusted: readonly string[];
  readonly notes: readonly string[];
  readonly cut?: Readonly<Record<string, { readonly shown: number; readonly total: number }>>;
  readonly next?: { readonly tool: string; readonly arguments: Json };
}

export interface Called {
  readonly isError: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent: ToolResult & Json;
}

type Headers = Readonly<Record<string, string>>;

/** A message as the older revisions send it. */
export async function sendMcp(app: TestApp, body: unknown, headers: Headers = {}) {
  const own = Object.keys(headers).length === 0 ? { "x-api-key": app.key } : headers;
  return app.send("POST", "/mcp", { headers: own, body });
}

export async function resultOf(
  app: TestApp,
  method: string,
  params: Json = {},
  headers?: Headers,
): Promise<Json> {
  const answer = await sendMcp(app, { jsonrpc: "2.0", id: 1, method, params }, headers);
  const { result } = (await answer.json()) as { result?: Json };
  if (result === undefined) throw new Error(`${method}: ${answer.status}`);
  return result;
}

export async function callTool(
  app: TestApp,
  name: string,
  args: Json = {},
  headers?: Headers,
): Promise<Called> {
  const result = await resultOf(app, "tools/call", { name, arguments: args }, headers);
  return result as unknown as Called;
}

/** Tables turned back into lists of objects, every text as it is stored: what HTTP answers, but for nulls. */
export function turnedBack({ answer, tables }: ToolResult): Json {
  const lists = new Map<string, Json[]>();
  for (const [name, { columns, rows }] of Object.entries(tables)) {
    lists.set(
      name,
      rows.map((row) => objectOf(columns, row)),
    );
  }
  // Lists within rows come after the table of those rows.
  for (const [name, entries] of lists) putIntoRows(lists, name.split("."), entries);
  const whole = [...lists].filter(([name]) => !name.includes("."));
  return withoutNulls({ ...(stored(answer) as Json), ...Object.fromEntries(whole) }) as Json;
}

type Entries = Record<string, unknown>[];

function putIntoRows(lists: Map<string, Json[]>, parts: string[], entries: Entries): void {
  const [key = "", parent = ""] = parts.toReversed();
  if (parts.length < 2) return;
  if (/^\d+$/.test(parent)) {
    const row = lists.get(parts.slice(0, -2).join("."))?.[Number(parent)];
    if (row !== undefined) define(row, key, entries);
    return;
  }
  const rows = lists.get(parts.slice(0, -1).join(".")) ?? [];
  for (const row of rows) define(row, key, []);
  const path: Entries = [];
  for (const entry of entries) {
    const { [parent]: number, depth } = entry as { [name: string]: number };
    delete entry[parent];
    delete entry.depth;
    if (depth !== undefined) define(entry, "children", []);
    const list = depth ? path[depth - 1]?.children : rows[Number(number)]?.[key];
    (list as Entries).push(entry);
    path[depth ?? 0] = entry;
  }
}

function objectOf(columns: readonly string[], row: readonly unknown[]): Json {
  const object: Record<string, unknown> = {};
  columns.forEach((column, at) => {
    const value = row[at] ?? null;
    if (value === null) return;
    const path = column.split(".").map(storedText);
    let place = object;
    for (const key of path.slice(0, -1)) {
      if (!Object.hasOwn(place, key)) define(place, key, {});
      place = place[key] as Record<string, unknown>;
    }
    define(place, path.at(-1) ?? "", stored(value));
  });
  return object;
}

/** Defines a key, which may be one that objects have by themselves. */
const define = (object: object, key: string, value: unknown): void => {
  Object.defineProperty(object, key, {
    ...{ value, enumerable: true, configurable: true, writable: true },
  });
};

function stored(value: unknown): unknown {
  if (typeof value === "string") return storedText(value);
  if (Array.isArray(value)) return value.map(stored);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [storedText(key), stored(part)]),
  );
}

export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(kept.map(([key, part]) => [key, withoutNulls(part)]));
}
