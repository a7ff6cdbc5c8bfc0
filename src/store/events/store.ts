import { join } from "node:path";
import type { ApiError } from "../../domain/errors";
import { log } from "../../lib/log";
import { once } from "../../lib/once";
import { startNamedThread } from "../../worker-url";
import { StorageDamaged } from "../damage";
import type { Export, ExportStream } from "../exports";
import { freeBytesIn } from "../free-bytes";
import type {
  Answer,
  Appended,
  Entry,
  EventStore,
  Read,
  ReadRequest,
  StoredTime,
  StoreHealth,
} from "../port";
import { StorageFailed } from "../protocol/failure";
import { inTime } from "../protocol/in-time";
import { reasonOf, Thread, ThreadDied, type ThreadWorker } from "../protocol/thread";
import { Appends } from "../shared/append/appends";
import type { Committed } from "../shared/append/committed";
import { StorageState } from "../storage-state";
import { Backpressure } from "./append/backpressure";
import { Maintenance, usualRests } from "./compact/maintenance";
import { Erasures } from "./erasures";
import { Exports } from "./export/exports";
import { Imports } from "./imports/imports";
import type { EventStoreOptions } from "./options";
import type { CompactorQuestion, WriterOpened, WriterQuestion } from "./protocol/messages";
import { Reader } from "./read/reader";
import { Readers } from "./read/readers";
import { receivedEvents } from "./read/received";
import { ScopeSizes } from "./read/scope-sizes";
import { isWorthWarming } from "./read/warm-up";

export type ThreadName = "writer" | "compactor" | "reader" | "exporter" | "importer";
export type StartThread = (name: ThreadName) => ThreadWorker;

/** Small reads need few columns, so most of the cache belongs to the reader that also takes large ones. */
const smallReaderCacheShare = 0.25;

export const startWorker: StartThread = startNamedThread;

/**
 * Opens the events file of a data folder and starts the threads that write and read it. Throws StorageRefused if the
 * file cannot be used. Tests start the threads themselves, so that they can end them at any time.
 */
export async function openEventStore(
  options: EventStoreOptions,
  start: StartThread = startWorker,
): Promise<EventStore> {
  const file = join(options.dataDir, "events.db");
  const { durability, clockOffsetMs, reopenMsMax } = options;
  const onFatal = once(options.onFatal);
  const writer = new Thread<WriterQuestion>({
    name: "writer",
    start: () => start("writer"),
    opening: { kind: "open", file, durability, clockOffsetMs },
    reopenMsMax,
    onLost: onFatal,
  });
  try {
    const { unusedLogBytes: bytes, time } = (await writer.opened) as WriterOpened;
    const what = "unused bytes after the last whole commit in the log of events.db";
    if (bytes > 0) log("warn", what, { bytes });
    return new Store(writer, { ...options, file, time, onFatal }, start);
  } catch (error) {
    await writer.stop();
    throw error;
  }
}

class Store implements EventStore {
  private compactor: Thread<CompactorQuestion> | null = null;
  private readonly readerThreads: readonly Reader[];
  private readonly readers: Readers;
  private readonly exports: Exports;
  readonly imports: Imports;
  readonly erasures: Erasures;
  private readonly appends: Appends;
  private maintenance: Maintenance | null = null;
  private readonly backpressure = new Backpressure();
  private readonly storage: StorageState;
  private readonly sizes: ScopeSizes;
  /** A server answers sooner when only the threads that it needs for that start beside it. */
  private readonly startTimer: Timer;
  private closed: Promise<void> | null = null;
  private readonly file: string;
  private time: StoredTime;

  constructor(
    private readonly writer: Thread<WriterQuestion>,
    options: EventStoreOptions & OpenedFile,
    start: StartThread,
  ) {
    const { file, time } = options;
    this.file = file;
    this.time = time;
    const { cacheBytes, clockOffsetMs } = options;
    const { reopenMsMax, onStored, onFatal, rests = usualRests, ownsFolder } = options;
    const forLarge = cacheBytes * (1 - smallReaderCacheShare);
    const reading = new SharedArrayBuffer(4);
    const reader = (takes: Reader["takes"], bytes: number): Reader =>
      new Reader({
        ...{ takes, file, clockOffsetMs, reopenMsMax, reading },
        ...{ start: () => start("reader"), onLost: onFatal },
        cacheBytes: Math.floor(bytes),
      });
    const forSmall = reader("small", cacheBytes - forLarge);
    const forAll = reader("all", forLarge);
    this.readerThreads = [forSmall, forAll];
    this.readers = new Readers(this.readerThreads);
    this.exports = new Exports({ file, clockOffsetMs, start: () => start("exporter") });
    this.imports = new Imports({
      ...{ file, clockOffsetMs, start: () => start("importer") },
      change: (change) => this.change({ kind: "import", change }),
    });
    this.erasures = new Erasures({
      ...{ file, writer, compactor: () => this.compactor, copyLog: options.copyLog },
      change: (question) => this.change(question),
      settled: () => this.appends.settled(),
      cutExports: (projectId) => this.exports.cut(projectId),
    });
    this.sizes = new ScopeSizes(file);
    this.storage = new StorageState({
      ...{ file: "events.db", what: "events" },
      probe: () => writer.ask({ kind: "probe" }),
    });
    this.appends = new Appends({
      commit: (group) =>
        ownsFolder?.() === false ? Promise.reject(new ThreadDied()) : writer.ask<Committed>(group),
      refusal: (entries) => this.backpressure.refusal(entries),
      stored: (events) => this.stored(events),
      announce: onStored ?? null,
      storageFailed: (error) => this.storageFailed(error),
    });
    this.startTimer = setTimeout(() => {
      // Later there may be no file descriptor left for them, as when clients hold all of them.
      forSmall.start();
      if (isWorthWarming(file)) forAll.start();
      this.startUpkeep(() => start("compactor"), options);
    }, rests.startMs);
  }

  /** Starts the maintenance of the file. */
  private startUpkeep(start: () => ThreadWorker, options: EventStoreOptions): void {
    const { writer, file } = this;
    const { dataDir, clockOffsetMs, reopenMsMax, onFatal, rests = usualRests } = options;
    const compactor = new Thread<CompactorQuestion>({
      name: "compactor",
      start,
      opening: { kind: "open", file, clockOffsetMs },
      reopenMsMax,
      onLost: onFatal,
    });
    compactor.opened.catch((error: unknown) => {
      onFatal(`The compactor thread cannot start: ${reasonOf(error)}`);
    });
    const report = this.backpressure.report.bind(this.backpressure);
    const damaged = this.storage.damage.note.bind(this.storage.damage);
    const freeBytes = () => freeBytesIn(dataDir);
    this.compactor = compactor;
    const { copyLog, mayCompact } = options;
    const parts = { writer, compactor, report, freeBytes, damaged, rests, copyLog, mayCompact };
    this.maintenance = new Maintenance(parts);
  }

  append(entries: readonly Entry[]): Promise<Appended> {
    return this.appends.append(entries);
  }

  async read<Input, Output>(
    read: Read<Input, Output>,
    input: Input,
    request: ReadRequest,
  ): Promise<Answer<Output>> {
    const size = this.sizes.isSmall(read.scope(input)) ? "small" : "large";
    return this.storage.notingDamage(() => this.readers.ask(read.name, input, size, request));
  }
  async openExport<Input>({ name }: Export<Input>, input: Input): Promise<ExportStream> {
    const opened = await this.storage.notingDamage(() => this.exports.start(name, input));
    return {
      next: () => this.storage.notingDamage(() => opened.next()),
      close: () => opened.close(),
    };
  }

  async forget(projectId: string, retainedFromMs: number): Promise<void> {
    await this.change({ kind: "forget", projectId, retainedFromMs });
    const latestMs = Math.max(this.time.retainedFromMs, retainedFromMs);
    this.time = { ...this.time, retainedFromMs: latestMs };
  }
  knownTime(): StoredTime {
    return this.time;
  }
  async showAgain(aheadOfMs: number, retainedFromMs: number): Promise<void> {
    this.time = await this.change({ kind: "show again", aheadOfMs, retainedFromMs });
  }
  purge(projectId: string): Promise<void> {
    return this.change({ kind: "purge", projectId });
  }
  replaceProject(projectId: string, stagingId: string): Promise<void> {
    return this.change({ kind: "replace project", projectId, stagingId });
  }
  endMembership(projectId: string, membership: string): Promise<void> {
    return this.change({ kind: "end membership", projectId, membership });
  }
  unlink(projectId: string, previousId: string, membership: string | null): Promise<string | null> {
    return inTime(this.change({ kind: "unlink", projectId, previousId, membership }));
  }

  async receivedEvents(fromDate: string, toDate: string): Promise<ReadonlyMap<string, number>> {
    return receivedEvents(this.file, fromDate, toDate);
  }
  storedBytes(projectIds: readonly string[] | null): Promise<ReadonlyMap<string, number>> {
    return this.sizes.stored.of(projectIds);
  }
  versionOf(projectIds: readonly string[]): number {
    return this.sizes.versionOf(projectIds);
  }

  health(): StoreHealth {
    const isQueueOk = this.writer.isOpen && this.appends.isOk && !this.backpressure.isOnForAll;
    return {
      storage: this.storage.isFailed ? "failed" : "ok",
      queue: isQueueOk ? "ok" : "failed",
      queuedEvents: this.appends.queuedEvents,
      storageErrors: this.storage.errors,
      isDamaged: !this.storage.damage.isEmpty,
    };
  }

  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<void> {
    clearTimeout(this.startTimer);
    await this.appends.close();
    this.readers.close();
    await this.exports.close();
    await this.imports.close();
    await this.maintenance?.stop();
    for (const one of [this.erasures, this.storage, this.sizes]) one.close();
    await Promise.all([this.compactor, ...this.readerThreads].map((thread) => thread?.stop()));
    // The last connection to close copies the rest of the log and removes it.
    await this.writer.ask({ kind: "close" }).catch(logUnclosed);
    await this.writer.stop();
  }

  private stored(events: number): void {
    this.storage.worked();
    this.backpressure.stored(events);
    this.maintenance?.touch();
  }

  private storageFailed(error: StorageFailed | StorageDamaged): void {
    if (error instanceof StorageDamaged) this.storage.damage.note(error.damage);
    else this.storage.failed(error);
    this.maintenance?.touch();
  }

  private async change<Answer>(question: WriterQuestion): Promise<Answer> {
    try {
      const answer = await this.writer.ask<Answer>(question);
      this.maintenance?.touch();
      return answer;
    } catch (error) {
      const isOfDisk = error instanceof StorageFailed || error instanceof StorageDamaged;
      if (isOfDisk) this.storageFailed(error);
      throw error;
    }
  }
}

interface OpenedFile {
  readonly file: string;
  readonly time: StoredTime;
}

function logUnclosed({ code }: ApiError): void {
  log("warn", "the events file was not closed; the next start reads its log", { code });
}
