import type { AcceptedEvent } from "../domain/event";
import type { FilterItem } from "../domain/filter-items";
import type { TimeWindow } from "../domain/time-window";
import type { TrustPolicy } from "../domain/trust/flagged";
import type { ErasureStore } from "./erasures";
import type { Export, ExportStream } from "./exports";
import type { ImportStore } from "./imports";
import type { Snapshot } from "./questions";

/**
 * The seam between the product and an engine that keeps events. Projects are named by their public id (`proj_…`).
 * An engine is one folder beside this file; `serve.ts` chooses it.
 */
export interface EventStore {
  /**
   * Stores all entries or none. Resolves after the commit that made them durable; they are visible to every read that
   * starts then. Rejects with ApiError UNAVAILABLE when the queue is full, the storage fails or the store is closing;
   * nothing of the entries is stored then.
   */
  append(entries: readonly Entry[]): Promise<Appended>;
  /** Answers a read from one snapshot, in a thread of its own. Rejects with UNAVAILABLE or QUERY_FAILED. */
  read<Input, Output>(
    read: Read<Input, Output>,
    input: Input,
    request: ReadRequest,
  ): Promise<Answer<Output>>;
  /** The imports of files; null where this engine takes none. */
  readonly imports: ImportStore | null;
  /** The erasure of people. */
  readonly erasures: ErasureStore;
  /** Opens an export of one snapshot, which takes no reader from reads. Rejects with UNAVAILABLE. */
  openExport<Input>(what: Export<Input>, input: Input): Promise<ExportStream>;
  /** Raises the project's `retained_from` (it never falls): what is older is hidden at once and freed later. */
  forget(projectId: string, retainedFromMs: number): Promise<void>;
  /** What the store itself knows of the time. */
  knownTime(): StoredTime;
  /**
   * Sets each `retained_from` that lies ahead of a time back: a clock that was wrong had set it. Events that it hid are
   * seen again as far as they are still there.
   */
  showAgain(aheadOfMs: number, retainedFromMs: number): Promise<void>;
  /** Removes everything of a project: events, users, profiles, counters. */
  purge(projectId: string): Promise<void>;
  /**
   * What was stored under `stagingId` is from now on what the project has; all that it had before is removed. Reads
   * see the one or the other. Nothing is left under the other name.
   */
  replaceProject(projectId: string, stagingId: string): Promise<void>;
  /** Removes what was kept under a membership that has ended. Nothing of it was found since then. */
  endMembership(projectId: string, membership: string): Promise<void>;
  /**
   * Takes back what /identify told of an id in a project, and in the portfolio of this membership. Resolves after the
   * commit with the id that it stood for; null when it stands for itself. Reads that start then see it.
   */
  unlink(projectId: string, previousId: string, membership: string | null): Promise<string | null>;
  /**
   * Events received in a span of dates (`YYYY-MM-DD`, inclusive), by project id; projects without events are left out.
   * What retention hides was received all the same.
   */
  receivedEvents(fromDate: string, toDate: string): Promise<ReadonlyMap<string, number>>;
  /** Returns the bytes of the stored events of projects, as they lie in the store; all projects for null. */
  storedBytes(projectIds: readonly string[] | null): Promise<ReadonlyMap<string, number>>;
  /** Returns the version of the data of these projects, for answers that need no read. */
  versionOf(projectIds: readonly string[]): number;
  health(): StoreHealth;
  /** Commits and acknowledges what was appended, then ends the threads. Later calls are refused. */
  close(): Promise<void>;
}

export interface StoredTime {
  /** When the newest events of the start were committed, by the clock of then; null when there were none. */
  readonly newestCommitMs: number | null;
  /** The latest `retained_from` of all projects; 0 while nothing was forgotten. */
  readonly retainedFromMs: number;
}

export type Entry = EventsEntry | IdentityEntry | AutomatedEntry;

export interface EventsEntry {
  readonly kind: "events";
  readonly projectId: string;
  readonly receivedAtMs: number;
  readonly events: readonly AcceptedEvent[];
  /** Says that the server chose the sessions of these events: their senders named none. */
  readonly choosesSessions?: true;
}
/** A link of definitions.md, Identity. Equal ids only update the profile. In `traits`, null deletes a key. */
export interface IdentityEntry {
  readonly kind: "identity";
  readonly projectId: string;
  readonly receivedAtMs: number;
  readonly previousId: string;
  readonly userId: string;
  readonly traits: Readonly<Record<string, unknown>> | null;
  /** The membership while the project is in a portfolio: the two ids are an edge of its identity graph. */
  readonly membership?: string;
  /** The address that came with it, under each scope in which it can be looked up. */
  readonly emails?: readonly EmailEntry[];
}
/** An address is known by its keyed hash alone (domain/email-digest.ts). */
export interface EmailEntry {
  /** The membership; null is the project's own scope. */
  readonly membership: string | null;
  readonly digest: string;
}
/** Filtered requests, already summed per actor; never raw requests. */
export interface AutomatedEntry {
  readonly kind: "automated";
  readonly projectId: string;
  /** UTC date of receipt. */
  readonly date: string;
  readonly category: string;
  readonly actor: string;
  readonly requests: number;
  readonly droppedEvents: number;
  readonly lastSeenAtMs: number;
}

export interface Appended {
  /** Events that were new; repeats of an `event_id` are acknowledged but not counted. */
  readonly stored: number;
}

/**
 * What one request added to a project: told in the order of commits, after the commit and before the request is
 * answered. It is made of texts that are there anyway; nothing is taken out of them until somebody asks.
 */
export interface StoredEvents {
  readonly projectId: string;
  readonly receivedAtMs: number;
  /** No event's own time is later; the event that has this time may have been a repeat, which is not among them. */
  readonly lastTimeMs: number;
  /** The number of events, at least one. */
  readonly count: number;
  /** The memory that they take, roughly. */
  readonly bytes: number;
  /** The id of the last one; ids of a project ascend in order of storing. */
  readonly lastId: string;
  /** Returns the events in order of storing. */
  read(): StoredEvent[];
}
/** An event as every read shows it, in JSON texts as JSON.stringify writes them; `null` where there is no value. */
export interface StoredEvent {
  readonly id: string;
  readonly timeMs: number;
  readonly name: string;
  /** The one that it stood for when it was stored (definitions.md). */
  readonly userId: string;
  readonly sessionId: string;
  readonly country: string;
  readonly properties: string;
  /** A property as it compares (definitions.md, Filters): null when there is none. */
  property(key: string): string | null;
}

/** A named read: what a feature's `read.ts` exports. It runs in a reader thread, and asks the engine its questions. */
export interface Read<Input, Output> {
  readonly name: string;
  /** What it may look at, so that small reads need not wait behind large ones. */
  scope(input: Input): Scope;
  /** Tells whether the answer shows flagged texts as they were stored, whatever the owner decided. */
  isExact?(input: Input): boolean;
  /** The answer has texts of deleted events, so each of its texts is checked against the rules. */
  readonly tellsOfDeleted?: true;
  /**
   * Returns for each question the ids of the person that it is about, as a lookup finds them; null for one about all.
   */
  idsOf?(snapshot: Snapshot, input: Input): Promise<DataFacts["ids"]>;
  /** Answers with an object, or with JSON text when its parts are JSON already. */
  run(snapshot: Snapshot, input: Input): Promise<Output | JsonText<Output>>;
}

/** Half-open window in ms of what is touched; a read that judges whole sessions touches all of a project. */
export interface Scope {
  readonly projectIds: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
}

/** JSON text of an Output, told apart from a plain string. */
export interface JsonText<Output> {
  readonly json: string;
  readonly of?: Output;
}

export interface ReadRequest {
  /** Reads of one account wait behind each other, not before those of others. */
  readonly accountId: string;
  /** Aborted when the client hangs up: the read stops. */
  readonly signal: AbortSignal;
  /** The 10 s budget runs from here. */
  readonly arrivedAtMs: number;
  /**
   * The hosts of the project that the read is about, from which no session is referred (domain/sources/referrer.ts).
   */
  readonly ownHosts?: readonly string[];
  /**
   * The filters of a share: the answer is that of a store in which there are only the events for which they hold. The
   * filters about sessions, and about what users did, are judged on the events that the others leave. FORBIDDEN when
   * the read asks for more than events, or when the engine cannot apply them.
   */
  readonly narrowedBy?: readonly FilterItem[];
  /** The facts about the data that the answer needs beside it. */
  readonly facts?: DataFactsRequest;
}

/** The facts about the data of an answer, for its headers and its receipt. */
export interface DataFactsRequest {
  /** The projects whose data the answer may depend on. */
  readonly projectIds: readonly string[];
  /** The decisions of owners about flagged texts. */
  readonly policies?: Readonly<Record<string, TrustPolicy>>;
  /** Present if the request wants a receipt. */
  readonly window?: FactsWindow;
}
/** A window of these projects. It includes both dates. */
export interface FactsWindow extends TimeWindow {
  readonly projectIds: readonly string[];
  readonly from: string;
  readonly to: string;
}
export interface DataFacts {
  /** The version of these projects together: it grows with every change of what reads of them see. */
  readonly version: number;
  /** The answer has all events that were acknowledged before. Unix ms. */
  readonly throughMs: number;
  /** Digests of the flagged texts that are in the answer. */
  readonly flagged: readonly string[];
  readonly window?: WindowFacts;
  /** For a receipt, the ids of the person of each question (`Read.idsOf`). */
  readonly ids?: readonly (readonly string[] | null)[] | undefined;
}
export interface WindowFacts {
  readonly rows: number;
  readonly segments: number;
  readonly automatedRequests: number;
  /** One of the projects hides older events; 0 if none does. */
  readonly retainedFromMs: number;
  /** Imports stored some of the events. */
  readonly hasImported: boolean;
}

export interface Answer<Output> {
  readonly json: string;
  readonly of?: Output;
  readonly facts: DataFacts;
  /** The time in the queue, for Server-Timing. */
  readonly queueMs: number;
  readonly storeMs: number;
}

export interface StoreHealth {
  readonly storage: "ok" | "failed";
  readonly queue: "ok" | "failed";
  readonly queuedEvents: number;
  readonly storageErrors: number;
  /** Damage was found since the start. */
  readonly isDamaged: boolean;
  /** The figures of an engine that stores over a network. */
  readonly inserts?: InsertFigures;
}
/** Since the start. */
export interface InsertFigures {
  readonly count: number;
  readonly seconds: number;
  /** Tried again, as no answer came or one that refused. */
  readonly retries: number;
}
