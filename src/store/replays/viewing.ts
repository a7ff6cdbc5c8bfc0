import { ApiError } from "../../domain/errors";
import type { ReplaySummary } from "../../domain/replay/summary";
import { type ReplayTokens, readReplayToken } from "../../domain/replay/tokens";
import { clock } from "../../lib/clock";
import type { Found } from "./keeper";
import type { ReplayThreads } from "./threads";

/** The recording to which a viewer token leads. Throws NOT_FOUND and VIEWER_EXPIRED. */
export async function viewedReplay(
  threads: Promise<ReplayThreads> | null,
  tokens: ReplayTokens,
  token: string,
): Promise<ReplaySummary> {
  const said = readReplayToken("rvt", token);
  if (said === null || threads === null) throw noSuchView();
  const question = { kind: "find number", number: said.number } as const;
  const found = await (await threads).keeper.ask<Found | null>(question);
  if (found === null || !tokens.isOf("rvt", token, found.replay.id)) throw noSuchView();
  if (found.replay.status === "deleting" || found.replay.status === "deleted") throw noSuchView();
  if (clock.nowMs() < said.expiresAtMs) return found.replay;
  throw new ApiError(
    "VIEWER_EXPIRED",
    "This link has expired. Create a new one with POST /replays/{id}/open.",
  );
}

const noSuchView = (): ApiError =>
  new ApiError("NOT_FOUND", "This link is invalid, or its replay was deleted.");
