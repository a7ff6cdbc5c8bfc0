import { databaseFiles } from "../../../src/commands/databases";
import { exports } from "../../../src/features/exports";
import { reads } from "../../../src/features/reads";
import { runSiteReader } from "../../../src/features/website-scans/reader-thread";
import { openFileRows } from "../../../src/ingest/imports/file-rows";
import type { Threads } from "../../../src/open-deps";
import { countDay } from "../../../src/reads/day-rows";
import { runBackups } from "../../../src/store/backups/backup-thread";
import { runCompactor } from "../../../src/store/events/compact/compactor-thread";
import { runExporter } from "../../../src/store/events/export/exporter-thread";
import { runImporter } from "../../../src/store/events/imports/importer-thread";
import { runReader } from "../../../src/store/events/read/reader-thread";
import type { ThreadName } from "../../../src/store/events/store";
import { runWriter } from "../../../src/store/events/writer/writer-thread";
import type { Line } from "../../../src/store/protocol/answering";
import type { ThreadWorker } from "../../../src/store/protocol/thread";
import { isWholeRecording } from "../../../src/store/replays/copies";
import { runReplayKeeper } from "../../../src/store/replays/keeper-thread";
import type { ThreadStarts } from "../../../src/store/replays/threads";
import { runReplayWriter } from "../../../src/store/replays/writer-thread";
import { shortRests } from "./maintenance-rests";

/**
 * What a thread of the store does, in the thread of the test: the same code and messages, which are copied and come in
 * a later turn of the event loop as between threads. A worker costs 50 ms of processor time, as it loads all of its
 * modules and runs them cold. It does not end in the midst of a question, and a long one holds up the test: whoever
 * tests that starts workers.
 */
class InThread extends EventTarget implements ThreadWorker {
  readonly #channel = new MessageChannel();
  readonly #release: (() => void) | undefined;

  constructor(run: (line: Line) => (() => void) | undefined) {
    super();
    const { port1, port2 } = this.#channel;
    const line: Line = {
      onmessage: null,
      postMessage: (message, buffers) => port2.postMessage(message, buffers),
    };
    port1.onmessage = ({ data }) => {
      this.dispatchEvent(new MessageEvent("message", { data }));
    };
    port2.onmessage = ({ data }) => line.onmessage?.({ data });
    this.#release = run(line);
  }
  postMessage(message: unknown, buffers: ArrayBuffer[]): void {
    this.#channel.port1.postMessage(message, buffers);
  }
  terminate(): void {
    this.#channel.port1.close();
    this.#channel.port2.close();
    this.#release?.();
    setImmediate(() => this.dispatchEvent(new Event("close")));
  }
}

const ofEvents: Readonly<Record<ThreadName, (line: Line) => (() => void) | undefined>> = {
  writer: (line) => void runWriter(line),
  compactor: runCompactor,
  reader: (line) => runReader(reads, line),
  exporter: (line) => runExporter(exports, line),
  importer: (line) => runImporter({ openRows: openFileRows, countDay }, line),
};

/** Starts the threads of openEventStore. The clock is the test's own, so its offset must be none. */
export const startInThread = (name: ThreadName): ThreadWorker => new InThread(ofEvents[name]);

const replaysInThread: ThreadStarts = {
  writer: () => new InThread((line) => void runReplayWriter(line)),
  keeper: () => new InThread(runReplayKeeper),
};

/** The threads of openDeps. */
export const inThread: Threads = {
  events: startInThread,
  replays: replaysInThread,
  siteReader: () => new InThread(runSiteReader),
  backups: () => new InThread((line) => void runBackups(databaseFiles, isWholeRecording, line)),
  rests: shortRests,
};
