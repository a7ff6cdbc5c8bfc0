import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { AcceptedEvent } from "../../../src/domain/event";
import { ByteBoundedCache } from "../../../src/lib/cache";
import { replaceLogWriter } from "../../../src/lib/log";
import { type MaintenanceRests, usualRests } from "../../../src/store/events/compact/maintenance";
import { SegmentReader } from "../../../src/store/events/segment/segment-reader";
import { openEventStore, type ThreadName } from "../../../src/store/events/store";
import type {
  Answer,
  EventStore,
  EventsEntry,
  Read,
  ReadRequest,
  StoredEvents,
} from "../../../src/store/port";
import { workerUrl } from "../../../src/worker-url";
import { startInThread } from "./in-thread";
import { migratedFolder } from "./migrated";

export const projectId = "proj_shop";

/** The store as `serve` opens it, in a folder of its own, with its threads in the test's hands. */
export interface TestStore {
  readonly store: EventStore;
  readonly dataDir: string;
  readonly file: string;
  /** The newest worker of each kind last. Ending one is what a crash of the thread is. */
  readonly workers: Record<ThreadName, Worker[]>;
  /** What `onFatal` was told. */
  readonly fatal: string[];
  /** Messages of the log, with their fields. */
  readonly logged: Record<string, unknown>[];
  /** Numbers of the events that the file holds, in order. */
  storedNumbers(): number[];
  /** One number from one row of the file. */
  count(statement: string): number;
  /** Opens the same folder again; the one before must be closed or lost. */
  reopen(): Promise<TestStore>;
  close(): Promise<void>;
}

interface TestStoreOptions {
  readonly dataDir?: string;
  readonly durability?: "full" | "normal";
  /**
   * Which of the store's threads are workers: all, unless it is said. What the others do runs in the test's own thread,
   * which costs less: for tests of what is stored, or of one thread.
   */
  readonly workers?: readonly ThreadName[];
  readonly onStored?: (stored: StoredEvents) => void;
  readonly rests?: MaintenanceRests;
}

/** A reader's entry that is loaded faster than the product's. */
const timedReaderUrl = new URL("./reader.ts", import.meta.url).href;

export async function openTestStore(options: TestStoreOptions = {}): Promise<TestStore> {
  const dataDir = options.dataDir ?? migratedFolder("sightline-store-", ["events.db"]);
  const file = join(dataDir, "events.db");
  const workers: TestStore["workers"] = {
    writer: [],
    compactor: [],
    reader: [],
    exporter: [],
    importer: [],
  };
  const fatal: string[] = [];
  const logged: Record<string, unknown>[] = [];
  const undo = replaceLogWriter((line) => void logged.push(JSON.parse(line)));
  let compactors = 0;
  const store = await openEventStore(
    {
      dataDir,
      durability: options.durability ?? "normal",
      cacheBytes: 1 << 26,
      clockOffsetMs: 0,
      reopenMsMax: enoughMs,
      rests: options.rests ?? { ...usualRests, startMs: 0 },
      onFatal: (why) => void fatal.push(why),
      ...(options.onStored && { onStored: options.onStored }),
    },
    (name) => {
      if (name === "compactor") compactors++;
      if (options.workers?.includes(name) === false) return startInThread(name);
      // The reader of the tests knows reads that take the time that a test wants.
      const worker = new Worker(name === "reader" ? timedReaderUrl : workerUrl(name));
      workers[name].push(worker);
      return worker;
    },
  );
  // It is started a moment later: a test that says nothing of that has all threads to end.
  while (options.rests === undefined && compactors === 0) await Bun.sleep(1);
  const end = async (): Promise<void> => {
    await store.close();
    undo();
  };
  const inFile = <T>(look: (db: Database) => T): T => {
    const db = new Database(file, { readonly: true });
    try {
      return look(db);
    } finally {
      db.close();
    }
  };
  return {
    ...{ store, dataDir, file, workers, fatal, logged },
    count: (statement) => inFile((db) => Number(db.query(statement).values()[0]?.[0] ?? 0)),
    storedNumbers: () => inFile(numbersIn),
    reopen: async () => {
      await end();
      return openTestStore({ ...options, dataDir });
    },
    close: async () => {
      await end();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export const eventCount = "select coalesce(sum(event_count), 0) from current_segment";

/** The numbers of all numbered events that a file holds, in order. */
function numbersIn(db: Database): number[] {
  const reader = new SegmentReader(db, new ByteBoundedCache(0));
  const segments = db.query("select id from current_segment").values() as [number][];
  return segments
    .map(([id]) => reader.open(id))
    .flatMap((segment) => Array.from(segment.times, (_, row) => segment.propertiesAt(row)))
    .map((properties) => Number(JSON.parse(properties ?? "{}").number))
    .sort((a, b) => a - b);
}

const nowMs = Date.now();

/** An event that carries its number, also as its key: sent twice, it is stored once. */
export const numbered = (number: number): AcceptedEvent => ({
  name: "step",
  timeMs: nowMs - (number % 1_000),
  userId: `user ${number % 50}`,
  sessionId: `session ${number % 200}`,
  country: "DE",
  properties: { number },
  eventId: `n${number}`,
});

export function entryOf(events: readonly AcceptedEvent[], project = projectId): EventsEntry {
  return { kind: "events", projectId: project, receivedAtMs: nowMs, events };
}

/** The given number of numbered events. */
export const numbers = (from: number, count: number, project = projectId): EventsEntry =>
  entryOf(
    Array.from({ length: count }, (_, index) => numbered(from + index)),
    project,
  );

/** So that no busy machine is why a read is refused: those who test deadlines say when its request came. */
const enoughMs = 600_000;

export function ask<Input, Output>(
  { store }: Pick<TestStore, "store">,
  read: Read<Input, Output>,
  input: Input,
  request: Partial<ReadRequest> = {},
): Promise<Answer<Output>> {
  return store.read(read, input, {
    accountId: "account",
    signal: new AbortController().signal,
    arrivedAtMs: Date.now() + enoughMs,
    ...request,
  });
}
