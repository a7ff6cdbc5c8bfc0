import { dayMs, hourMs } from "../../lib/clock";
import type { Level } from "./manifest";

/** When the newest point of each level was made in this line; absent when there was none. */
export type NewestPoints = ReadonlyMap<Level, number>;

const slots = [
  ["day", dayMs],
  ["hour", hourMs],
] as const;

/**
 * Chooses the level of the next point: a full one when there is none, or when the last is so old that it should make
 * room; the first of a UTC day or hour stands for that; increments otherwise.
 */
export function nextLevel(newest: NewestPoints, nowMs: number, keepMs: number): Level {
  const full = newest.get("full");
  if (full === undefined || nowMs - full > keepMs) return "full";
  let coarserMs = full;
  for (const [level, slotMs] of slots) {
    coarserMs = Math.max(coarserMs, newest.get(level) ?? 0);
    if (Math.floor(nowMs / slotMs) !== Math.floor(coarserMs / slotMs)) return level;
  }
  return "increment";
}
