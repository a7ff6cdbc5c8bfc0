import { join } from "node:path";
import { bigProject, smallProject, type WireEvent, wireEvents } from "../dataset";
import { createTable, insertFrom, type Rows } from "./tables";

/**
 * DuckDB in a process of its own, which is told what to do in one line of JSON and answers with another: loads the data
 * set into a file, or asks it one question, three times.
 */
export type Command = {
  readonly moduleFolder: string;
  readonly file: string;
} & (
  | {
      readonly kind: "load";
      readonly events: number;
      readonly small: number;
      readonly endMs: number;
    }
  | { readonly kind: "ask"; readonly statements: readonly string[] }
);
export interface Asking {
  /** The times of the first, second and third run. */
  readonly ms: readonly number[];
  readonly answers: readonly Rows[];
}

const runs = 3;
/** The generator's text of this number of events is on the disk at a time: some 300 MB. */
const eventsPerFile = 500_000;

/** What is used of the module, which is not among the project's packages. */
interface Connection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRowsJS(): unknown[][] }>;
}
interface DuckDb {
  readonly DuckDBInstance: {
    create(
      file: string,
      options: Readonly<Record<string, string>>,
    ): Promise<{ connect(): Promise<Connection> }>;
  };
}

async function obey(command: Command): Promise<Asking | null> {
  const path = join(command.moduleFolder, "node_modules", "@duckdb", "node-api", "lib", "index.js");
  const { DuckDBInstance }: DuckDb = await import(path);
  const database = await DuckDBInstance.create(command.file, { threads: "2", memory_limit: "2GB" });
  const connection = await database.connect();
  if (command.kind === "ask") return ask(connection, command.statements);
  await load(connection, command.file, eventsOf(command));
  return null;
}

async function ask(connection: Connection, statements: readonly string[]): Promise<Asking> {
  const ms: number[] = [];
  let answers: Rows[] = [];
  for (let run = 0; run < runs; run++) {
    const startedAt = performance.now();
    answers = [];
    for (const statement of statements) {
      const result = await connection.runAndReadAll(statement);
      answers.push(result.getRowsJS().map((row) => row.map(cellOf)));
    }
    ms.push(performance.now() - startedAt);
  }
  return { ms, answers };
}

const cellOf = (value: unknown) =>
  typeof value === "bigint" ? Number(value) : (value as string | number | boolean | null);

interface LoadedEvent extends WireEvent {
  readonly project: number;
}

function* eventsOf({ events, small, endMs }: { events: number; small: number; endMs: number }) {
  for (const event of wireEvents(bigProject(events, endMs))) yield { ...event, project: 0 };
  for (let index = 0; index < small; index++) {
    for (const event of wireEvents(smallProject(index, endMs))) {
      yield { ...event, project: index + 1 };
    }
  }
}

async function load(connection: Connection, file: string, events: Iterable<LoadedEvent>) {
  await connection.run(createTable);
  const text = `${file}.ndjson`;
  let writer = Bun.file(text).writer();
  let seq = 0;
  const take = async (): Promise<void> => {
    await writer.end();
    await connection.run(insertFrom(text));
    await Bun.file(text).delete();
    writer = Bun.file(text).writer();
  };
  for (const { json, country, project } of events) {
    // The event as it went over the wire, with what the server made of the request and the order of arrival.
    writer.write(`{"project":${project},"seq":${seq++},"country":"${country}",${json.slice(1)}\n`);
    if (seq % 10_000 === 0) await writer.flush();
    if (seq % eventsPerFile === 0) await take();
  }
  await take();
  await Bun.file(text).delete();
  await connection.run("checkpoint");
}

if (import.meta.main) {
  const command: Command = JSON.parse(await Bun.stdin.text());
  const reply = await obey(command);
  await Bun.write(Bun.stdout, `${JSON.stringify(reply)}\n`);
  // The database is not closed: a process that ends frees everything sooner.
  process.exit(0);
}
