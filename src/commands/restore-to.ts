import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readIdentitySecret } from "../config";
import { ConfigError } from "../config-error";
import type { Catalogue } from "../store/backups/catalogue";
import { checkContents } from "../store/backups/contents";
import type { Manifest, PointName } from "../store/backups/manifest";
import { type RestoreProgress, restoreInto } from "../store/backups/restore";
import { checkInstallation, unfinishedBackup } from "../store/installation";
import { refuseIfDamaged } from "../store/migrate";
import { checkRecordings } from "../store/replays/copies";
import { version } from "../version";
import { databaseFiles } from "./databases";
import { applyErasures } from "./restore-erasures";

export interface Restored {
  readonly manifest: Manifest;
  readonly bytes: number;
  readonly objects: number;
  readonly seconds: number;
  /** The erasures that were applied, as they are later than the moment. */
  readonly erasures: number;
}

/**
 * Restores a point to a new folder, which gets its name once everything was read through; `finalize` has the folder
 * just before that. Throws PointDamaged, WrongKey, TargetFailed, ConfigError or StorageRefused, and leaves nothing
 * then.
 */
export async function restoreTo(
  folder: string,
  catalogue: Catalogue,
  point: PointName,
  progress: (now: RestoreProgress) => void = () => undefined,
  finalize: (part: string, manifest: Manifest) => void = () => undefined,
): Promise<Restored> {
  refuseIfTaken(folder);
  const begunAt = performance.now();
  const part = beginPart(folder);
  try {
    const chain = await catalogue.chain(point.name);
    const manifest = chain[chain.length - 1];
    refuseIfNewer(manifest);
    const { objects, bytes } = await restoreInto(part, chain, catalogue, progress);
    lookThrough(part, manifest);
    const known = await catalogue.erasures(point.installation);
    const erasures = applyErasures(part, known, manifest.atMs, readIdentitySecret());
    finalize(part, manifest);
    finish(part, folder);
    const seconds = Math.round((performance.now() - begunAt) / 100) / 10;
    return { manifest, bytes, objects, seconds, erasures };
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    throw error;
  }
}

function refuseIfTaken(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new ConfigError(`${folder} is not empty. Restore into a new folder.`);
  }
}

/** Before anything is fetched: what a later version wrote cannot be read through here. */
function refuseIfNewer({ databases, version: writer }: Manifest): void {
  for (const { file, tables } of databases) {
    const known = databaseFiles.find(({ name }) => name === file)?.schema.migrations;
    if (tables === undefined || known?.some(({ tag }) => tag === tables) === true) continue;
    throw new ConfigError(
      `Sightline ${writer} made this backup, and ${version} does not know its tables of ${file}. Restore it with ` +
        `${writer} or a later version.`,
    );
  }
}

/** The mark keeps a server from starting on half a restore, also after a kill. */
function beginPart(folder: string): string {
  const part = `${resolve(folder)}.part`;
  if (existsSync(part) && !existsSync(join(part, unfinishedBackup))) {
    throw new ConfigError(`${part} is in the way. Remove it, or restore into another folder.`);
  }
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  writeFileSync(join(part, unfinishedBackup), "");
  return part;
}

/** Reads everything through as doctor does, and compares it with what the manifest says. */
function lookThrough(part: string, manifest: Manifest): void {
  for (const { name, schema } of databaseFiles) refuseIfDamaged(join(part, name), schema);
  rmSync(join(part, unfinishedBackup));
  checkInstallation(part, databaseFiles);
  writeFileSync(join(part, unfinishedBackup), "");
  checkRecordings(part);
  checkContents(join(part, "events.db"), manifest);
}

function finish(part: string, folder: string): void {
  mkdirSync(dirname(resolve(folder)), { recursive: true });
  rmSync(folder, { recursive: true, force: true });
  renameSync(part, folder);
  rmSync(join(folder, unfinishedBackup));
}
