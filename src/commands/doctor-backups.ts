import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { BackupConfig } from "../config-backups";
import { ConfigError } from "../config-error";
import { Catalogue } from "../store/backups/catalogue";
import { ObjectCodec, WrongKey } from "../store/backups/object-codec";
import { nameOfPlace, openTarget } from "../store/backups/open-target";
import { installationOf } from "../store/backups/statements";
import { TargetFailed } from "../store/backups/target";

/** Looks at the target, and at what would make it worthless. Throws ConfigError with a sentence. */
export async function checkBackups(config: BackupConfig, dataDir: string): Promise<string> {
  const { place, key } = config;
  const name = nameOfPlace(place);
  const control = join(dataDir, "control.db");
  const installation = existsSync(control) ? installationOf(control) : null;
  const newestMs = installation === null ? null : await newestPointMs(config, installation);
  if (place.kind === "folder" && isSameDisk(place.folder, dataDir)) {
    throw new ConfigError(
      `${name} is on the same file system as the data: both would be lost together. Use another one.`,
    );
  }
  if (place.kind === "s3" && key === null) {
    throw new ConfigError(
      `${name} is not encrypted, and the databases contain secrets. Set BACKUP_KEY.`,
    );
  }
  return newestMs === null
    ? `${name} has no point yet`
    : `${name} has the state of ${new Date(newestMs).toISOString()}`;
}

/** Opens the newest point, which needs the key; null when there is none. */
async function newestPointMs(
  { place, key }: BackupConfig,
  installation: string,
): Promise<number | null> {
  const catalogue = new Catalogue(openTarget(place), new ObjectCodec(key));
  try {
    const newest = (await catalogue.points(`${installation}/`)).at(-1);
    if (newest === undefined) return null;
    await catalogue.manifest(newest.name);
    return newest.atMs;
  } catch (error) {
    if (error instanceof WrongKey) throw new ConfigError(error.message);
    if (error instanceof TargetFailed) {
      throw new ConfigError(`${nameOfPlace(place)} cannot be read: ${error.message}`);
    }
    throw error;
  }
}

function isSameDisk(folder: string, dataDir: string): boolean {
  const exist = existsSync(folder) && existsSync(dataDir);
  return exist && statSync(folder).dev === statSync(dataDir).dev;
}
