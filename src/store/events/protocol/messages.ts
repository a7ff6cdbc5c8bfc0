import type { FilterItem } from "../../../domain/filter-items";
import { describeFault } from "../../../lib/fault";
import { type Damage, damageIn } from "../../damage";
import type { DataFacts, DataFactsRequest, StoredTime } from "../../port";
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

/** A string is a group to commit (wire.ts). This is by far the most frequent message, and strings are the fastest. */
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
  /** Without `mayMerge` the compactor merges nothing, and only reports the log and the backlog. */
  | { readonly kind: "merge"; readonly mayMerge: boolean }
  | { readonly kind: "erase" | "inspect" | "checkpoint" };

export interface Merged {
  readonly merges: readonly Merge[];
  readonly overlaps: readonly OverlapNote[];
  /** Tells whether rows wait for more, or overlaps are to be found, so that the next round has to follow soon. */
  readonly isMoreToCome: boolean;
  readonly backlog: Backlog;
  readonly log: LogState;
  readonly faults: readonly Fault[];
}
/** A failure, for the log. The compactor skips its project until the next start. */
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
  /** The projects with so large a part of it that their events are refused first. */
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
  /** The number of the read that has to stop. */
  readonly cancelled: SharedArrayBuffer;
  /** The number of reads that all threads together are answering, in shared memory. */
  readonly reading: SharedArrayBuffer;
}
export type ReaderQuestion = ReaderOpening | WarmUp | ReadQuestion;
/** Another reader has received its first read, so this one may receive one soon. */
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
  readonly facts: DataFactsRequest;
}
export interface ReadAnswer {
  readonly json: string;
  readonly facts: DataFacts;
  readonly storeMs: number;
}

/** One export. Its thread makes the next piece at each request of the main thread. */
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
