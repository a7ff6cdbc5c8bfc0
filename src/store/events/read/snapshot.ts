import type { Database } from "bun:sqlite";
import { ByteBoundedCache } from "../../../lib/cache";
import { clock } from "../../../lib/clock";
import type { Read, ReadRequest, Told, ToldRequest } from "../../port";
import { ReadCancelled } from "../../protocol/failure";
import { idsTold } from "../../shared/ids-told";
import { ofEventsAlone } from "../../shared/narrowed-questions";
import { Context } from "../filter/context";
import { OpenSnapshot } from "../questions/open-snapshot";
import { questionsOf } from "../questions/questions";
import { windowTold } from "../questions/told";
import { openForReading } from "../tables";
import { type Tuning, usualTuning } from "../tuning";
import { FlagsOfRead } from "./flags";

/** Runs reads, one at a time, each in one snapshot of the file. */
export interface Snapshots {
  /** The answer as JSON text. Rejects with ReadCancelled when it was given up. */
  run<Input, Output>(read: Read<Input, Output>, input: Input, seen?: Seen): Promise<string>;
  /** Runs a read likewise, and returns what is to be told of the data of its snapshot, too. */
  answer<Input, Output>(
    read: Read<Input, Output>,
    input: Input,
    beside: Beside,
  ): Promise<{ readonly json: string; readonly told: Told }>;
  /** Work over what is open, in one snapshot. */
  within<Result>(work: (snapshot: OpenSnapshot) => Promise<Result>): Promise<Result>;
  /** Collects what a long read has left; who answers reads calls it when nobody waits for one. */
  collectGarbage(): void;
  close(): void;
  /** Columns and what was derived from them, for figures and for tests. */
  readonly cache: ByteBoundedCache;
}

/** The parts of a ReadRequest on which its answer depends. */
type Seen = Pick<ReadRequest, "ownHosts" | "narrowedBy">;
interface Beside extends Seen {
  readonly told: ToldRequest;
}

/**
 * One connection, whose transaction is the snapshot of everything that a read sees: whatever is committed meanwhile,
 * segments that are swept and users that are renumbered included, it does not see. A connection that is open already is
 * closed with it.
 */
export function openSnapshots(
  file: string | Database,
  cacheBytes: number,
  isCancelled: () => boolean,
  tuning: Tuning = usualTuning,
): Snapshots {
  const db = typeof file === "string" ? openForReading(file) : file;
  const check = (): void => {
    if (isCancelled()) throw new ReadCancelled();
  };
  const cache = new ByteBoundedCache(cacheBytes);
  const context = new Context(db, cache, check, tuning);
  let isGarbageLeft = false;
  const collectGarbage = (): void => {
    if (isGarbageLeft) context.budget.collect();
    isGarbageLeft = false;
  };
  const within = async <Result>(
    work: (snapshot: OpenSnapshot) => Promise<Result>,
  ): Promise<Result> => {
    collectGarbage();
    const startedAtMs = performance.now();
    try {
      return await inTransaction(db, context, work);
    } finally {
      const isLong = performance.now() - startedAtMs > longReadMs;
      isGarbageLeft = isLong || context.budget.isGarbageLeft;
    }
  };
  const answerOf = async <Input, Output>(
    snapshot: OpenSnapshot,
    read: Read<Input, Output>,
    input: Input,
    { ownHosts = [], narrowedBy = [] }: Seen,
  ): Promise<string> => {
    context.ownHosts = ownHosts;
    if (narrowedBy.length > 0) {
      const narrow = questionsOf(snapshot.narrowedTo(narrowedBy));
      return jsonOf(await read.run(ofEventsAlone(narrow), input));
    }
    return jsonOf(await read.run(questionsOf(snapshot), input));
  };
  return {
    cache,
    within,
    run: (read, input, seen = {}) => within((snapshot) => answerOf(snapshot, read, input, seen)),
    answer: (read, input, { told, ...seen }) => {
      // What is acknowledged later may be in the snapshot too; what was before, is.
      const throughMs = clock.nowMs();
      return within(async (snapshot) => {
        const flags = new FlagsOfRead(snapshot, cache, told);
        const question = flags.questionOf(input);
        const answer = await answerOf(snapshot, read, question, seen);
        const isExact = read.isExact?.(input) ?? false;
        const isJudged = (seen.narrowedBy ?? []).length > 0 || read.tellsOfDeleted === true;
        const shown = (text: string) => flags.answerOf(text, isExact, isJudged);
        const { json, flagged } = shown(answer);
        const { version } = flags;
        if (told.window === undefined) return { json, told: { version, throughMs, flagged } };
        const masked = (text: string): string => shown(text).json;
        const ids = await idsTold(read, questionsOf(snapshot), question, told, masked);
        const window = windowTold(snapshot, told.window);
        return { json, told: { version, throughMs, flagged, window, ...ids } };
      });
    },
    collectGarbage,
    close: () => {
      // A stack may still refer to the snapshot, so its columns, which take most of the memory, are released.
      cache.clear();
      db.close();
    },
  };
}

/** A read longer than this leaves enough garbage that it is collected before the next one. */
const longReadMs = 500;

async function inTransaction<Result>(
  db: Database,
  context: Context,
  work: (snapshot: OpenSnapshot) => Promise<Result>,
): Promise<Result> {
  db.run("begin");
  db.query("select 1 from setting").get(); // a transaction takes hold of its state with its first statement
  try {
    return await work(new OpenSnapshot(db, context));
  } finally {
    if (db.inTransaction) db.run("rollback"); // nothing was written; this only lets go of the snapshot
    context.endRead();
  }
}

/** JSON text is told from an answer that happens to have a field `json` by having nothing else. */
function jsonOf(answer: unknown): string {
  const isText = answer instanceof Object && "json" in answer && Object.keys(answer).length === 1;
  return isText && typeof answer.json === "string" ? answer.json : JSON.stringify(answer);
}
