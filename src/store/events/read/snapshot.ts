import type { Database } from "bun:sqlite";
import { ByteBoundedCache } from "../../../lib/cache";
import { clock } from "../../../lib/clock";
import type { DataFacts, DataFactsRequest, Read, ReadRequest } from "../../port";
import { ReadCancelled } from "../../protocol/failure";
import { ofEventsAlone } from "../../shared/narrowed-questions";
import { personIds } from "../../shared/person-ids";
import { Context } from "../filter/context";
import { OpenSnapshot } from "../questions/open-snapshot";
import { questionsOf } from "../questions/questions";
import { windowFacts } from "../questions/window-facts";
import { openForReading } from "../tables";
import { type Tuning, usualTuning } from "../tuning";
import { FlagsOfRead } from "./flags";

/** Runs reads, one at a time, each in one snapshot of the file. */
export interface Snapshots {
  /** Returns the answer as JSON text. Rejects with ReadCancelled if the read was cancelled. */
  run<Input, Output>(read: Read<Input, Output>, input: Input, scope?: ReadScope): Promise<string>;
  /** Runs a read, and also returns the facts about the data of its snapshot. */
  answer<Input, Output>(
    read: Read<Input, Output>,
    input: Input,
    options: AnswerOptions,
  ): Promise<{ readonly json: string; readonly facts: DataFacts }>;
  /** Runs some work in one snapshot. */
  within<Result>(work: (snapshot: OpenSnapshot) => Promise<Result>): Promise<Result>;
  /** Collects the garbage of a long read. The thread calls it while no read waits. */
  collectGarbage(): void;
  close(): void;
  /** The cache of columns and derived values, for measurements and tests. */
  readonly cache: ByteBoundedCache;
}

/** The parts of a ReadRequest on which its answer depends. */
type ReadScope = Pick<ReadRequest, "ownHosts" | "narrowedBy">;
interface AnswerOptions extends ReadScope {
  readonly facts: DataFactsRequest;
}

/**
 * Opens a connection. Each read runs in one transaction, which is its snapshot: the read sees nothing that is committed
 * meanwhile, not even segments that are deleted or users that are renumbered. `close` also closes a connection that the
 * caller has opened.
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
    { ownHosts = [], narrowedBy = [] }: ReadScope,
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
    run: (read, input, scope = {}) => within((snapshot) => answerOf(snapshot, read, input, scope)),
    answer: (read, input, { facts, ...scope }) => {
      // The snapshot has all events that were acknowledged by now. It may also have some that follow.
      const throughMs = clock.nowMs();
      return within(async (snapshot) => {
        const flags = new FlagsOfRead(snapshot, cache, facts);
        const question = flags.questionOf(input);
        const answer = await answerOf(snapshot, read, question, scope);
        const isExact = read.isExact?.(input) ?? false;
        const isJudged = (scope.narrowedBy ?? []).length > 0 || read.tellsOfDeleted === true;
        const shown = (text: string) => flags.answerOf(text, isExact, isJudged);
        const { json, flagged } = shown(answer);
        const { version } = flags;
        if (facts.window === undefined) return { json, facts: { version, throughMs, flagged } };
        const masked = (text: string): string => shown(text).json;
        const ids = await personIds(read, questionsOf(snapshot), question, facts, masked);
        const window = windowFacts(snapshot, facts.window);
        return { json, facts: { version, throughMs, flagged, window, ...ids } };
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

/** After a read longer than this, the thread collects garbage before the next read. */
const longReadMs = 500;

async function inTransaction<Result>(
  db: Database,
  context: Context,
  work: (snapshot: OpenSnapshot) => Promise<Result>,
): Promise<Result> {
  db.run("begin");
  db.query("select 1 from setting").get(); // the first statement of a transaction takes its snapshot
  try {
    return await work(new OpenSnapshot(db, context));
  } finally {
    if (db.inTransaction) db.run("rollback"); // the transaction wrote nothing; this only releases the snapshot
    context.endRead();
  }
}

/** An answer is JSON text already if `json` is its only field. Other answers may have a field with this name, too. */
function jsonOf(answer: unknown): string {
  const isText = answer instanceof Object && "json" in answer && Object.keys(answer).length === 1;
  return isText && typeof answer.json === "string" ? answer.json : JSON.stringify(answer);
}
