import { assert } from "../../../lib/assert";
import { clock } from "../../../lib/clock";
import type { Export, ExportSource } from "../../exports";
import { answerQuestions, type Line, workerLine } from "../../protocol/answering";
import type { ExporterOpening, ExporterQuestion } from "../protocol/messages";
import { openSnapshots } from "../read/snapshot";
import { usualTuning } from "../tuning";
import { exportSourceOf } from "./source";

/** Segments hold some tens of megabytes of columns each; a few of them overlap where events came late. */
const cacheBytes = 32 * 1024 * 1024;
const tuning = {
  ...usualTuning,
  droppedBytesMax: 8 * 1024 * 1024,
  garbageBytesMax: 8 * 1024 * 1024,
};

interface OpenExport {
  readonly pieces: AsyncIterator<Uint8Array>;
  close(): Promise<void>;
}

/** Runs the thread of one export. Returns a function that closes the file, for a thread that continues without it. */
export function runExporter(
  exports: ReadonlyMap<string, Export<never>>,
  line: Line = workerLine,
): () => void {
  let opened: OpenExport | null = null;
  const answer = async (question: ExporterQuestion): Promise<Uint8Array | null> => {
    if (question.kind === "open") opened = await open(exports, question);
    else if (question.kind === "close") {
      await opened?.close();
      opened = null;
    } else {
      assert(opened !== null, "an export is opened first");
      const { done = false, value } = await opened.pieces.next();
      return done ? null : whole(value);
    }
    return null;
  };
  answerQuestions(line, answer, { buffersOf });
  return () => void opened?.close();
}

/** Opens the snapshot of the moment at which this resolves. It lasts until the export is closed. */
async function open(
  exports: ReadonlyMap<string, Export<never>>,
  { file, name, input, clockOffsetMs }: ExporterOpening,
): Promise<OpenExport> {
  clock.shift(clockOffsetMs);
  const source = exports.get(name) as Export<unknown> | undefined;
  assert(source !== undefined, `there is an export named ${name}`);
  const snapshots = openSnapshots(file, cacheBytes, () => false, tuning);
  const ready = Promise.withResolvers<ExportSource>();
  const over = Promise.withResolvers<void>();
  const held = snapshots.within((snapshot) => {
    ready.resolve(exportSourceOf(snapshot));
    return over.promise;
  });
  held.catch(ready.reject);
  const pieces = source.run(await ready.promise, input)[Symbol.asyncIterator]();
  return {
    pieces,
    close: async () => {
      over.resolve();
      await held;
      snapshots.close();
    },
  };
}

/** Returns the bytes in a buffer of their own, which a message can transfer. */
const whole = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();

const buffersOf = (value: unknown): ArrayBuffer[] =>
  value instanceof Uint8Array && value.buffer instanceof ArrayBuffer ? [value.buffer] : [];
