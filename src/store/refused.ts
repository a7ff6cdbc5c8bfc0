import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** A database file is not used. The message is for the person who starts the program: the file and the remedy. */
export class StorageRefused extends Error {}

/** SQLite's codes for trouble with files, locks and memory, as against mistakes in what we ask of it. */
const storageCodes = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|PERM|NOMEM|BUSY|LOCKED|PROTOCOL)/;
/** The system's, for files that are written without SQLite. */
const fileCodes = /^(ENOSPC|EDQUOT|EFBIG|EIO|EROFS|EMFILE|ENFILE|EACCES|EPERM)$/;

/** Returns the code of an error that the disk, the system or another program caused, or null for any other error. */
export function systemCodeOf(error: unknown): string | null {
  if (!(error instanceof Error && "code" in error && typeof error.code === "string")) return null;
  return storageCodes.test(error.code) || fileCodes.test(error.code) ? error.code : null;
}

/** SQLite reports an I/O error where a file of its own cannot grow: with less room than this the disk is full. */
const fullBytesMax = 1024 * 1024;

/**
 * Tells the person at the terminal what the system refused and what to do. A full disk or a missing right must not
 * sound like damage: people would restore a backup over data that is whole.
 */
export function refusedBySystem(path: string, code: string): StorageRefused {
  return new StorageRefused(sentenceOf(path, code));
}

function sentenceOf(path: string, code: string): string {
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)/.test(code) || (/IOERR/.test(code) && isFull(path))) {
    return `The disk that holds ${path} is full (${code}). Free some space and try again; no stored data is lost.`;
  }
  if (/^(SQLITE_(READONLY|PERM)|EACCES|EPERM|EROFS)/.test(code)) {
    return `This user cannot read and write ${path} (${code}). ${remedyOfRights}`;
  }
  if (/^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(code)) {
    return `Another program has locked ${path} (${code}). Stop that program and try again.`;
  }
  return (
    `The operating system reported an error on ${path} (${code}). Check the disk and the system log; if ` +
    "the file is unreadable, restore it from a backup."
  );
}

const remedyOfRights = "Run this command as the server's user, or grant this user the permissions.";

function isFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(existsSync(path) ? path : dirname(path));
    return bavail * bsize < fullBytesMax;
  } catch {
    return false;
  }
}

/**
 * Throws StorageRefused for a folder into which this user may not look: all that lies there would pass for missing. A
 * folder that does not exist is fine.
 */
export function refuseIfUnreachable(folder: string): void {
  try {
    if (!statSync(folder).isDirectory()) {
      throw new StorageRefused(
        `${folder} is not a folder. Set DATA_DIR to the folder of the server.`,
      );
    }
    accessSync(folder, constants.R_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof StorageRefused) throw error;
    const code = systemCodeOf(error);
    if (code !== null) throw refusedBySystem(folder, code);
  }
}
