import { ApiError } from "./errors";

/** The levels of a disk, in the order in which it gets fuller. */
export const diskLevels = ["ok", "low", "tight", "full"] as const;
export type DiskLevel = (typeof diskLevels)[number];

const mebibyte = 1024 * 1024;
const reserveBytesUsual = 512 * mebibyte;
/** On a smaller file system the reserve is a tenth of it. */
const smallDiskBytes = 5 * 1024 * mebibyte;
const lowReserves = 4;
const tightReserves = 2;
/** A full disk must get this much better before events are stored again, or it would be full again at once. */
const leavesFullReserves = 1.25;
const lowDaysMax = 14;
const growthDaysMax = 7;

/** The bytes that ingestion leaves to everything else. */
export const reserveBytesOf = (totalBytes: number, configuredBytes: number | null): number =>
  configuredBytes ??
  (totalBytes < smallDiskBytes ? Math.floor(totalBytes / 10) : reserveBytesUsual);

interface Room {
  readonly freeBytes: number;
  readonly reserveBytes: number;
  readonly daysToFull: number | null;
}

export function diskLevelOf(
  { freeBytes, reserveBytes, daysToFull }: Room,
  before: DiskLevel,
): DiskLevel {
  const fullReserves = before === "full" ? leavesFullReserves : 1;
  if (freeBytes < fullReserves * reserveBytes) return "full";
  if (freeBytes < tightReserves * reserveBytes) return "tight";
  const isSoonFull = daysToFull !== null && daysToFull < lowDaysMax;
  return isSoonFull || freeBytes < lowReserves * reserveBytes ? "low" : "ok";
}

/** The bytes in use at the start of days, by the number of the day. */
export type DayStarts = ReadonlyMap<number, number>;

/** The median growth of the last complete days; null where there are none. */
export function growthPerDay(starts: DayStarts, today: number): number | null {
  const growths: number[] = [];
  for (let day = today - growthDaysMax; day < today; day++) {
    const [before, after] = [starts.get(day), starts.get(day + 1)];
    if (before !== undefined && after !== undefined) growths.push(after - before);
  }
  if (growths.length === 0) return null;
  growths.sort((one, other) => one - other);
  const half = growths.length >> 1;
  const [low = 0, high = 0] = [growths[growths.length % 2 === 0 ? half - 1 : half], growths[half]];
  return Math.round((low + high) / 2);
}

/** Null where the disk does not get fuller. */
export function daysToFullOf(
  { freeBytes, reserveBytes }: Omit<Room, "daysToFull">,
  perDayBytes: number | null,
): number | null {
  if (perDayBytes === null || perDayBytes <= 0) return null;
  return Math.max(0, freeBytes - reserveBytes) / perDayBytes;
}

const retrySecondsMin = 60;
const retrySecondsMax = 300;

/** Senders that were refused together come back apart. */
const drawRetrySeconds = (): number =>
  retrySecondsMin + Math.floor(Math.random() * (retrySecondsMax - retrySecondsMin + 1));

/** The refusal of work that needs room on the disk. */
export const noRoom = (message: string): ApiError =>
  new ApiError("UNAVAILABLE", message, {
    reason: "disk",
    retry_after_seconds: drawRetrySeconds(),
  });
