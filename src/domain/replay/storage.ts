import { segmentBytesMax } from "./limits";

/**
 * Tells whether an account has too little room left to begin another recording: less than one segment may take, or less
 * than a quarter of a quota that is smaller than four segments. Without this reserve a quota would never count as
 * reached: the last segment that does not fit leaves some of it free.
 */
export const isStorageFull = (storedBytes: number, quotaBytes: number): boolean =>
  quotaBytes - storedBytes <= 0 ||
  quotaBytes - storedBytes < Math.min(segmentBytesMax, quotaBytes / 4);
