import type { Config } from "../../config";
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
}

/** ARCHIVE_DIR, else `archive/` where backups go; null where there is neither. */
export function archivePlaceOf({
  archiveDir,
  backups,
}: Pick<Config, "archiveDir" | "backups">): ArchivePlace | null {
  if (archiveDir !== null) {
    const place = { kind: "folder", folder: archiveDir } as const;
    const target = openTarget(place);
    return { target, codec: new ObjectCodec(null), prefix: "", name: nameOfPlace(place) };
  }
  if (backups === null) return null;
  const { place, key } = backups;
  const name = `${nameOfPlace(place)}/archive`;
  return { target: openTarget(place), codec: new ObjectCodec(key), prefix: "archive/", name };
}
