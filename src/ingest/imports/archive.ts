import type { ApiError } from "../../domain/errors";
import { brokenFile } from "./file/broken";
import { headOf } from "./file/head";
import type { FileEntry, FileHead, OpenedFile } from "./file/opened-file";
import type { Importer } from "./importer";

/** The files of an archive: each is read by the importer, named as one that is not, or a reason to refuse all. */

/**
 * Throws IMPORT_BROKEN where another importer reads a file of the archive: the one that was found would leave it out,
 * or take its rows for its own.
 */
export async function requireOneForm(
  file: OpenedFile,
  importer: Importer,
  importers: readonly Importer[],
): Promise<void> {
  if (!file.isArchive) return;
  let ofImporter: string | null = null;
  for (const entry of file.entries) {
    file.startPass(0, 1);
    const head = await headIn(entry);
    const sample = { isArchive: false, names: [""], head };
    const own = importers.find((one) => one.recognizes(sample));
    if (own === importer) ofImporter ??= entry.name;
    else if (own !== undefined) throw severalForms(entry.name, ofImporter, importer);
  }
}

/** A file that cannot be read is of no form. Where the importer reads it, that says why. */
async function headIn(entry: FileEntry): Promise<FileHead> {
  try {
    return await headOf(entry);
  } catch {
    return { format: "unknown" };
  }
}

function severalForms(name: string, other: string | null, { kind }: Importer): ApiError {
  const beside = other === null ? `an export of the kind "${kind}"` : JSON.stringify(other);
  return brokenFile(
    `The archive has ${JSON.stringify(name)} beside ${beside}, which is read in another way. ` +
      "Upload the files of each form by themselves.",
  );
}

/** Notes which files of an archive are read. */
export class ReadEntries {
  readonly #unread = new Set<FileEntry>();

  /** The file, which notes from now on what is read of it. */
  of(file: OpenedFile): OpenedFile {
    if (!file.isArchive) return file;
    const entries = file.entries.map((entry) => {
      this.#unread.add(entry);
      return {
        name: entry.name,
        read: () => {
          this.#unread.delete(entry);
          return entry.read();
        },
      };
    });
    return { ...file, entries };
  }
  get unread(): readonly string[] {
    return Array.from(this.#unread, ({ name }) => name);
  }
}
