import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { databaseName as replaysFile, folderName as replaysFolder } from "./replay-places";

/** The parts of a data folder. */
export const diskParts = [
  ...(["events", "recordings", "control", "logs", "backups_waiting", "other"] as const),
] as const;
export type DiskPart = (typeof diskParts)[number];
export type UsedBytes = Readonly<Record<DiskPart, number>>;

/** Files that are looked at before others have their turn. */
const filesPerTurn = 64;

/** The bytes of the files in a data folder, by what they hold. */
export async function usedBytesIn(dataDir: string): Promise<UsedBytes> {
  const used = Object.fromEntries(diskParts.map((part) => [part, 0])) as Record<DiskPart, number>;
  const files = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const paths = files
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(dataDir, "/").length));
  for (let at = 0; at < paths.length; at += filesPerTurn) {
    const some = paths.slice(at, at + filesPerTurn);
    const sizes = await Promise.all(some.map((path) => bytesOf(join(dataDir, path))));
    some.forEach((path, index) => {
      used[partOf(path)] += sizes[index] ?? 0;
    });
  }
  return used;
}

/** The increments of backups wait in the logs of the databases, and not in files of their own. */
function partOf(path: string): DiskPart {
  if (/^[^/\\]+-(wal|shm)$/.test(path)) return "logs";
  if (path === "events.db") return "events";
  if (path === "control.db") return "control";
  const isRecording = path === replaysFile || path.split(/[/\\]/)[0] === replaysFolder;
  return isRecording ? "recordings" : "other";
}

/** A file may go while others are looked at. */
async function bytesOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  return found?.size ?? 0;
}
