import { assert } from "../../../lib/assert";
import { clock } from "../../../lib/clock";
import type { Read } from "../../port";
import { answerQuestions, type Line, workerLine } from "../../protocol/answering";
import { buffersOf } from "../parts/parts";
import type { ReadAnswer, ReaderOpening, ReaderQuestion, ReadQuestion } from "../protocol/messages";
import { tuningWithCache } from "../tuning";
import { HelperThreads, isMachineIdle } from "./helper-threads";
import { Helping } from "./helping";
import { openSnapshots, type Snapshots } from "./snapshot";
import { isWorthHelping, isWorthWarming, warmUp } from "./warm-up";

/** What a thread has opened. */
interface Opened {
  readonly snapshots: Snapshots;
  readonly helpers: HelperThreads | null;
  readonly helping: Helping;
}

/**
 * A thread that answers reads, or parts of them, one at a time. It knows reads by name, as functions do not cross
 * threads. Returns what lets go of the file, for a thread that goes on without it.
 */
export function runReader(
  reads: ReadonlyMap<string, Read<never, unknown>>,
  line: Line = workerLine,
): () => void {
  let opened: Opened | null = null;
  /** What compiles the thread's functions beside what it is asked; null once it has begun. */
  let warmUpOnce: (() => void) | null = null;
  /** The read, and which one of the thread that asks for its parts. */
  let current = 0;
  let turn = 0;
  const answer = async (question: ReaderQuestion): Promise<unknown> => {
    if (question.kind === "open") {
      const { cancelled: ofRead, over: ofTurn = new SharedArrayBuffer(4) } = question;
      const [cancelled, over] = [new Int32Array(ofRead), new Int32Array(ofTurn)];
      opened = open(
        question,
        () => Atomics.load(cancelled, 0) === current || (turn > 0 && Atomics.load(over, 0) >= turn),
      );
      const { helpers } = opened;
      if (isWorthHelping(question.file)) helpers?.startAll();
      warmUpOnce = () => beginWarmUp(question, helpers);
      return null;
    }
    warmUpOnce?.();
    warmUpOnce = null;
    if (question.kind === "warm up") return null;
    assert(opened !== null, "a reader is opened first");
    if (question.kind === "parts over") return opened.helping.over();
    current = question.number;
    if (question.kind === "read") return answerRead(opened, reads, question);
    turn = question.turn;
    return opened.helping.answer(question);
  };
  const afterwards = (): void => opened?.snapshots.collectGarbage();
  answerQuestions(line, answer, { buffersOf, afterwards });
  return () => opened?.snapshots.close();
}

/** Nobody may ever ask a server: a thread begins with its first question, and a reader tells its helpers then. */
function beginWarmUp({ file, takes, reading }: ReaderOpening, helpers: HelperThreads | null): void {
  const asked = new Int32Array(reading);
  if (isWorthWarming(file)) void warmUp(file, takes, () => Atomics.load(asked, 0) > 0);
  helpers?.warmUpAll();
}

async function answerRead(
  { snapshots, helpers }: Opened,
  reads: ReadonlyMap<string, Read<never, unknown>>,
  { name, number, input, ownHosts, narrowedBy, told }: ReadQuestion,
): Promise<ReadAnswer> {
  const read = reads.get(name);
  assert(read !== undefined, `there is a read named ${name}`);
  const startedAtMs = performance.now();
  helpers?.beginRead(number);
  const answer = await snapshots.answer(read as Read<unknown, unknown>, input, {
    ownHosts,
    narrowedBy,
    told,
  });
  return { ...answer, storeMs: performance.now() - startedAtMs };
}

function open(opening: ReaderOpening, isCancelled: () => boolean): Opened {
  const { helpers: wanted, file, cacheBytes, clockOffsetMs, cancelled, reading } = opening;
  clock.shift(clockOffsetMs);
  const helpers =
    wanted === undefined
      ? null
      : new HelperThreads({
          count: wanted.count,
          opening: {
            ...{ kind: "open", file, clockOffsetMs, cancelled, reading },
            cacheBytes: Math.floor(wanted.cacheBytes / wanted.count),
          },
          start: () => new Worker(wanted.url),
          isIdle: isMachineIdle,
        });
  const snapshots = openSnapshots(
    file,
    cacheBytes,
    isCancelled,
    tuningWithCache(cacheBytes),
    helpers,
  );
  return { snapshots, helpers, helping: new Helping(snapshots) };
}
