import type { JsonObject } from "../../properties";

/** An uploaded file, whose bytes can be read as often as needed. */
export interface OpenedFile {
  readonly isArchive: boolean;
  /** A path beside the file for what its importer must note on disk. */
  readonly scratchPath: string;
  /** The files of an archive, in its order, without folders; a file that is no archive is the one entry. */
  readonly entries: readonly FileEntry[];
  /** Begins to read the file from its start, for the `at`th of some times, counted from zero. */
  startPass(at: number, of: number): void;
  /** The part of its work that reading has done, 0 to 1. */
  progress(): number;
}

export interface FileEntry {
  /** The name without its folders; empty where the file is no archive. */
  readonly name: string;
  /** Reads the entry unpacked. Throws IMPORT_BROKEN where it is damaged, PAYLOAD_TOO_LARGE where it is too large. */
  read(): AsyncIterable<Uint8Array>;
}

/** The beginning of a file. */
export interface FileSample {
  readonly isArchive: boolean;
  /** The names of the entries, without their folders. */
  readonly names: readonly string[];
  /** The beginning of an entry that is a table or a list. */
  readonly head: FileHead;
}

export type FileHead = TableHead | ListHead | { readonly format: "unknown" };

/** The beginning of a CSV file. */
export interface TableHead {
  readonly format: "csv";
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The beginning of a file of JSON objects: one a line, or one list of them. */
export interface ListHead {
  readonly format: "json";
  readonly records: readonly JsonObject[];
}
