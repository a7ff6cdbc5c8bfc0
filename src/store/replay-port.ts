import type { RecordedEvent } from "../domain/replay/recorded";
import type {
  ReplaySignal,
  ReplaySort,
  ReplayStatus,
  ReplaySummary,
  SentStopReason,
} from "../domain/replay/summary";
import type { TimelineEntry } from "../domain/replay/timeline-entry";
import type { StoreHealth } from "./port";

/** The store of recordings. None of its threads runs until the first recording is started. */
export interface ReplayStore {
  /** Continues the open replay of a session, or starts one. Null: the account's month or storage is full. */
  start(session: RecordedSession): Promise<StartedReplay | null>;
  /** Resolves after the commit. Rejects with what refuses the segment, or UNAVAILABLE. */
  addSegment(segment: SentSegment): Promise<SegmentOutcome>;
  /**
   * Stores complete recordings, under the same rules as recordings that arrive in parts. All of them become visible at
   * once. Returns how many of them it had room for.
   */
  record(recordings: readonly WholeRecording[]): Promise<number>;
  /** Throws REPLAY_CLOSED. */
  finish(id: string, reason: SentStopReason | null): Promise<ReplayStatus>;
  /** Tells whether the token was made for uploading to this replay, however long ago. */
  mayUpload(token: string, id: string): boolean;
  /** Returns the project of a replay, which never changes, or null when there is no such replay. */
  projectOf(id: string): Promise<string | null>;

  health(): Pick<StoreHealth, "storage" | "queue" | "storageErrors" | "isDamaged">;
  /** Tells whether anything was ever recorded. */
  hasAny(): boolean;
  find(id: string): Promise<ReplaySummary | null>;
  list(question: ReplaysQuestion): Promise<ReplaysPage>;
  /** Returns the replays of sessions, newest first, without those that are being deleted. */
  ofSessions(projectId: string, sessionIds: readonly string[]): Promise<ReplaysOfSessions>;
  /** Grows with every change of the recordings of these projects. */
  lastChangeOf(projectIds: readonly string[]): number;
  usage(accountId: string, projectId: string, month: string): Promise<ReplayUsage>;

  /** Throws REPLAY_NOT_PLAYABLE. */
  open(id: string): Promise<ViewerLink>;
  /** What a viewer token leads to. Throws NOT_FOUND and VIEWER_EXPIRED. */
  view(token: string): Promise<ReplaySummary>;
  /** Segments after a number, as JSON of the answer's `segments` and `next_after`. */
  segments(id: string, after: number): Promise<SegmentsPage>;
  timeline(id: string): Promise<StoredTimeline>;

  /** Ends what is being recorded of a project. */
  stopProject(projectId: string): Promise<void>;
  /** Deletes one replay, those of a session, or all of a project. Returns how many. */
  remove(which: ReplaySelection): Promise<number>;
  /** Removes all recordings of some sessions, and that there were any. Reads that start then see none of them. */
  erase(projectId: string, sessionIds: readonly string[]): Promise<void>;
  /**
   * Overwrites what is left in files of what was erased. `copyLog` copies the log where something follows it. Resolves
   * with false while it has to wait.
   */
  clean(copyLog: () => Promise<void>): Promise<boolean>;
  /** Deletes what was started before. */
  forget(projectId: string, startedBeforeMs: number): Promise<void>;
  /** Projects that have replays, and whether one of them is being recorded. */
  projects(): Promise<readonly { readonly id: string; readonly isRecording: boolean }[]>;
  /** Closes what has ended by itself, keeps to the budget, seals and erases. Resolves when all that is done. */
  tend(): Promise<void>;
  /** Commits and answers what was sent, then ends the threads. Later calls are refused. */
  close(): Promise<void>;
}

/** The replays by session, and the number of the last change that they show. */
export interface ReplaysOfSessions {
  readonly found: ReadonlyMap<string, SessionReplays>;
  /** All of them, newest first; by session there are no more than are shown. */
  readonly all: readonly ReplaySummary[];
  readonly lastChange: number;
}

export interface RecordedSession {
  readonly accountId: string;
  readonly projectId: string;
  readonly sessionId: string;
}

/** A recording of a session that has ended, in one segment. */
export interface WholeRecording extends RecordedSession {
  readonly startedAtMs: number;
  readonly events: readonly RecordedEvent[];
  readonly reason: SentStopReason;
}

export interface StartedReplay {
  readonly id: string;
  readonly isNew: boolean;
  readonly uploadToken: string;
  readonly nextSeq: number;
  readonly expiresAtMs: number;
}

export interface SentSegment {
  readonly replayId: string;
  /** The query's; null when it is in the body. */
  readonly uploadToken: string | null;
  readonly isGzip: boolean;
  /** Handed over: nobody else may use it afterwards. */
  readonly body: ArrayBuffer;
}

export interface SegmentOutcome {
  readonly seq: number;
  readonly nextSeq: number;
  /** The recorder is to end: a limit is reached. */
  readonly stop: boolean;
  /** False means that the number has another content already, or that the segment was beyond a limit. */
  readonly stored: boolean;
}

export interface ReplaysQuestion {
  readonly projectId: string;
  readonly sessionId: string | null;
  readonly status: ReplayStatus | null;
  readonly startedFromMs: number;
  readonly startedBeforeMs: number;
  /** Signals of which a replay must have at least one each. */
  readonly signals: readonly ReplaySignal[];
  readonly sort: ReplaySort;
  readonly limit: number;
  /** The last one of the page before. */
  readonly after: ReplayPlace | null;
}
export interface ReplayPlace {
  readonly rank: number;
  readonly startedAtMs: number;
  readonly id: string;
}
export interface ReplaysPage {
  readonly replays: readonly ReplaySummary[];
  /** The place of the last replay, when there are more. */
  readonly next: ReplayPlace | null;
}

export interface SessionReplays {
  readonly playable: number;
  readonly newest: readonly ReplaySummary[];
}

export interface ReplayUsage {
  readonly replays: number;
  readonly storedBytes: number;
  readonly account: { readonly replays: number; readonly storedBytes: number };
}

export interface ViewerLink {
  readonly token: string;
  readonly expiresAtMs: number;
  readonly replay: ReplaySummary;
}

export interface SegmentsPage {
  readonly replay: ReplaySummary;
  /** JSON: `[{"seq":0,"events":[…]},…]`. */
  readonly json: Uint8Array<ArrayBuffer>;
  readonly nextAfter: number | null;
}

export interface StoredTimeline {
  readonly replay: ReplaySummary;
  readonly startMs: number;
  readonly endMs: number;
  readonly entries: readonly TimelineEntry[];
  readonly isCut: boolean;
}

export interface ReplaySelection {
  readonly projectId: string;
  readonly id?: string;
  readonly sessionId?: string;
}
