import { gunzipSync } from "node:zlib";
import { ApiError } from "../../domain/errors";
import {
  eventDistanceMsMax,
  recordedEventsMax,
  segmentJsonBytesMax,
} from "../../domain/replay/limits";
import { eventType, isFields, listOf } from "../../domain/replay/recorded";
import type { ReplayTokens } from "../../domain/replay/tokens";
import { readReplayToken } from "../../domain/replay/tokens";
import { cleanEvent } from "../../replay/cleaning/clean";
import type { SentSegment } from "../replay-port";
import { hashOf, packed } from "./frame";

/** A segment as it is stored. */
export interface PreparedSegment {
  readonly replayId: string;
  readonly seq: number;
  readonly events: number;
  /** The largest time that an event names; null without events. */
  readonly lastAtMs: number | null;
  readonly hasSnapshot: boolean;
  readonly hash: number;
  readonly jsonBytes: number;
  readonly frame: Uint8Array;
}

/** Inflates, checks, cleans and compresses what was sent. Throws what refuses it. */
export function prepare(sent: SentSegment, tokens: ReplayTokens, nowMs: number): PreparedSegment {
  const { replayId } = sent;
  // One that came in the query is looked at before anything is inflated.
  if (sent.uploadToken !== null) checkToken(tokens, sent.uploadToken, replayId, nowMs);
  const body = parsed(sent.isGzip ? inflated(sent.body) : new Uint8Array(sent.body));
  if (sent.uploadToken === null) checkToken(tokens, body.upload_token, replayId, nowMs);
  const { seq, events } = body;
  if (typeof seq !== "number" || !Number.isSafeInteger(seq) || seq < 0) {
    throw invalid("seq", '"seq" must be a whole number, 0 or larger.');
  }
  if (!Array.isArray(events) || events.length < 1 || events.length > recordedEventsMax) {
    throw invalid("events", `"events" must be a list of 1 to ${recordedEventsMax} events.`);
  }
  const cleaned = events.flatMap((event: unknown) => {
    checkEvent(event, nowMs);
    return cleanEvent(event) ?? [];
  });
  const json = Buffer.from(JSON.stringify(cleaned));
  return {
    replayId,
    seq,
    events: cleaned.length,
    lastAtMs: cleaned.reduce<number | null>(
      (last, { timestamp }) => Math.max(last ?? 0, Math.round(timestamp)),
      null,
    ),
    hasSnapshot: cleaned.some(({ type }) => type === eventType.snapshot),
    hash: hashOf(json),
    jsonBytes: json.length,
    frame: packed(json),
  };
}

/** Events of a stored segment. What was cleaned when it came has the form that its readers expect. */
export const eventsOf = (json: Uint8Array) =>
  listOf(JSON.parse(Buffer.from(json).toString())).flatMap(({ type, timestamp, data }) =>
    typeof type === "number" && typeof timestamp === "number" && isFields(data)
      ? [{ type, timestamp, data }]
      : [],
  );

/** Throws INVALID_TOKEN for one of another replay, and when its time is over. */
function checkToken(tokens: ReplayTokens, token: unknown, replayId: string, nowMs: number): void {
  const said = typeof token === "string" ? readReplayToken("aau", token) : null;
  if (said !== null && tokens.isOf("aau", String(token), replayId) && nowMs < said.expiresAtMs)
    return;
  throw new ApiError(
    "INVALID_TOKEN",
    "This upload token does not belong to this replay, or it has expired. Get a new one with POST " +
      "/replays/ingest/start.",
  );
}

/** Most segments inflate to less: they are not put together from parts. */
const inflatedPartBytes = 64 * 1024;

function inflated(body: ArrayBuffer): Uint8Array {
  try {
    const bounds = { maxOutputLength: segmentJsonBytesMax, chunkSize: inflatedPartBytes };
    return gunzipSync(body, bounds);
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge();
    throw new ApiError("INVALID_BODY", "The request body is not valid gzip.");
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function parsed(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  if (bytes.length > segmentJsonBytesMax) throw tooLarge();
  try {
    const body: unknown = JSON.parse(utf8.decode(bytes));
    if (isFields(body)) return body;
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  throw new ApiError("INVALID_BODY", "The request body must be a JSON object in UTF-8.");
}

function checkEvent(event: unknown, nowMs: number): void {
  const { type, timestamp } = isFields(event) ? event : {};
  const hasType = typeof type === "number" && Number.isInteger(type) && type >= 0 && type <= 6;
  const isNear = typeof timestamp === "number" && Math.abs(timestamp - nowMs) <= eventDistanceMsMax;
  if (hasType && isNear) return;
  throw new ApiError(
    "INVALID_BODY",
    "Each event must have a `type` from 0 to 6 and a `timestamp` within 24 hours of now.",
    { field: "events" },
  );
}

const invalid = (field: string, message: string): ApiError =>
  new ApiError("INVALID_BODY", message, { field });

const tooLarge = (): ApiError =>
  new ApiError(
    "PAYLOAD_TOO_LARGE",
    `The segment is too large: it may have at most ${segmentJsonBytesMax} bytes when uncompressed.`,
    {
      limit_bytes: segmentJsonBytesMax,
    },
  );
