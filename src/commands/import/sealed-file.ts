import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readClientConfig } from "../../config";
import { isSealedFile, ObjectCodec, WrongKey } from "../../store/backups/object-codec";
import { CommandFailed } from "../remote/remote-error";

/**
 * Gives `work` a file that can be read: one of an archive that BACKUP_KEY encrypted is opened into a temporary folder,
 * which is removed afterwards.
 */
export async function withReadable<T>(
  file: string,
  work: (file: string) => Promise<T>,
): Promise<T> {
  const stored = Bun.file(file);
  const isSealed =
    (await stored.exists()) && isSealedFile(new Uint8Array(await stored.slice(0, 1).arrayBuffer()));
  if (!isSealed) return work(file);
  const opened = openedOf(new Uint8Array(await stored.arrayBuffer()));
  const folder = mkdtempSync(join(tmpdir(), "sightline-archive-"));
  try {
    const readable = join(folder, basename(file));
    await Bun.write(readable, opened);
    return await work(readable);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function openedOf(object: Uint8Array): Uint8Array {
  try {
    return new ObjectCodec(readClientConfig().backupKey).openFile(object);
  } catch (error) {
    if (!(error instanceof WrongKey)) throw error;
    throw new CommandFailed("The file is encrypted. Set BACKUP_KEY to the key of its server.");
  }
}
