import type { BackupPlace } from "../../config-backups";
import { FolderTarget } from "./folder-target";
import { S3Target } from "./s3-target";
import type { Target } from "./target";

export const openTarget = (place: BackupPlace): Target =>
  place.kind === "folder" ? new FolderTarget(place.folder) : new S3Target(place);

/** Names a place without what opens it. */
export const nameOfPlace = (place: BackupPlace): string =>
  place.kind === "folder"
    ? `file://${place.folder}`
    : `s3://${[place.bucket, place.prefix].filter((part) => part !== "").join("/")}`;
