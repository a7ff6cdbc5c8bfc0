import { tmpdir } from "node:os";
import { isAbsolute, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The place to which backups go. */
export type BackupPlace =
  | { readonly kind: "folder"; readonly folder: string }
  | {
      readonly kind: "s3";
      readonly bucket: string;
      /** Without slashes at its ends; empty for the bucket itself. */
      readonly prefix: string;
      /** The origin of the server; null is AWS. */
      readonly endpoint: string | null;
      readonly region: string;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      /** Tells whether the bucket is part of the host name rather than of the path. */
      readonly isVirtualHosted: boolean;
    };

export interface BackupConfig {
  readonly place: BackupPlace;
  /** The secret that encrypts the objects; null leaves them readable. */
  readonly key: string | null;
  readonly everyMs: number;
  /** One point a day stays for this long … */
  readonly keepMs: number;
  /** … and every point for this long. */
  readonly pointsMs: number;
  /** How often a restore is tried. */
  readonly drill: "daily" | "weekly" | "off";
  /** The folder in which it is tried. */
  readonly drillDir: string;
}

/** The settings of the environment that backups take, by name. */
export interface Settings {
  text(name: string): string | null;
  choice<const T extends string>(name: string, allowed: readonly T[], otherwise: T): T;
  integer(name: string, min: number, max: number, otherwise: number): number;
}

const secondMs = 1_000;
const dayMs = 86_400_000;
const keyCharsMin = 32;
/** Where the data is, unless DATA_DIR says so. */
export const dataDirDefault = "./data";
const daysMax = 3_650;

const s3Names = [
  ...(["BACKUP_S3_ENDPOINT", "BACKUP_S3_REGION", "BACKUP_S3_ACCESS_KEY_ID"] as const),
  ...(["BACKUP_S3_SECRET_ACCESS_KEY", "BACKUP_S3_VIRTUAL_HOST"] as const),
] as const;
const names = [
  ...(["BACKUP_EVERY_S", "BACKUP_KEEP_DAYS", "BACKUP_POINTS_DAYS", "BACKUP_KEY"] as const),
  ...(["BACKUP_DRILL", "BACKUP_DRILL_DIR"] as const),
  ...s3Names,
] as const;

/** Returns null when there are no continuous backups, and a sentence when the variables are wrong. */
export function backupsOf({ text, choice, integer }: Settings): BackupConfig | null | string {
  const url = text("BACKUP_URL");
  if (url === null) {
    const left = names.find((name) => text(name) !== null);
    return left === undefined
      ? null
      : `${left} is set, but BACKUP_URL is not. Set BACKUP_URL, or unset ${left}.`;
  }
  const place = backupPlaceOf(url, text);
  if (typeof place === "string") return place;
  const dataDir = text("DATA_DIR") ?? dataDirDefault;
  if (place.kind === "folder" && isWithin(place.folder, resolve(dataDir))) {
    return (
      "BACKUP_URL is within DATA_DIR, and both would be lost together. " +
      `Use a folder outside of ${resolve(dataDir)}.`
    );
  }
  const key = backupKeyOf(text);
  if (key !== null && key.length < keyCharsMin) return shortKey(key);
  const keepDays = integer("BACKUP_KEEP_DAYS", 1, daysMax, 30);
  const pointsDays = integer("BACKUP_POINTS_DAYS", 1, daysMax, Math.min(7, keepDays));
  if (pointsDays > keepDays) {
    return `BACKUP_POINTS_DAYS must be at most BACKUP_KEEP_DAYS, which is ${keepDays}.`;
  }
  return {
    ...{ place, key, keepMs: keepDays * dayMs, pointsMs: pointsDays * dayMs },
    everyMs: integer("BACKUP_EVERY_S", 5, 86_400, 60) * secondMs,
    drill: choice("BACKUP_DRILL", ["daily", "weekly", "off"], "weekly"),
    drillDir: resolve(text("BACKUP_DRILL_DIR") ?? tmpdir()),
  };
}

export const backupKeyOf = (text: Settings["text"]): string | null => text("BACKUP_KEY");

const shortKey = (key: string): string =>
  `BACKUP_KEY has ${key.length} characters, but needs at least ${keyCharsMin}. Generate one with ` +
  "`openssl rand -hex 32`, and keep a copy elsewhere: without it nobody can restore the backup.";

/** Reads an address of backups. Returns a sentence, about the address by its name, when it is none. */
export function backupPlaceOf(
  sent: string,
  text: Settings["text"],
  name = "BACKUP_URL",
): BackupPlace | string {
  const url = URL.canParse(sent) ? new URL(sent) : null;
  if (url?.protocol === "file:" && url.host === "") {
    return { kind: "folder", folder: resolve(fileURLToPath(url)) };
  }
  if (url?.protocol !== "s3:" || url.host === "" || url.search + url.hash + url.username !== "") {
    return `${name} must be a folder, such as file:///backups, or a bucket, such as s3://bucket/prefix.`;
  }
  const [accessKeyId, secretAccessKey] = [
    text("BACKUP_S3_ACCESS_KEY_ID"),
    text("BACKUP_S3_SECRET_ACCESS_KEY"),
  ];
  if (accessKeyId === null || secretAccessKey === null) {
    return "A bucket needs BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY. Set both.";
  }
  const endpoint = text("BACKUP_S3_ENDPOINT");
  if (endpoint !== null && !isOrigin(endpoint)) {
    return "BACKUP_S3_ENDPOINT must be an origin such as https://s3.example.com, without a path.";
  }
  const isVirtualHosted = text("BACKUP_S3_VIRTUAL_HOST") ?? "false";
  if (!/^(true|1|false|0)$/.test(isVirtualHosted)) {
    return "BACKUP_S3_VIRTUAL_HOST must be true or false.";
  }
  return {
    ...{ kind: "s3", bucket: url.host, prefix: url.pathname.replace(/^\/+|\/+$/g, "") },
    ...{ endpoint, region: text("BACKUP_S3_REGION") ?? "us-east-1", accessKeyId, secretAccessKey },
    isVirtualHosted: /^(true|1)$/.test(isVirtualHosted),
  };
}

function isWithin(folder: string, outer: string): boolean {
  const path = relative(outer, folder);
  return path === "" || !(path.startsWith("..") || isAbsolute(path));
}

function isOrigin(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}
