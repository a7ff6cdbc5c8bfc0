import { isAllowedOrigin } from "../../domain/allowed-origin";
import { ApiError } from "../../domain/errors";
import { flushIntervalMs, segmentBytesMax, segmentJsonBytesMax } from "../../domain/replay/limits";
import { readReplayToken } from "../../domain/replay/tokens";
import type { Deps } from "../../http/deps";
import type { Peer } from "../../http/edge/address";
import { reply } from "../../http/edge/reply";
import { free, pro } from "../../http/operation/facts";
import { publicOperation, uploadOperation } from "../../http/operation/public-operation";
import { clock } from "../../lib/clock";
import type { Recipient } from "../../store/control/directory";
import { automatedBy } from "../bots";
import type { CountryOf } from "../country";
import { callFieldsOf, callQueryOf } from "./call";
import {
  ReplayContinued,
  ReplayFinished,
  ReplayFinishRequest,
  ReplayNotStarted,
  ReplaySegmentAnswer,
  ReplaySegmentRequest,
  ReplayStarted,
  ReplayStartRequest,
  ReplaysConfig,
  ReplaysConfigQuery,
} from "./schema";

const tag = "Session replay";
const errors = [
  "INVALID_BODY",
  "MISSING_FIELDS",
  "INVALID_TOKEN",
  "ORIGIN_NOT_ALLOWED",
  "REPLAY_DISABLED",
  "PAYLOAD_TOO_LARGE",
  "RATE_LIMITED",
  "UNAVAILABLE",
] as const;

/** The endpoints that a recorder calls. A thread of its own cleans and keeps what it sends (store/replays). */
export const replayIngestRoutes = (deps: Deps, countryOf: CountryOf) => {
  const gate = { deps, countryOf };
  return [configRoute(deps), startRoute(gate), segmentsRoute(gate), finishRoute(gate)];
};

/** The parts of the server that decide whether a project may record. */
interface Gate {
  readonly deps: Deps;
  readonly countryOf: CountryOf;
}

const configRoute = (deps: Deps) =>
  publicOperation("GET /replays/config", {
    access: free("token"),
    isQuiet: true,
    doc: {
      id: "getReplaysConfig",
      summary: "Get the recording settings of a page",
      description:
        "The recorder script calls this before it records. Public: the token names the project. Changes reach " +
        "all pages within a minute. Change the settings with PUT /replays/settings.",
      tag,
      errors: ["INVALID_TOKEN"],
    },
    takes: ReplaysConfigQuery,
    returns: { 200: ReplaysConfig },
    handle: ({ input }) => {
      const project = deps.control.projectByToken(input.token);
      if (project === undefined) throw unknownToken();
      const settings = deps.control.replaySettings.of(project.id);
      const config = mayRecord(deps, project.id)
        ? {
            enabled: true,
            start_mode: settings.startMode,
            sample_rate: settings.sampleRate,
            mask_selectors: settings.maskSelectors,
            block_selectors: settings.blockSelectors,
          }
        : { enabled: false };
      return reply(200, config, { "cache-control": "public, max-age=60" });
    },
  });

const startRoute = (gate: Gate) =>
  uploadOperation("POST /replays/ingest/start", {
    access: pro("token"),
    doc: {
      id: "startReplay",
      summary: "Start or continue a recording",
      description:
        "The recorder calls this on each page load. 201 starts a replay, 200 continues the session's open one. " +
        "202 with `recording: false` means that nothing is recorded, because the sender is automated, a rule of " +
        "the project excludes the visitor or the page, or the account's monthly or storage limit is reached.",
      tag,
      errors,
    },
    takes: ReplayStartRequest,
    returns: { 201: ReplayStarted, 200: ReplayContinued, 202: ReplayNotStarted },
    handle: async ({ request, peer, bytes }) => {
      const { deps } = gate;
      const { isGzip } = callQueryOf(request);
      const { token, session_id: sessionId, url } = callFieldsOf(ReplayStartRequest, bytes, isGzip);
      const project = deps.control.projectByToken(token);
      if (project === undefined) throw unknownToken();
      if (admitted(gate, { request, peer }, project) === "unwanted") return notStarted;
      const page = { path: null, hostname: null, url: url ?? null };
      if ((project.exclusions?.ofPage(page) ?? null) !== null) return notStarted;
      if (deps.blockedSessions.has(project.id, sessionId)) return notStarted;
      deps.disk.refuseUnlessRoom("recordings");
      const { accountId, id: projectId } = project;
      const started = await deps.replays.start({ accountId, projectId, sessionId });
      if (started === null) return notStarted;
      const answer = {
        ok: true,
        recording: true,
        replay_id: started.id,
        upload_token: started.uploadToken,
        next_seq: started.nextSeq,
        flush_interval_ms: flushIntervalMs,
        max_segment_bytes: segmentJsonBytesMax,
        expires_at: started.expiresAtMs,
      } as const;
      return reply(started.isNew ? 201 : 200, answer);
    },
  });

const segmentsRoute = (gate: Gate) =>
  uploadOperation("POST /replays/ingest/{id}/segments", {
    access: pro("token"),
    isQuiet: true,
    doc: {
      id: "addReplaySegment",
      summary: "Store a part of a recording",
      description:
        "Responds after the commit. Segments may arrive in any order; repeated ones are acknowledged and " +
        "ignored. Compress with `Content-Encoding: gzip` or `?enc=gzip`: up to 1 MiB compressed, 5 MiB " +
        "uncompressed. The server drops everything that recordings may not contain.",
      tag,
      errors: [...errors, "REPLAY_CLOSED"],
    },
    takes: ReplaySegmentRequest,
    returns: { 202: ReplaySegmentAnswer },
    bodyBytesMax: segmentBytesMax,
    handle: async ({ request, peer, params, bytes }) => {
      const { deps } = gate;
      const { isGzip, uploadToken } = callQueryOf(request);
      if (uploadToken !== null) refuseUnreadable(uploadToken);
      const project = await projectOf(deps, params.id);
      // Nothing of a bot's is kept, which its token could only have from somebody else.
      if (admitted(gate, { request, peer }, project) === "unwanted") {
        return { ok: true, seq: 0, next_seq: 0, stop: true, stored: false } as const;
      }
      const sent = { replayId: params.id, uploadToken, isGzip, body: bytes };
      const { seq, nextSeq, stop, stored } = await deps.replays.addSegment(sent);
      return { ok: true, seq, next_seq: nextSeq, stop, stored } as const;
    },
  });

const finishRoute = (gate: Gate) =>
  uploadOperation("POST /replays/ingest/{id}/finish", {
    access: pro("token"),
    doc: {
      id: "finishReplay",
      summary: "End a recording",
      description:
        "The replay becomes complete if no segment is missing, otherwise incomplete; without segments it is " +
        "deleted. Later recording in the same session starts a new replay.",
      tag,
      errors: [...errors, "REPLAY_CLOSED"],
    },
    takes: ReplayFinishRequest,
    returns: { 202: ReplayFinished },
    handle: async ({ request, peer, params, bytes }) => {
      const { deps } = gate;
      const { isGzip, uploadToken } = callQueryOf(request);
      const { stop_reason: reason, ...body } = callFieldsOf(ReplayFinishRequest, bytes, isGzip);
      const token = uploadToken ?? body.upload_token ?? "";
      const said = refuseUnreadable(token);
      const project = await projectOf(deps, params.id);
      deps.trustedTime.refuseUnlessTrusted();
      if (!deps.replays.mayUpload(token, params.id) || said.expiresAtMs <= clock.nowMs()) {
        throw wrongUploadToken();
      }
      if (admitted(gate, { request, peer }, project) === "unwanted") {
        return { ok: true, status: "recording" } as const;
      }
      return { ok: true, status: await deps.replays.finish(params.id, reason ?? null) } as const;
    },
  });

interface Sender {
  readonly request: Request;
  peer(): Peer;
}

/** Origin, bots, exclusions, rate and whether the project is recorded: in the order of ingestion. Throws refusals. */
function admitted(
  { deps, countryOf }: Gate,
  { request: { headers }, peer }: Sender,
  project: Recipient,
): "recorder" | "unwanted" {
  const { id, accountId, allowedOrigins, exclusions } = project;
  if (!isAllowedOrigin(headers.get("origin"), allowedOrigins)) {
    throw new ApiError(
      "ORIGIN_NOT_ALLOWED",
      "The project does not allow events from this origin. Add it to the project's allowed origins.",
    );
  }
  if (automatedBy(headers.get("user-agent")) !== null) return "unwanted";
  if (exclusions !== null) {
    const from = peer();
    if (exclusions.ofSender(from.address, countryOf(from, headers)) !== null) return "unwanted";
  }
  deps.trustedTime.refuseUnlessTrusted();
  const refusal = deps.disk.refusal();
  if (refusal !== null) throw refusal;
  const { config, control, rates } = deps;
  rates.spend(`replay-ingest:${id}`, config.ingestRpm, () => control.tierOf(accountId));
  if (!mayRecord(deps, id)) {
    throw new ApiError(
      "REPLAY_DISABLED",
      "Session replay is off for this project. Turn it on with POST /replays/enable, which needs the Pro " +
        "plan.",
    );
  }
  return "recorder";
}

function mayRecord({ control }: Deps, projectId: string): boolean {
  const project = control.projects.byId(projectId);
  return project?.replayEnabled === true && control.tierOf(project.accountId) === "pro";
}

/** Returns the project of a replay. Only the holder of its token learns whether the replay exists. */
async function projectOf({ control, replays }: Deps, replayId: string): Promise<Recipient> {
  const projectId = await replays.projectOf(replayId);
  const row = projectId === null ? undefined : control.projects.byId(projectId);
  const project = row === undefined ? undefined : control.projectByToken(row.token);
  if (project === undefined) throw wrongUploadToken();
  return project;
}

function refuseUnreadable(token: string) {
  const said = readReplayToken("aau", token);
  if (said === null) throw wrongUploadToken();
  return said;
}

const notStarted = reply(202, { ok: true, recording: false } as const);

const unknownToken = (): ApiError =>
  new ApiError(
    "INVALID_TOKEN",
    "No project has this token. Copy the token from the project's settings.",
  );

const wrongUploadToken = (): ApiError =>
  new ApiError(
    "INVALID_TOKEN",
    "This upload token does not belong to this replay, or it has expired. Get a new one with POST " +
      "/replays/ingest/start.",
  );
