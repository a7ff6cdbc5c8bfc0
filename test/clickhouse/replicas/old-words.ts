import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { RowBinary } from "../../../src/store/clickhouse/row-binary";
import { tablesOfProjects } from "../../../src/store/clickhouse/tables";
import { clusterName, type Member, user } from "./cluster-process";

/**
 * Sightline writes for a ClickHouse of today; Debian's is of 2018. Between them this says the same in the words of that
 * time, and leaves out what it had no words for: tokens (its blocks are known again by what is in them), codecs, skip
 * indices, fsync. A time is a number, with the same bytes; a map a list of its keys and values, of twice its length.
 */
export interface OldWords {
  readonly url: string;
  /** The statements, as they came. */
  readonly asked: string[];
  /** The server that is asked from now on. */
  to: Member;
  /** What becomes of an insert, told its table. */
  fate: (table: string) => "pass" | "answer lost";
  close(): void;
}

interface Ports {
  /** Told each statement that is no insert, when it was executed. */
  afterDeletion(statement: string): Promise<void>;
  /** The ports of the native protocol of all servers. */
  readonly tcp: readonly number[];
  /** The quorum of a table that all servers have, and of one that those of a shard have. */
  readonly quorums: { readonly ofAll: number; readonly ofShard: number };
}

export async function startOldWords(first: Member, ports: Ports): Promise<OldWords> {
  const server = createServer(async (request, response) => {
    const sent = new URL(request.url ?? "/", "http://127.0.0.1").searchParams;
    const body = await bodyOf(request);
    const insert = sent.get("query");
    const statement = insert ?? (await statementOf(request, body));
    words.asked.push(statement);
    const [, table = ""] = /^insert into \w+\.(\w+)/.exec(statement) ?? [];
    const settings = settingsOf(sent, table, ports);
    if (insert !== null) settings.set("query", insert);
    const answer = await fetch(`${words.to.url}/?${settings}`, {
      method: "POST",
      headers: {
        "x-clickhouse-user": String(request.headers["x-clickhouse-user"]),
        "x-clickhouse-key": String(request.headers["x-clickhouse-key"]),
      },
      body:
        insert === null
          ? oldStatement(statement, ports)
          : table === "event"
            ? oldEvents(body)
            : body,
    }).catch(() => null);
    const bytes = (await answer?.bytes().catch(() => null)) ?? null;
    const isLost = insert !== null && words.fate(table) === "answer lost";
    if (answer === null || bytes === null || isLost) return void request.socket.destroy();
    if (answer.ok && insert === null) await ports.afterDeletion(statement);
    if (answer.ok) return void response.writeHead(200).end(bytes);
    const code = /Code: (\d+)/.exec(Buffer.from(bytes).toString())?.[1] ?? "0";
    response.writeHead(500, { "x-clickhouse-exception-code": code }).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const words: OldWords = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    to: first,
    fate: () => "pass",
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return words;
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  for await (const part of request) parts.push(part);
  return new Uint8Array(Buffer.concat(parts));
}

/** Returns a statement with its values in it, as this version could not bind them. */
async function statementOf(request: IncomingMessage, body: Uint8Array<ArrayBuffer>) {
  const type = String(request.headers["content-type"]);
  if (!type.startsWith("multipart/")) return Buffer.from(body).toString();
  const form = await new Response(body, { headers: { "content-type": type } }).formData();
  return String(form.get("query")).replace(
    /\{(\w+):(\w+)(?:\(\w+\))?\}/g,
    (_, name: string, kind: string) => {
      const value = String(form.get(`param_${name}`));
      if (kind === "Array") return value.replace(/^\[/, "(").replace(/\]$/, ")");
      return kind === "String" ? `'${value.replaceAll("'", "\\'")}'` : value;
    },
  );
}

/** Settings that there were, some by another name. */
const oldSettings: Readonly<Record<string, string>> = {
  ...{ default_format: "default_format", wait_end_of_query: "wait_end_of_query" },
  output_format_json_quote_64bit_integers: "output_format_json_quote_64bit_integers",
  ...{ insert_deduplicate: "insert_deduplicate", max_execution_time: "max_execution_time" },
  ...{ insert_quorum: "insert_quorum", insert_quorum_timeout: "insert_quorum_timeout" },
  select_sequential_consistency: "select_sequential_consistency",
  distributed_foreground_insert: "insert_distributed_sync",
  distributed_product_mode: "distributed_product_mode",
  distributed_ddl_task_timeout: "distributed_ddl_task_timeout",
  skip_unavailable_shards: "skip_unavailable_shards",
};

function settingsOf(sent: URLSearchParams, table: string, { quorums }: Ports): URLSearchParams {
  const known = new URLSearchParams();
  for (const [name, value] of sent) {
    const old = oldSettings[name];
    if (old !== undefined) known.set(old, value);
  }
  // A majority had to be counted out.
  const quorum = tablesOfProjects.has(table) ? quorums.ofShard : quorums.ofAll;
  if (known.get("insert_quorum") === "auto") known.set("insert_quorum", String(quorum));
  return known;
}

function oldStatement(statement: string, { tcp }: Ports): string {
  const text = statement.replace(
    /clusterAllReplicas\('\w+', (\w+\.\w+)\)/g,
    (_, table: string) =>
      `remote('127.0.0.1:{${tcp.join(",")}}', ${table}, '${user.name}', '${user.password}')`,
  );
  const [, database] = /^exists database (\w+)$/.exec(text) ?? [];
  if (database !== undefined)
    return `select count() as result from system.databases where name = '${database}'`;
  if (text.startsWith("delete from ")) {
    return text.replace(/^delete from (.+?) where /, "alter table $1 delete where ");
  }
  return text.startsWith("create table ") ? oldTable(text) : text;
}

function oldTable(text: string): string {
  const [table, settings = ""] = text.split(/\n {2}settings /);
  const window = /replicated_deduplication_window = \d+, \w+ = \d+/.exec(settings)?.[0];
  return table
    .replace(/ codec\((?:[^()]|\(\d+\))*\)/g, "")
    .replace(/,?\s*index by_[^\n]+/g, "")
    .replaceAll("DateTime64(3, 'UTC')", "Int64")
    .replaceAll("LowCardinality(String)", "String")
    .replaceAll("Map(String, String)", "Array(String)")
    .replaceAll(" Bool", " UInt8")
    .replaceAll(/\b(toYYYYMM|toDate)\(time\)/g, "$1(toDateTime(intDiv(time, 1000)))")
    .concat(window === undefined ? "" : ` settings ${window}`);
}

/**
 * Rewrites rows of events: three numbers, seven texts and a flag come before the properties, and a number after them.
 */
function oldEvents(rows: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  let at = 0;
  let copied = 0;
  const length = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = rows[at++];
      value += (byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const skipTexts = (count: number): void => {
    for (let text = 0; text < count; text++) {
      const size = length();
      at += size;
    }
  };
  while (at < rows.length) {
    at += 3 * 8;
    skipTexts(7);
    at += 1;
    parts.push(rows.subarray(copied, at));
    const texts = 2 * length();
    parts.push(new RowBinary().length(texts).done());
    copied = at;
    skipTexts(texts);
    at += 8;
  }
  return new Uint8Array(Buffer.concat([...parts, rows.subarray(copied)]));
}

let nudges = 0;
/**
 * This version does not delete from the last part that a quorum has: another one has to come, of a row of no project,
 * which no read and no count of Sightline's looks at.
 */
export async function nudge(firstOfShards: readonly Member[], statement: string): Promise<void> {
  const [, table, where] =
    /^delete from (\S+) on cluster \S+ where ([\s\S]*)/.exec(statement) ?? [];
  if (table === undefined) return;
  const row = table.endsWith(".event_local")
    ? "time, ticket) select 0, max(time)"
    : "commit) select 0";
  for (const server of firstOfShards) {
    const insert = `insert into ${table} (project, ${row}, ${nudges++} from ${table} where ${where}`;
    await ask(server, insert, { insert_quorum: "2" }).catch(() => undefined);
  }
}

/** The native ports of the servers, from one of them. */
export async function portsOf(server: Member): Promise<number[]> {
  const rows = await ask<{ port: number }>(
    server,
    `select port from system.clusters where cluster = '${clusterName}'`,
  );
  return rows.map(({ port }) => port);
}

/** Asks one server in its own dialect. */
export async function ask<Row>(
  server: Member,
  statement: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Row[]> {
  const query = new URLSearchParams({
    ...{ output_format_json_quote_64bit_integers: "0", default_format: "JSONEachRow" },
    ...settings,
  });
  const response = await fetch(`${server.url}/?${query}`, {
    method: "POST",
    headers: { "x-clickhouse-user": user.name, "x-clickhouse-key": user.password },
    body: statement,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Row);
}
