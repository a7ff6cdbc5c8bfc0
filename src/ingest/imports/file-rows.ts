import type { FileRows, FileRowsRequest } from "../../store/imports";
import { openImportFile } from "./file/open";
import { importerOf } from "./importers";

/** Opens an uploaded file, however it is packed and whatever it is an export of. */
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
