import type { ImportBecomes, ImportKind } from "../../domain/import";
import { openImportFile } from "./file/open";
import type { ImportedRow } from "./importer";
import { importerOf } from "./importers";

export interface FileRowsRequest {
  readonly path: string;
  /** Null where the content says it. */
  readonly kind: ImportKind | null;
  /** The zone of times that name none. */
  readonly timeZone: string;
  readonly nowMs: number;
}

/** An uploaded file, as rows. */
export interface FileRows {
  readonly kind: ImportKind;
  readonly becomes: ImportBecomes;
  /** What a reader of the numbers must know, as codes. */
  readonly caveats: readonly string[];
  /** The part of the work that is done, 0 to 1. */
  progress(): number;
  /** All rows in the order of the file, in pieces. Throws IMPORT_BROKEN, IMPORT_NO_DATES or PAYLOAD_TOO_LARGE. */
  pieces(): AsyncIterable<readonly ImportedRow[]>;
}

/** Opens an uploaded file, however it is packed and whatever it is an export of. Rejects as `pieces` does. */
export async function openFileRows(request: FileRowsRequest): Promise<FileRows> {
  const { path, kind, ...options } = request;
  const file = await openImportFile(path);
  const importer = await importerOf(file, kind);
  return {
    kind: importer.kind,
    becomes: importer.becomes,
    caveats: importer.caveats ?? [],
    progress: () => file.progress(),
    pieces: () => {
      file.startPass(0, 1);
      return importer.read(file, options);
    },
  };
}
