import type { AutomatedDay } from "../../exports";
import type { RemovedEvents } from "../../imports";
import type { EncodedSegment } from "../segment/encode";

/** The questions of an import to the writer, step by step. */

export interface ImportBegin {
  /** The public id of the import, and of its project. */
  readonly name: string;
  readonly projectId: string;
  /** Identifies the check of the file. Staged segments of another check are dropped. */
  readonly content: string;
  /** The number of events, which get consecutive tickets. */
  readonly events: number;
}

/** A part of an import. Pieces are numbered from 1 in the order in which they are staged. */
export interface StagedPiece {
  readonly number: number;
  readonly segments: readonly EncodedSegment[];
  readonly keys: readonly ImportedKeys[];
  readonly people: StagedPeople;
}
/** The data of an import besides events. Users are numbers of the project. */
export interface StagedPeople {
  readonly links: readonly (readonly [user: number, canonical: number])[];
  /** The traits as JSON. */
  readonly profiles: readonly (readonly [user: number, traits: string])[];
  readonly automated: readonly AutomatedDay[];
}
/** Hashes of 64 bits that begin with the same bits. */
export interface ImportedKeys {
  readonly part: number;
  readonly hashes: Uint8Array;
}

export type ImportChange =
  | { readonly step: "begin"; readonly begin: ImportBegin }
  | { readonly step: "number users"; readonly name: string; readonly users: readonly string[] }
  | { readonly step: "stage"; readonly name: string; readonly piece: StagedPiece }
  | { readonly step: "store"; readonly name: string }
  | { readonly step: "remove"; readonly name: string }
  | { readonly step: "drop others"; readonly names: readonly string[] };

/** The progress of an import. */
export interface ImportPlace {
  readonly isStored: boolean;
  readonly firstTicket: number;
  /** The number of the last piece that is staged. */
  readonly staged: number;
}

export type ImportAnswer = ImportPlace | RemovedEvents | readonly number[] | null;
