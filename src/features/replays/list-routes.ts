import { type Caller, isReadable } from "../../domain/caller";
import { decodeCursor, encodeCursor, type Question } from "../../domain/cursor";
import { ApiError, invalidField } from "../../domain/errors";
import { type Days, daysOf, windowOf } from "../../domain/period";
import { replaysListedDefault } from "../../domain/replay/limits";
import { type ReplaySignal, ReplaySummary, replaySignals } from "../../domain/replay/summary";
import { filterItemsOfText, sentFilterErrors } from "../../domain/sent-filters";
import { zoneOfRead } from "../../domain/time-zone-name";
import { addressOfPage } from "../../http/auth/own-origin";
import type { Deps } from "../../http/deps";
import { accountOperation, projectOperation } from "../../http/operation/account-operation";
import { pro } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { clock } from "../../lib/clock";
import { entryOf, noteAhead, noteRead, targetProject } from "../../store/control/audit";
import type { ReplayPlace } from "../../store/replay-port";
import { replayExample, replaysExample } from "./examples";
import { filteredReplays } from "./filtered";
import {
  ReplayDeleting,
  ReplayList,
  ReplayOpened,
  ReplaysDeleteQuery,
  ReplaysDeleting,
  ReplaysQuery,
} from "./schema";

const tag = "Session replay";

/** Finding replays, opening one, deleting them. */
export const replayListRoutes = (deps: Deps) => [
  listRoute(deps),
  readRoute(deps),
  openRoute(deps),
  deleteRoute(deps),
  deleteSessionRoute(deps),
];

const listRoute = (deps: Deps) =>
  projectOperation("GET /replays", {
    access: pro("replays:read", "D", { people: true }),
    shares: { page: "replays", isUnfiltered: true },
    doc: {
      id: "listReplays",
      summary: "List replays",
      description:
        "Newest first, or sorted by problems: `sort=rage_clicks&with=rage_clicks`. With `filters` only replays " +
        "of sessions with such an event in the window. Read one with GET /replays/{id}/timeline, as text with " +
        "`Accept: text/plain`. To watch one, open the address from POST /replays/{id}/open.",
      tag,
      example: replaysExample,
      errors: sentFilterErrors,
    },
    takes: ReplaysQuery,
    returns: { 200: ReplayList },
    handle: async ({ caller, project, input, request, withAvailable, goals }) => {
      const { cursor, limit = replaysListedDefault, ...parameters } = input;
      const zone = zoneOfRead(input.tz, project);
      const question: Question = { ...parameters, project: project.id, tz: zone };
      const { days, after } = pageStart(input, zone, question);
      const { fromMs: startedFromMs, toMs: startedBeforeMs } = windowOf(days);
      const filters = await withAvailable(() => filterItemsOfText(input.filters, goals), days);
      const listed = {
        projectId: project.id,
        sessionId: input.session_id ?? null,
        status: input.status ?? null,
        startedFromMs,
        startedBeforeMs,
        signals: signalsOf(input.with),
        sort: input.sort ?? "started_at",
        limit,
        after,
      };
      const asked = {
        accountId: caller.account.id,
        signal: request.signal,
        arrivedAtMs: clock.nowMs(),
      };
      const { replays, next, ...warned } = await filteredReplays(
        deps,
        listed,
        { days, filters },
        asked,
      );
      return {
        project: project.name,
        replays: [...replays],
        next_cursor: next === null ? null : cursorAt(next, days, question),
        ...warned,
      };
    },
  });

const readRoute = (deps: Deps) =>
  accountOperation("GET /replays/{id}", {
    access: pro("replays:read", "D", { people: true }),
    shares: { page: "replays", isUnfiltered: true },
    doc: {
      id: "getReplay",
      summary: "Get a replay",
      description:
        "State and size, without the recorded content. `complete` has no gap. `incomplete` lacks a part or an " +
        "end, but can be played if it has a full snapshot.",
      tag,
      example: replayExample,
      errors: ["NOT_FOUND", "FORBIDDEN"],
    },
    takes: nothing,
    returns: { 200: ReplaySummary },
    handle: ({ caller, params }) => findReplay(deps, caller, params.id),
  });

const openRoute = (deps: Deps) =>
  accountOperation("POST /replays/{id}/open", {
    access: pro("replays:read", "D", { people: true }),
    // An address for watching; it changes nothing.
    shares: { page: "replays", isUnfiltered: true },
    doc: {
      id: "openReplay",
      page: "replays",
      summary: "Create a viewer link",
      description:
        "The link works for an hour, any number of times, without log-in. Deleting the replay ends it. Agents " +
        "read GET /replays/{id}/timeline instead.",
      tag,
      errors: ["NOT_FOUND", "FORBIDDEN", "REPLAY_NOT_PLAYABLE"],
    },
    takes: nothing,
    returns: { 200: ReplayOpened },
    handle: async ({ caller, params, request }) => {
      const found = await findReplay(deps, caller, params.id);
      const { token, expiresAtMs, replay } = await deps.replays.open(params.id);
      noteOpened(deps, caller, found);
      const { config } = deps;
      const origin = config.replayViewerOrigin ?? addressOfPage(config, request.headers);
      return { viewer_url: `${origin}/replays/view/${token}`, expires_at: expiresAtMs, replay };
    },
  });

const deleteRoute = (deps: Deps) =>
  accountOperation("DELETE /replays/{id}", {
    access: pro("replays:write", "", { people: true }),
    doc: {
      id: "deleteReplay",
      page: "replays",
      summary: "Delete a replay",
      description:
        "It can no longer be played, and its content is erased within 10 minutes. Its summary stays for 30 " +
        "days with status `deleted`.",
      tag,
      errors: ["NOT_FOUND", "FORBIDDEN"],
    },
    takes: nothing,
    returns: { 202: ReplayDeleting },
    handle: async ({ caller, params }) => {
      const { id, project_id: projectId, status } = await findReplay(deps, caller, params.id);
      if (status !== "deleted") noteDeleted(deps, caller, projectId, { recording: id });
      await deps.replays.remove({ projectId, id });
      return { ok: true, id, status: status === "deleted" ? status : "deleting" } as const;
    },
  });

const deleteSessionRoute = (deps: Deps) =>
  projectOperation("DELETE /replays", {
    access: pro("replays:write", "", { people: true }),
    takesQuery: true,
    doc: {
      id: "deleteSessionReplays",
      summary: "Delete the replays of a session",
      description:
        "Like DELETE /replays/{id}, for all replays of a session. Its events stay. Send both parameters in the " +
        "query.",
      tag,
    },
    takes: ReplaysDeleteQuery,
    returns: { 202: ReplaysDeleting },
    handle: async ({ caller, project, input }) => {
      const which = { projectId: project.id, sessionId: input.session_id };
      noteDeleted(deps, caller, project.id, { recordings: "of a session" });
      return { ok: true, count: await deps.replays.remove(which) } as const;
    },
  });

/**
 * Writes to the audit log that a person opens a recording, before the recording is sent. It skips the demo's
 * account, because nobody reads its log.
 */
export function noteOpened(
  { control }: Deps,
  caller: Caller,
  { id, project_id: projectId }: ReplaySummary,
): void {
  if (caller.isDemo) return;
  noteRead(control, entryOf(caller, "replay_opened", { type: "replay", id }, { projectId }));
}

/** Recordings are in another database. An entry too many, after a crash, is better than one too few. */
function noteDeleted(
  { control }: Deps,
  caller: Caller,
  projectId: string,
  deleted: Readonly<Record<string, string>>,
): void {
  const project = control.projects.byId(projectId) ?? { id: projectId, name: "" };
  const details = { deleted };
  noteAhead(control, entryOf(caller, "project_changed", targetProject(project), { details }));
}

/** Throws NOT_FOUND, and FORBIDDEN for one of another account. */
export async function findReplay(deps: Deps, caller: Caller, id: string): Promise<ReplaySummary> {
  const replay = await deps.replays.find(id);
  const project = replay === null ? undefined : deps.control.projects.byId(replay.project_id);
  if (replay === null || project === undefined) {
    throw new ApiError("NOT_FOUND", "This replay does not exist. GET /replays lists them.");
  }
  if (caller.share !== null && caller.share.projectId !== project.id) {
    throw new ApiError("FORBIDDEN", "This replay does not belong to the project of this share.");
  }
  if (!isReadable(caller, project)) {
    throw new ApiError("FORBIDDEN", "This replay belongs to another account.");
  }
  return replay;
}

function signalsOf(text: string | undefined): readonly ReplaySignal[] {
  const wanted = (text ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
  return wanted.map((one) => {
    const signal = replaySignals.find((known) => known === one);
    if (signal !== undefined) return signal;
    throw invalidField(
      "with",
      `"with" must be a comma-separated list of ${replaySignals.join(", ")}.`,
    );
  });
}

/** Returns the place and the window at which the page begins. */
function pageStart(
  { cursor, since, until }: ReplaysQuery,
  zone: string | undefined,
  question: Question,
): { readonly days: Days; readonly after: ReplayPlace | null } {
  const sent = daysOf({ since, until, nowMs: clock.nowMs(), sinceDefault: "30d", zone });
  if (cursor === undefined) return { days: sent, after: null };
  const { place, fromDay, toDay } = decodeCursor(cursor, question, ["number", "number", "string"]);
  const [rank, startedAtMs, id] = place;
  return {
    days: { ...sent, from: fromDay, to: toDay },
    after: { rank: Number(rank), startedAtMs: Number(startedAtMs), id: String(id) },
  };
}

const cursorAt = ({ rank, startedAtMs, id }: ReplayPlace, { from, to }: Days, question: Question) =>
  encodeCursor({ place: [rank, startedAtMs, id], fromDay: from, toDay: to }, question);
