import type { Database } from "bun:sqlite";
import { ByteBoundedCache } from "../../lib/cache";
import { ReadCancelled } from "../failure";
import type { Parameters, Read, Snapshot } from "../port";
import { Context } from "./functions/context";
import { registerFunctions } from "./functions/register";
import { holdOneState, letGo } from "./one-state";
import { openForReading } from "./tables";

/** Runs reads, one at a time, each in one snapshot of the file. */
export interface Snapshots {
  /** The answer as JSON text. Throws ReadCancelled when it was given up. */
  run<Input, Output>(read: Read<Input, Output>, input: Input): string;
  close(): void;
  /** Columns and what was derived from them, for figures and for tests. */
  readonly cache: ByteBoundedCache;
}

/**
 * Two connections: one runs the statements, the other loads columns and names for the functions within them, since a
 * connection cannot be used while it runs a statement. During a read both hold transactions on one state of the file:
 * whatever is committed meanwhile, segments that are swept and users that are renumbered included, neither sees it.
 */
export function openSnapshots(
  file: string,
  cacheBytes: number,
  isCancelled: () => boolean,
): Snapshots {
  const statements = openForReading(file);
  const columns = openForReading(file);
  const check = (): void => {
    if (isCancelled()) throw new ReadCancelled();
  };
  const cache = new ByteBoundedCache(cacheBytes);
  const context = new Context(columns, cache, check);
  registerFunctions(statements, context);
  return {
    cache,
    run: (read, input) =>
      inSnapshot([statements, columns], context, (snapshot) => jsonOf(read.run(snapshot, input))),
    close: () => {
      statements.close();
      columns.close();
    },
  };
}

/** What a longer read leaves behind is so much that it should not wait for others to add to it. */
const longReadMs = 500;

function inSnapshot(
  connections: readonly [statements: Database, columns: Database],
  context: Context,
  work: (snapshot: Snapshot) => string,
): string {
  const startedAtMs = performance.now();
  try {
    holdOneState(...connections, context.check);
    return work(snapshotOf(connections[0], context));
  } finally {
    letGo(...connections);
    context.endRead();
    if (performance.now() - startedAtMs > longReadMs) Bun.gc(true);
  }
}

function snapshotOf(db: Database, context: Context): Snapshot {
  const rows = <Row>(statement: string, parameters: Parameters): Row[] => {
    context.check();
    try {
      return db.query(statement).all(parameters) as Row[];
    } finally {
      context.endStatement();
    }
  };
  return {
    rows,
    row: <Row>(statement: string, parameters: Parameters) => rows<Row>(statement, parameters)[0],
    project: (projectId) => {
      const found = db.query(PROJECT).get({ project: projectId }) as StoredProject | null;
      if (found === null) return { number: 0, retainedFromMs: 0 };
      context.beginProject(db, found.number, found.retained_from_ms);
      return { number: found.number, retainedFromMs: found.retained_from_ms };
    },
  };
}

interface StoredProject {
  readonly number: number;
  readonly retained_from_ms: number;
}
const PROJECT = "select id as number, retained_from_ms from project where name = :project";

/** JSON text is told from an answer that happens to have a field `json` by having nothing else. */
function jsonOf(answer: unknown): string {
  const isText = answer instanceof Object && "json" in answer && Object.keys(answer).length === 1;
  return isText && typeof answer.json === "string" ? answer.json : JSON.stringify(answer);
}
