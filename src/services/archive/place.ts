import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Config } from "../../config";
import type { BackupPlace } from "../../config-backups";
import { ObjectCodec } from "../../store/backups/object-codec";
import { nameOfPlace, openTarget } from "../../store/backups/open-target";
import type { Target } from "../../store/backups/target";

/** The place to which old events go before they are deleted. */
export interface ArchivePlace {
  readonly target: Target;
  readonly codec: ObjectCodec;
  /** Stands before the names of all files; it ends with a slash, or is empty. */
  readonly prefix: string;
  /** Names the place without what opens it. */
  readonly name: string;
  /** Its files lie in the data folder, for which the disk must have room. */
  readonly isInDataDir: boolean;
}

/** ARCHIVE_DIR, else `archive/` where backups go; null where there is neither. */
export function archivePlaceOf({
  archiveDir,
  backups,
  dataDir,
}: Pick<Config, "archiveDir" | "backups" | "dataDir">): ArchivePlace | null {
  const isInDataDir = (place: BackupPlace): boolean =>
    place.kind === "folder" && isWithin(dataDir, place.folder);
  if (archiveDir !== null) {
    const place = { kind: "folder", folder: archiveDir } as const;
    const target = openTarget(place);
    const codec = new ObjectCodec(null);
    const name = nameOfPlace(place);
    return { target, codec, prefix: "", name, isInDataDir: isInDataDir(place) };
  }
  if (backups === null) return null;
  const { place, key } = backups;
  const name = `${nameOfPlace(place)}/archive`;
  const target = openTarget(place);
  const codec = new ObjectCodec(key);
  return { target, codec, prefix: "archive/", name, isInDataDir: isInDataDir(place) };
}

/** Tells whether a folder is the outer one or lies in it, by their names where they do not exist yet. */
function isWithin(outer: string, inner: string): boolean {
  const way = relative(realOf(outer), realOf(inner));
  return !isAbsolute(way) && way.split(sep)[0] !== "..";
}
function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // The target makes the folder with its first file.
    const above = dirname(resolve(folder));
    return above === resolve(folder) ? above : join(realOf(above), basename(folder));
  }
}
