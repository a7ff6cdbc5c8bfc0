import {
  replayBytesMax,
  replayIdleMs,
  replayJsonBytesMax,
  replayMsMax,
  replaySegmentsMax,
} from "../../domain/replay/limits";
import type { ReplayStatus, StopReason } from "../../domain/replay/summary";
import type { PreparedSegment } from "./segment";

export interface ReplayRow {
  readonly number: number;
  readonly id: string;
  readonly account_id: string;
  readonly status: ReplayStatus;
  readonly started_at: number;
  readonly last_at: number;
  readonly stored_bytes: number;
  readonly json_bytes: number;
  readonly segment_count: number;
  readonly last_seq: number;
}

/** Returns why a recording has ended by itself, which the minute's job has not noticed yet, or null. */
export function endOf({ started_at, last_at }: ReplayRow, nowMs: number): StopReason | null {
  if (nowMs - last_at >= replayIdleMs) return "inactivity";
  return nowMs - started_at >= replayMsMax ? "max_duration" : null;
}

/** Returns why a segment is not stored and the recording ends, or null. */
export function limitOf(
  row: ReplayRow,
  { seq, frame, jsonBytes }: PreparedSegment,
  /** What the account may still store. */
  roomBytes: number,
  nowMs: number,
): StopReason | null {
  if (nowMs - row.started_at >= replayMsMax) return "max_duration";
  const isLarge =
    row.stored_bytes + frame.length > replayBytesMax ||
    row.json_bytes + jsonBytes > replayJsonBytesMax ||
    row.segment_count >= replaySegmentsMax ||
    seq >= replaySegmentsMax;
  if (isLarge) return "max_bytes";
  return frame.length > roomBytes ? "quota" : null;
}
