import type { FilterItem } from "../../../domain/filter-items";
import { describeFault } from "../../../lib/fault";
import { type Damage, damageIn } from "../../damage";
import type { StoredTime, Told, ToldRequest } from "../../port";
import type { InspectionNote } from "../compact/inspection-note";
import type { OverlapNote } from "../session/session-overlap";
import type { ErasedNote } from "../writer/erasing";
import type { Merge } from "../writer/segments";
import type { ImportChange } from "./import-messages";

/** The questions of the main thread to the other threads, and their answers. Each is one message. */

export interface WriterOpening {
  readonly kind: "open";
  readonly file: string;
  readonly durability: "full" | "normal";
  readonly clockOffsetMs: number;
}

/** A text alone is a group to commit (wire.ts): by far the most frequent, and a bare string travels fastest. */
export type WriterQuestion =
  | string
  | WriterOpening
  | { readonly kind: "replace"; readonly merges: readonly Merge[] }
  | { readonly kind: "note overlaps"; readonly overlaps: readonly OverlapNote[] }
  | { readonly kind: "note inspection"; readonly note: InspectionNote }
  | { readonly kind: "forget"; readonly projectId: string; readonly retainedFromMs: number }
  | {
      readonly kind: "show again";
      readonly aheadOfMs: number;
      readonly retainedFromMs: number;
    }
  | { readonly kind: "purge"; readonly projectId: string }
  | { readonly kind: "replace project"; readonly projectId: string; readonly stagingId: string }
  | {
      readonly kind: "end membership";
      readonly projectId: string;
      readonly membership: string;
    }
  | {
      readonly kind: "unlink";
      readonly projectId: string;
      readonly previousId: string;
      readonly membership: string | null;
    }
  | { readonly kind: "import"; readonly change: ImportChange }
  | { readonly kind: "erase"; readonly projectId: string; readonly userIds: readonly string[] }
  | { readonly kind: "note erased"; readonly note: ErasedNote }
  | { readonly kind: "overwrite erased" | "is log cut" }
  | { readonly kind: "sweep" | "checkpoint" | "probe" | "close" };

export interface WriterOpened {
  /** The bytes of the log after its last whole commit. */
  readonly unusedLogBytes: number;
  readonly time: StoredTime;
}

interface CompactorOpening {
  readonly kind: "open";
  readonly file: string;
  readonly clockOffsetMs: number;
}
export type CompactorQuestion =
  | CompactorOpening
  /** Without `mayMerge` nothing is merged, and the answer tells of the log and of what waits. */
  | { readonly kind: "merge"; readonly mayMerge: boolean }
  | { readonly kind: "erase" | "inspect" | "checkpoint" };

export interface Merged {
  readonly merges: readonly Merge[];
  readonly overlaps: readonly OverlapNote[];
  /** Rows were left to gather, or overlaps to be found: that is done in a moment, also when no other comes. */
  readonly isMoreToCome: boolean;
  readonly backlog: Backlog;
  readonly log: LogState;
  readonly faults: readonly Fault[];
}
/** The failure, for the log. Its project is left alone until the next start. */
export interface Fault {
  readonly work: "erasing" | "merging" | "looking for shared sessions" | "looking at texts";
  /** Its number in the events file. */
  readonly project: number;
  readonly fault: string;
  readonly at: string;
  /** The place where segments do not decode. */
  readonly damage: Damage | null;
}
/** The data that waits for compaction. */
export interface Backlog {
  readonly events: number;
  /** Projects that have more than their share of it. */
  readonly heavyProjectIds: readonly string[];
}
/** The length of the log, and the part of it that has not been copied into the file. */
export interface LogState {
  readonly logBytes: number;
  readonly uncopiedBytes: number;
}

export interface ReaderOpening {
  readonly kind: "open";
  readonly takes: "small" | "all";
  readonly file: string;
  readonly cacheBytes: number;
  readonly clockOffsetMs: number;
  /** One number: the read that is to stop. */
  readonly cancelled: SharedArrayBuffer;
  /** A shared number: how many reads are being answered, by whichever thread. */
  readonly reading: SharedArrayBuffer;
}
export type ReaderQuestion = ReaderOpening | WarmUp | ReadQuestion;
/** Another reader is asked for the first time: this one may be next. */
export interface WarmUp {
  readonly kind: "warm up";
}
export interface ReadQuestion {
  readonly kind: "read";
  readonly number: number;
  readonly name: string;
  readonly input: unknown;
  readonly ownHosts: readonly string[];
  readonly narrowedBy: readonly FilterItem[];
  readonly told: ToldRequest;
}
export interface ReadAnswer {
  readonly json: string;
  readonly told: Told;
  readonly storeMs: number;
}

/** One export, whose thread makes the next piece of it when it is asked to. */
export interface ExporterOpening {
  readonly kind: "open";
  readonly file: string;
  readonly clockOffsetMs: number;
  /** The name of the export, by which the thread finds it. */
  readonly name: string;
  readonly input: unknown;
}
export type ExporterQuestion = ExporterOpening | { readonly kind: "next" | "close" };

export function faultOf(work: Fault["work"], project: number, error: unknown): Fault {
  const { fault = "", at = "" } = describeFault(error);
  return { work, project, fault, at, damage: damageIn(error) };
}
