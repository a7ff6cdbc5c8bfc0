/**
 * A ClickHouse of one process for tests: the engine is chdb, ClickHouse as a library; this file speaks as much of
 * ClickHouse's HTTP interface as the store uses. `bun test/clickhouse/server.ts FOLDER [PORT]` prints where it listens.
 * It has no users, no replicas, and what was asked goes on when its client hangs up.
 */
import { unlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { threadsVariable } from "./server-process";

interface Result {
  readonly bytes: Uint8Array;
}
/** What is used of chdb, which has no types for it. */
interface Native {
  QueryAsyncConnection(
    connection: unknown,
    statement: string,
    format: string,
    parameters?: Readonly<Record<string, string>>,
  ): Promise<Result>;
}
interface Session {
  readonly connection: unknown;
}

const require = createRequire(import.meta.url);
const { Session } = require("chdb") as { Session: new (folder: string) => Session };
const loader = join(dirname(require.resolve("chdb")), "dist/loader.js");
const native = (require(loader) as { loadNative(): Native }).loadNative();

const [folder = "./data", port = "0"] = process.argv.slice(2);

/** Connections to one folder run beside each other. */
const connectionsMax = 4;
const idle: Session[] = Array.from({ length: connectionsMax }, () => new Session(folder));
const waiting: ((session: Session) => void)[] = [];

async function within<T>(work: (session: Session) => Promise<T>): Promise<T> {
  const session = idle.pop() ?? (await new Promise<Session>((resolve) => waiting.push(resolve)));
  try {
    return await work(session);
  } finally {
    const next = waiting.shift();
    if (next) next(session);
    else idle.push(session);
  }
}

/** Parameters of the address; every other one is a setting. */
const ownNames = new Set(["query", "query_id", "database", "default_format", "wait_end_of_query"]);
const quoted = (text: string): string => `'${text.replace(/\\/g, "\\\\").replace(/'/g, "\\'")}'`;
const settingText = (value: string): string => (/^-?\d+$/.test(value) ? value : quoted(value));
/** A test machine has little to give. */
const settingsAlways =
  `max_threads = ${process.env[threadsVariable] ?? 1}, ` +
  "compile_expressions = 0, compile_aggregate_expressions = 0";
let files = 0;

async function answer(request: Request): Promise<Uint8Array> {
  const { searchParams: sent } = new URL(request.url);
  const settings = [...sent].filter(([name]) => !ownNames.has(name));
  const tail = [
    settingsAlways,
    ...settings.map(([name, value]) => `${name} = ${settingText(value)}`),
  ];
  const insert = sent.get("query");
  if (insert !== null) return stored(insert, tail, await request.bytes());
  const isForm = request.headers.get("content-type")?.startsWith("multipart/") === true;
  const form = isForm ? await request.formData() : null;
  const statement = form === null ? await request.text() : String(form.get("query"));
  const parameters = Object.fromEntries(
    [...(form ?? [])]
      .filter(([name]) => name.startsWith("param_"))
      .map(([name, value]) => [name.slice("param_".length), String(value)]),
  );
  const takesSettings = /^\s*(select|with)\b/i.test(statement);
  const text = takesSettings ? `${statement} settings ${tail.join(", ")}` : statement;
  const format = sent.get("default_format") ?? "TabSeparated";
  const { bytes } = await within(({ connection }) =>
    native.QueryAsyncConnection(connection, text, format, parameters),
  );
  return bytes;
}

/** The engine ends data that stands in a statement at an empty line, so they go through a file. */
async function stored(
  insert: string,
  settings: readonly string[],
  rows: Uint8Array,
): Promise<Uint8Array> {
  const [, target, format] = /^(insert into \S+(?: \([^)]*\))?) format (\w+)$/i.exec(insert) ?? [];
  if (target === undefined)
    throw new Error("Code: 62. This server takes `insert into … format …` alone.");
  const file = join(tmpdir(), `sightline-clickhouse-${process.pid}-${files++}`);
  writeFileSync(file, rows);
  const text = `${target} from infile '${file}' settings ${settings.join(", ")} format ${format}`;
  try {
    const { bytes } = await within(({ connection }) =>
      native.QueryAsyncConnection(connection, text, "Null"),
    );
    return bytes;
  } finally {
    unlinkSync(file);
  }
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  maxRequestBodySize: 1 << 30,
  idleTimeout: 255,
  fetch: async (request) => {
    if (new URL(request.url).pathname === "/ping") return new Response("Ok.\n");
    try {
      return new Response(await answer(request));
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const code = /Code: (\d+)/.exec(text)?.[1] ?? "1002";
      return new Response(text, { status: 500, headers: { "x-clickhouse-exception-code": code } });
    }
  },
});
process.stdout.write(`${server.url.origin}\n`);
