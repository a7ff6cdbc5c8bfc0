import { type BlockedIds, blockedIdsOf } from "../../domain/blocked-ids";
import type { FileRows, FileRowsRequest } from "../../store/imports";
import { ReadEntries } from "./archive";
import { openImportFile } from "./file/open";
import type { ImportedRow } from "./importer";
import { importerOf } from "./importers";

/** Opens an uploaded file, however it is packed and whatever it is an export of. */
export async function openFileRows(request: FileRowsRequest): Promise<FileRows> {
  const { path, kind, blocked: digests, ...options } = request;
  const file = await openImportFile(path);
  const importer = await importerOf(file, kind);
  const blocked = digests === null ? null : blockedIdsOf(digests);
  const read = new ReadEntries();
  return {
    kind: importer.kind,
    becomes: importer.becomes,
    caveats: importer.caveats ?? [],
    progress: () => file.progress(),
    files: file.entries.length,
    unread: () => read.unread,
    pieces: () => {
      file.startPass(0, 1);
      const pieces = importer.read(read.of(file), { ...options, blocked });
      return blocked === null ? pieces : withoutBlocked(pieces, blocked);
    },
  };
}

/** The rows, of which those of blocked ids are excluded as /track excludes them. */
async function* withoutBlocked(
  pieces: AsyncIterable<readonly ImportedRow[]>,
  blocked: BlockedIds,
): AsyncGenerator<readonly ImportedRow[]> {
  for await (const piece of pieces) {
    yield piece.map((row) =>
      idsOf(row).some((id) => blocked.has(id)) ? { line: row.line, kind: "excluded" } : row,
    );
  }
}

function idsOf(row: ImportedRow): readonly string[] {
  switch (row.kind) {
    case "event":
      return row.event.userId === null ? [] : [row.event.userId];
    case "identity":
      return [row.previousId, row.userId];
    case "profile":
      return [row.userId];
    default:
      return [];
  }
}
