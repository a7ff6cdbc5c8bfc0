/*
 * A point of a backup is one state of all databases together. Its manifest names the objects that hold what has changed
 * since another point, its base, and so on down to a full one.
 *
 * Below the target:
 *   <installation>/<line>/<n>-<time>-<level>      the manifest of a point
 *   <installation>/<line>/data/<n>-<number>       an object of it
 * A line is one run of one server. Objects are written once and never changed.
 */

/** The levels of points, and how much time a point of it stands for. The first is a full copy. */
export const levels = ["full", "day", "hour", "increment"] as const;
export type Level = (typeof levels)[number];

export interface StoredObject {
  /** Below the installation, so that a point may use what another line has stored. */
  readonly name: string;
  readonly bytes: number;
  /** The digest of the object as it is stored. */
  readonly sha256: string;
}
/** The pages of a part of a database, with a digest of what they hold. */
export interface PageObject extends StoredObject {
  readonly content: string;
}
export interface RecordingObject extends StoredObject {
  readonly id: string;
  readonly number: number;
}
export interface DatabaseCopy {
  readonly file: string;
  /** The version of its tables, by the last migration; absent in the first points that were ever made. */
  readonly tables?: string | undefined;
  readonly pageBytes: number;
  readonly pages: number;
  /** In the order in which they are written over each other. */
  readonly objects: readonly PageObject[];
}

export interface Manifest {
  readonly format: 1;
  readonly installation: string;
  readonly line: string;
  /** Counted within the line, from 1. */
  readonly n: number;
  readonly level: Level;
  /** Unix ms: everything that was acknowledged before is in it. */
  readonly atMs: number;
  /** The program that wrote it. */
  readonly version: string;
  /** The point that this one adds to; null for a full one. */
  readonly base: { readonly name: string; readonly sha256: string } | null;
  readonly databases: readonly DatabaseCopy[];
  /** Files of recordings that the base does not have, and the numbers of those that are gone since. */
  readonly recordings: {
    readonly added: readonly RecordingObject[];
    readonly removed: readonly number[];
  };
  readonly projects: readonly ProjectContent[];
  /** The number of the last event of the store; 0 when there was none. */
  readonly lastTicket: number;
}
export interface ProjectContent {
  readonly id: string;
  readonly events: number;
}

/** The parts of a manifest's name. */
export interface PointName {
  readonly name: string;
  readonly installation: string;
  readonly line: string;
  readonly n: number;
  readonly atMs: number;
  readonly level: Level;
}

const numberDigits = 8;
const timeDigits = 14;
const pointForm =
  /^([0-9a-f]{32})\/(\d{14}-[0-9a-f]{8})\/(\d{8})-(\d{14})-(full|day|hour|increment)$/;

export const nameOfPoint = ({
  installation,
  line,
  n,
  atMs,
  level,
}: Omit<PointName, "name">): string =>
  `${installation}/${line}/${padded(n, numberDigits)}-${padded(atMs, timeDigits)}-${level}`;

/** Reads the name of a manifest, or returns null when it is none. */
export function pointNamed(name: string): PointName | null {
  const [, installation, line, n, atMs, level] = pointForm.exec(name) ?? [];
  if (installation === undefined) return null;
  return { name, installation, line, n: Number(n), atMs: Number(atMs), level: level as Level };
}

/** Names the line of a server that starts at a time: lines ascend in order of their starts. */
export const lineOf = (startedAtMs: number, random: string): string =>
  `${padded(startedAtMs, timeDigits)}-${random}`;

const padded = (number: number, digits: number): string => String(number).padStart(digits, "0");

export const sha256Of = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
