import type { BlockedIds } from "../../domain/blocked-ids";
import type { DayRow } from "../../domain/day-row";
import type { ErrorCode } from "../../domain/errors";
import type { AcceptedEvent } from "../../domain/event";
import type { ImportBecomes, ImportKind } from "../../domain/import";
import type { ProjectContext } from "../../domain/project-context";
import type { AutomatedDay } from "../../store/exports";
import type { DayOrigin } from "../../store/imports";
import type { JsonObject } from "../properties";
import type { FileSample, OpenedFile } from "./file/opened-file";

/** Understands the files of one kind. It is pure: it reads rows, and says what each of them stands for. */
export interface Importer {
  readonly kind: ImportKind;
  readonly becomes: ImportBecomes;
  /** Caveats for readers of the numbers, as codes for the report. */
  readonly caveats?: readonly string[];
  /** Tells by the beginning of a file whether it is of this kind. */
  recognizes(file: FileSample): boolean;
  /**
   * Reads a file from its beginning to its end, in pieces of some hundred rows and in the order of the file. Throws an
   * ApiError with the code IMPORT_BROKEN, IMPORT_NO_DATES or PAYLOAD_TOO_LARGE, and where possible the `line`.
   */
  read(file: OpenedFile, options: ReadOptions): AsyncIterable<readonly ImportedRow[]>;
}

export interface ReadOptions {
  /** The zone of times that name none. */
  readonly timeZone: string;
  /** No event happened later than this. */
  readonly nowMs: number;
  /** The ids of which the project takes no rows; null where it has none. */
  readonly blocked: BlockedIds | null;
}

/** One record of a file, which counts once in the report, and the line on which it begins: 1 is the first. */
export type ImportedRow = { readonly line: number } & RowContent;

export type RowContent =
  | { readonly kind: "event"; readonly event: ImportedEvent }
  /** The counts that a record adds to days: the rows of equal date, dimension and value are added up. */
  | { readonly kind: "days"; readonly days: readonly DayRow[]; readonly origin?: DayOrigin }
  | { readonly kind: "unsupported" }
  | { readonly kind: "excluded" }
  | { readonly kind: "refused"; readonly code: ErrorCode }
  | OwnRow;

/** Lines that only this product's exports have. */
type OwnRow =
  | { readonly kind: "identity"; readonly previousId: string; readonly userId: string }
  | {
      readonly kind: "profile";
      readonly userId: string;
      readonly traits: JsonObject;
      readonly emails: number;
    }
  | { readonly kind: "context"; readonly context: ProjectContext }
  | { readonly kind: "bot_day"; readonly day: AutomatedDay }
  /** No row of its own, but a fact of the first line: retention deleted events from this time on. */
  | { readonly kind: "first deleted"; readonly timeMs: number };

/** An event that keeps the rules of /track, but for its age. */
export interface ImportedEvent extends AcceptedEvent {
  /**
   * The id by which a row of another file is known to be the same; null where the product has none. It is the event's
   * own id, except in files of `sightline`, where it is the id under which the event was stored.
   */
  readonly foreignId: string | null;
  /** The project that stored it under this id; absent where another product did. */
  readonly projectId?: string;
}
