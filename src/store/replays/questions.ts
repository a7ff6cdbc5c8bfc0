import type { SentStopReason, SignalCounts } from "../../domain/replay/summary";
import type { Failure } from "../protocol/failure";
import type {
  RecordedSession,
  ReplaySelection,
  ReplaysQuestion,
  SegmentOutcome,
  SentSegment,
  WholeRecording,
} from "../replay-port";

/** What the main thread asks the writer of recordings and their keeper, and what they answer. */

export interface ReplayLimits {
  /** The bytes of one account. */
  readonly accountBytesMax: number;
  readonly accountReplaysPerMonth: number;
  /** The bytes of all accounts together. */
  readonly bytesMax: number;
}

export interface WriterOpening {
  readonly kind: "open";
  readonly dataDir: string;
  readonly durability: "full" | "normal";
  readonly clockOffsetMs: number;
  /** The secret of the tokens. */
  readonly secret: string;
  readonly limits: ReplayLimits;
}
export interface WriterOpened {
  /** The bytes of the log after its last whole commit. */
  readonly unusedLogBytes: number;
}

export type WriterQuestion =
  | WriterOpening
  | { readonly kind: "tidy" | "probe" | "free pages" }
  | ({ readonly kind: "start"; readonly nowMs: number } & RecordedSession)
  | { readonly kind: "segments"; readonly nowMs: number; readonly segments: readonly SentSegment[] }
  | { readonly kind: "record"; readonly recordings: readonly WholeRecording[] }
  | { readonly kind: "finish"; readonly id: string; readonly reason: SentStopReason | null }
  | { readonly kind: "stop project"; readonly projectId: string }
  | ({ readonly kind: "remove" } & ReplaySelection)
  | { readonly kind: "forget"; readonly projectId: string; readonly startedBeforeMs: number }
  | { readonly kind: "due"; readonly nowMs: number }
  | ({ readonly kind: "sealed" } & Sealed)
  | { readonly kind: "erase"; readonly number: number; readonly nowMs: number }
  | {
      readonly kind: "forget sessions";
      readonly projectId: string;
      readonly sessionIds: readonly string[];
    }
  | { readonly kind: "overwrite erased" | "is log cut" }
  | { readonly kind: "close" };

/** What the writer answers to all but the first question. */
export interface Answered<Value> {
  readonly value: Value;
  /** Projects whose recordings were changed since its last answer, each with the number of the last change. */
  readonly changed: readonly RecordingChange[];
}
export interface RecordingChange {
  readonly project_id: string;
  readonly number: number;
}

export interface Started {
  readonly id: string;
  readonly number: number;
  readonly startedAtMs: number;
  readonly nextSeq: number;
  readonly isNew: boolean;
}

/** What became of each segment of a group. */
export type GroupOutcome =
  | ({ readonly kind: "taken"; readonly isClosed: boolean } & SegmentOutcome)
  | { readonly kind: "refused"; readonly failure: Failure };

export interface Due {
  readonly toSeal: readonly number[];
  readonly toErase: readonly number[];
}

/** A closed replay that lies in its file. */
export interface Sealed {
  readonly number: number;
  /** Number and offset of each segment. */
  readonly places: readonly (readonly [seq: number, place: number])[];
  readonly bytes: number;
  readonly timeline: Uint8Array;
  readonly counts: SignalCounts;
}

export interface KeeperOpening {
  readonly kind: "open";
  readonly dataDir: string;
  readonly clockOffsetMs: number;
}

export type KeeperQuestion =
  | KeeperOpening
  | { readonly kind: "find"; readonly id: string }
  | { readonly kind: "find number"; readonly number: number }
  | { readonly kind: "list"; readonly question: ReplaysQuestion }
  | {
      readonly kind: "sessions";
      readonly projectId: string;
      readonly sessionIds: readonly string[];
    }
  | {
      readonly kind: "usage";
      readonly accountId: string;
      readonly projectId: string;
      readonly month: string;
    }
  | { readonly kind: "projects" }
  | { readonly kind: "segments"; readonly id: string; readonly after: number }
  | { readonly kind: "timeline"; readonly id: string }
  | { readonly kind: "seal"; readonly number: number }
  | { readonly kind: "unlink"; readonly number: number };
