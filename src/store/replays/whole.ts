import { replayMsMax } from "../../domain/replay/limits";
import type { ReplayTokens } from "../../domain/replay/tokens";
import { errorOf } from "../protocol/failure";
import type { WholeRecording } from "../replay-port";
import { prepare } from "./segment";
import type { ReplayWriter } from "./writer";

/**
 * Stores recordings in the same three steps as those of a recorder, at the time of each, in one transaction: nothing
 * can end a recording between its start and its end. Returns how many it stored.
 */
export const recordWhole = (
  writer: ReplayWriter,
  tokens: ReplayTokens,
  recordings: readonly WholeRecording[],
): number =>
  writer.transaction(() => recordings.filter((one) => isRecorded(writer, tokens, one)).length);

function isRecorded(
  writer: ReplayWriter,
  tokens: ReplayTokens,
  recording: WholeRecording,
): boolean {
  const { startedAtMs, events, reason } = recording;
  const started = writer.start(recording, startedAtMs);
  if (started === null) return false;
  const { id: replayId, nextSeq: seq } = started;
  const uploadToken = tokens.issue("aau", started, startedAtMs + replayMsMax);
  const body = new TextEncoder().encode(JSON.stringify({ seq, events })).buffer;
  const sent = { replayId, uploadToken, isGzip: false, body };
  const [outcome] = writer.commit([prepare(sent, tokens, startedAtMs)], startedAtMs);
  if (outcome.kind === "refused") throw errorOf(outcome.failure);
  if (outcome.isClosed) return false;
  writer.finish(replayId, reason);
  return true;
}
