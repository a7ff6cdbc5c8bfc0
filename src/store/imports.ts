import type { BlockedDigests } from "../domain/blocked-ids";
import type { DayDimension, DayImportKind, DayRow } from "../domain/day-row";
import type { ErrorCode } from "../domain/errors";
import type { AcceptedEvent } from "../domain/event";
import type { ImportBecomes, ImportKind } from "../domain/import";
import type { ImportReport } from "../domain/import-report";
import type { ProjectContext } from "../domain/project-context";
import type { AutomatedDay } from "./exports";
import type { Snapshot } from "./questions";

/** The imports of an engine. Each works in a thread of its own, so that reads and ingestion go on beside it. */
export interface ImportStore {
  /** Reads a file to its end and prepares what a commit stores. Rejects with an ApiError that ends the import. */
  check(work: ImportWork, request: WorkRequest): Promise<ImportReport>;
  /**
   * Stores what was checked: reads see nothing of it before this resolves, and all of it from then on. When the project
   * changed since in a way that matters, the file is checked again first. Goes on where it stopped.
   */
  commit(work: ImportWork, request: WorkRequest): Promise<StoredImport>;
  /** Removes what an import stored. Reads that start then see nothing of it. */
  remove(importId: string): Promise<RemovedEvents>;
  /** Drops what was prepared of imports that are not among these. */
  dropOthers(importIds: readonly string[]): Promise<void>;
  /** Tells whether everything of an import is stored. */
  isStored(importId: string): boolean;
  /** Counts a date as reads would if imports of the project had been removed: any of those that have a part in it. */
  countWithout(date: CountedDate): Promise<CountedWithout>;
}

/** The result of a commit: counts of stored rows, and the data that its caller stores. */
export interface StoredImport {
  readonly report: ImportReport;
  /** The context that the project gets; null where the file has none, or the project has one already. */
  readonly context: ProjectContext | null;
  /** Unix ms of the earliest event that it brought, here or to the server that wrote the file; null for none. */
  readonly firstEventMs: number | null;
}

export interface ImportWork {
  readonly importId: string;
  readonly projectId: string;
  /** The uploaded file, and the folder that is the import's alone. */
  readonly path: string;
  readonly folder: string;
  /** Null: found by the content. */
  readonly kind: ImportKind | null;
  /** The zone of times that name none. */
  readonly timeZone: string;
  /** The zone of the project, whose dates the report has. */
  readonly zone: string;
  readonly overlap: "drop" | "keep";
  readonly older: "fold" | "drop";
  /** The dates of which another import has sums. */
  readonly takenDates: readonly string[];
  /** The dates of which retention, here or elsewhere, has left sums. */
  readonly foldedDates: readonly string[];
  /** Those among them with sums of the project's own events: it may still have the events of the last one. */
  readonly summedDates: readonly string[];
  /** Unix ms from which the project stores events by its retention, whether that has deleted anything yet or not. */
  readonly storedFromMs: number;
  /** Unix ms of the earliest event that control.db knows of; null where it knows of none. */
  readonly firstEventMs: number | null;
  /** The project's own hosts, which are no referrers. */
  readonly ownHosts: readonly string[];
  /** Somebody wrote the project's context. */
  readonly hasContext: boolean;
  /** The ids whose rows the project excludes; null where it has none. */
  readonly blocked: BlockedDigests | null;
}

/** The import by which sums of days came to the server that wrote a file. */
export interface DayOrigin {
  readonly kind: DayImportKind;
  readonly id: string;
}
/** The rows of a date of one origin; null where the file itself is the origin. */
export interface DatedRows {
  readonly origin: DayOrigin | null;
  readonly rows: readonly DayRow[];
}

interface WorkRequest {
  readonly signal: AbortSignal;
  /** Takes sums of a commit: all rows of a date. They are to be shown once the commit is done. */
  days(dated: DatedRows): void;
  /** Told which share is done, 0 to 1. */
  progress(share: number): void;
}

export interface RemovedEvents {
  /** Those that retention had left. */
  readonly events: number;
  /** Unix ms of the first event that the project had before; null where it had none. */
  readonly firstKeptMs: number | null;
}
export interface RemovedRows extends Pick<RemovedEvents, "events"> {
  /** Dates whose sums went or changed, those left out whose events the project had. */
  readonly days: number;
  /** Dates that retention folded with more imports than it can tell apart: their sums stay. */
  readonly daysLeft: number;
}

/** Counts the days of a snapshot: the rows of one dimension of a date. */
export type CountDay = (snapshot: Snapshot, asked: CountedDay) => Promise<readonly DayRow[]>;

export interface CountedDay {
  readonly projectId: string;
  /** Days since 1970-01-01, in the zone. */
  readonly day: number;
  readonly zone: string;
  readonly dimension: DayDimension;
}

/** A date of a project, all of whose dimensions are counted. */
export interface CountedDate {
  readonly projectId: string;
  /** Days since 1970-01-01, in the zone. */
  readonly day: number;
  readonly zone: string;
  readonly ownHosts: readonly string[];
}

export interface CountedWithout {
  /** The imports that have a part in the date. */
  readonly imports: readonly string[];
  /** The date without each set of them that is not empty; null where there are too many sets. */
  readonly sets: readonly DayWithout[] | null;
}
/** The sums of a date without the events and links of some imports; no rows where no events are left. */
export interface DayWithout {
  readonly imports: readonly string[];
  readonly rows: readonly DayRow[];
}

/** Opens an uploaded file as rows. Rejects with IMPORT_BROKEN, IMPORT_NO_DATES or PAYLOAD_TOO_LARGE. */
export type OpenFileRows = (request: FileRowsRequest) => Promise<FileRows>;

export interface FileRowsRequest {
  readonly path: string;
  readonly kind: ImportKind | null;
  readonly timeZone: string;
  readonly nowMs: number;
  readonly blocked: BlockedDigests | null;
}

export interface FileRows {
  readonly kind: ImportKind;
  readonly becomes: ImportBecomes;
  /** Codes of what a reader of the numbers must know. */
  readonly caveats: readonly string[];
  /** The share of the work that is done, 0 to 1. */
  progress(): number;
  /** The number of files in an archive; 1 for a file that is none. */
  readonly files: number;
  /** The names of the files that the import skipped. Complete when all pieces were read. */
  unread(): readonly string[];
  /** All rows in the order of the file, in pieces of some hundred. Throws as the opening does. */
  pieces(): AsyncIterable<readonly FileRow[]>;
}

/** A row and the line on which it begins: 1 is the first. */
export type FileRow = { readonly line: number } & (
  | { readonly kind: "event"; readonly event: FileEvent }
  | {
      readonly kind: "days";
      readonly days: readonly DayRow[];
      /** Named by rows that came to another server by an import, or by its retention. */
      readonly origin?: DayOrigin;
    }
  | { readonly kind: "unsupported" }
  /** It is of an id that the project has blocked. */
  | { readonly kind: "excluded" }
  | { readonly kind: "refused"; readonly code: ErrorCode }
  | { readonly kind: "identity"; readonly previousId: string; readonly userId: string }
  | {
      readonly kind: "profile";
      readonly userId: string;
      readonly traits: Readonly<Record<string, unknown>>;
      /** The number of its addresses, which are hashed with a key of their project and server. */
      readonly emails: number;
    }
  | { readonly kind: "context"; readonly context: ProjectContext }
  | { readonly kind: "bot_day"; readonly day: AutomatedDay }
  /** No row of its own: the earliest event that retention of another server has deleted. */
  | { readonly kind: "first deleted"; readonly timeMs: number }
);

/** An event that keeps the rules of ingestion but for its age. */
export interface FileEvent extends AcceptedEvent {
  /** The id by which the same row of another file is known; null where there is none. */
  readonly foreignId: string | null;
  /** The project that stored it under this id; absent where another product did. */
  readonly projectId?: string;
}
