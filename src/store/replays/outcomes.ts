import { ApiError } from "../../domain/errors";
import type { SegmentOutcome } from "../replay-port";
import type { GroupOutcome, Started } from "./questions";

/** What the writer of recordings says of what it was asked. */

export const startedOf = (
  id: string,
  number: number,
  startedAtMs: number,
  nextSeq: number,
  isNew: boolean,
): Started => ({ id, number, startedAtMs, nextSeq, isNew });

export const taken = (outcome: SegmentOutcome, isClosed = false): GroupOutcome => ({
  kind: "taken",
  isClosed,
  ...outcome,
});

export const closed = (): ApiError =>
  new ApiError(
    "REPLAY_CLOSED",
    "This replay has ended. Start a new one with POST /replays/ingest/start.",
  );
