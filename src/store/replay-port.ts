import type {
  ReplaySignal,
  ReplaySort,
  ReplayStatus,
  ReplaySummary,
  SentStopReason,
} from "../domain/replay/summary";
import type { TimelineEntry } from "../domain/replay/timeline-entry";
import type { StoreHealth } from "./port";

/** Where recordings are kept. Nothing of it runs until the first one is started. */
export interface ReplayStore {
  /** Continues the open replay of a session, or starts one. Null: the account's month or storage is full. */
  start(session: RecordedSession): Promise<StartedReplay | null>;
  /** Resolves after the commit. Rejects with what refuses the segment, or UNAVAILABLE. */
  addSegment(segment: SentSegment): Promise<SegmentOutcome>;
  /** Throws REPLAY_CLOSED. */
  finish(id: string, reason: SentStopReason | null): Promise<ReplayStatus>;
  /** Whether the token was made for uploading to this replay, however long ago. */
  mayUpload(token: string, id: string): boolean;
  /** Whose it is; the project never changes. Null when there is no such replay. */
  projectOf(id: string): Promise<string | null>;

  health(): Pick<StoreHealth, "storage" | "storageErrors">;
  /** False while nothing was ever recorded. */
  hasAny(): boolean;
  find(id: string): Promise<ReplaySummary | null>;
  list(question: ReplaysQuestion): Promise<ReplaysPage>;
  /** Those of sessions, newest first, without what is being deleted. */
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
  /** Deletes what was started before. */
  forget(projectId: string, startedBeforeMs: number): Promise<void>;
  /** Projects that have replays, and whether one of them is being recorded. */
  projects(): Promise<readonly { readonly id: string; readonly isRecording: boolean }[]>;
  /** Closes what has ended by itself, keeps to the budget, seals and erases. Resolves when all that is done. */
  tend(): Promise<void>;
  /** Commits and answers what was sent, then ends the threads. Later calls are refused. */
  close(): Promise<void>;
}

/** By session, and as of which change. */
export interface ReplaysOfSessions {
  readonly found: ReadonlyMap<string, SessionReplays>;
  readonly lastChange: number;
}

export interface RecordedSession {
  readonly accountId: string;
  readonly projectId: string;
  readonly sessionId: string;
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
  /** False: the number is taken by another content, or the segment was beyond a limit. */
  readonly stored: boolean;
}

export interface ReplaysQuestion {
  readonly projectId: string;
  readonly sessionId: string | null;
  readonly status: ReplayStatus | null;
  readonly startedFromMs: number;
  readonly startedBeforeMs: number;
  /** At least one of each. */
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
  /** Of the last one, when there are more. */
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
