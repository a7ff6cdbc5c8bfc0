import { changedFields } from "../../domain/audit";
import type { Caller } from "../../domain/caller";
import { ApiError, invalidField } from "../../domain/errors";
import { monthOf } from "../../domain/month";
import { isSelector } from "../../domain/replay/selector";
import { isStorageFull } from "../../domain/replay/storage";
import { addressOfPage } from "../../http/auth/own-origin";
import type { Deps } from "../../http/deps";
import { projectOperation } from "../../http/operation/account-operation";
import { pro } from "../../http/operation/facts";
import { clock, hourMs, secondMs } from "../../lib/clock";
import { noteProjectChanged } from "../../store/control/audit";
import type { Project } from "../../store/control/project-selector";
import type { ReplaySettingsChange } from "../../store/control/replay-settings";
import { replaySettingsExample, replayUsageExample } from "./examples";
import {
  ReplayProjectQuery,
  ReplayProjectRequest,
  ReplaySettingsChanged,
  ReplaySettingsRecord,
  ReplaySettingsRequest,
  ReplayUsage,
} from "./schema";

const tag = "Session replay";
/** Something may have been deleted by then. */
const quotaRetryMs = hourMs;

/** The operations on whether and how sessions of a project are recorded, and what that has taken. */
export const replaySettingsRoutes = (deps: Deps) => [
  readRoute(deps),
  changeRoute(deps),
  enableRoute(deps),
  disableRoute(deps),
  usageRoute(deps),
];

const readRoute = (deps: Deps) =>
  projectOperation("GET /replays/settings", {
    access: pro("replays:read"),
    doc: {
      id: "getReplaySettings",
      summary: "Get the replay settings",
      description:
        "Recording starts with POST /replays/enable, only on pages that have the `snippet` next to the " +
        "tracker's. Change the settings with PUT /replays/settings.",
      tag,
      example: replaySettingsExample,
    },
    takes: ReplayProjectQuery,
    returns: { 200: ReplaySettingsRecord },
    handle: ({ project, request }) => recordOf(deps, project, request.headers),
  });

const changeRoute = (deps: Deps) =>
  projectOperation("PUT /replays/settings", {
    access: pro("replays:write", "", { people: true }),
    doc: {
      id: "changeReplaySettings",
      page: "replays",
      summary: "Change the replay settings",
      description:
        "Absent fields stay unchanged. Pages apply the change within a minute; stored replays are not masked " +
        "afterwards. Only standard CSS selectors are accepted. A shorter retention deletes older replays " +
        "within minutes.",
      tag,
    },
    takes: ReplaySettingsRequest,
    returns: { 200: ReplaySettingsChanged },
    handle: ({ caller, project, input, request }) => {
      refuseNoSelector("mask_selectors", input.mask_selectors);
      refuseNoSelector("block_selectors", input.block_selectors);
      const change = {
        ...(input.start_mode !== undefined && { startMode: input.start_mode }),
        ...(input.sample_rate !== undefined && { sampleRate: input.sample_rate }),
        ...(input.mask_selectors !== undefined && { maskSelectors: input.mask_selectors }),
        ...(input.block_selectors !== undefined && { blockSelectors: input.block_selectors }),
        ...(input.retention_days !== undefined && { retentionDays: input.retention_days }),
      };
      changeSettings(deps, caller, project, change);
      return { ok: true, ...recordOf(deps, project, request.headers) };
    },
  });

const enableRoute = (deps: Deps) =>
  projectOperation("POST /replays/enable", {
    access: pro("replays:write", "", { people: true }),
    doc: {
      id: "enableReplays",
      page: "replays",
      summary: "Turn on session replay",
      description:
        "Pages with the `snippet` of the response then record their visitors according to the settings. Inform " +
        "your visitors: by default, a page records only after they consent.",
      tag,
      errors: ["REPLAY_QUOTA"],
    },
    takes: ReplayProjectRequest,
    returns: { 200: ReplaySettingsChanged },
    handle: async ({ caller, project, request }) => {
      const month = monthOf(clock.nowMs());
      const used = await deps.replays.usage(caller.account.id, project.id, month);
      if (isStorageFull(used.account.storedBytes, deps.config.replayLimits.accountBytesMax)) {
        throw new ApiError(
          "REPLAY_QUOTA",
          "The account's replay storage is full. Delete some replays, or keep them for fewer days.",
          { retry_after_seconds: quotaRetryMs / secondMs },
        );
      }
      changeSettings(deps, caller, project, { enabled: true });
      return { ok: true, ...recordOf(deps, project, request.headers) };
    },
  });

const disableRoute = (deps: Deps) =>
  projectOperation("POST /replays/disable", {
    access: pro("replays:write", "", { people: true }),
    doc: {
      id: "disableReplays",
      page: "replays",
      summary: "Turn off session replay",
      description:
        "Recording ends immediately. Stored replays stay until their retention ends; delete one earlier with " +
        "DELETE /replays/{id}.",
      tag,
    },
    takes: ReplayProjectRequest,
    returns: { 200: ReplaySettingsChanged },
    handle: async ({ caller, project, request }) => {
      changeSettings(deps, caller, project, { enabled: false });
      await deps.replays.stopProject(project.id);
      return { ok: true, ...recordOf(deps, project, request.headers) };
    },
  });

const usageRoute = (deps: Deps) =>
  projectOperation("GET /replays/usage", {
    access: pro("replays:read"),
    doc: {
      id: "getReplayUsage",
      summary: "Get the replay usage",
      description:
        "Usage of the monthly limit and of the storage. At either limit, no new replay starts. Deleting " +
        "replays frees storage, but not the monthly limit.",
      tag,
      example: replayUsageExample,
    },
    takes: ReplayProjectQuery,
    returns: { 200: ReplayUsage },
    handle: async ({ caller, project }) => {
      const month = monthOf(clock.nowMs());
      const used = await deps.replays.usage(caller.account.id, project.id, month);
      const { accountBytesMax, accountReplaysPerMonth } = deps.config.replayLimits;
      return {
        project: project.name,
        month,
        replays: used.replays,
        stored_bytes: used.storedBytes,
        account: {
          replays: used.account.replays,
          stored_bytes: used.account.storedBytes,
          max_replays_per_month: accountReplaysPerMonth,
          max_stored_bytes: accountBytesMax,
        },
      };
    },
  });

function changeSettings(
  { control }: Deps,
  caller: Caller,
  project: Project,
  change: ReplaySettingsChange,
): void {
  const { replaySettings } = control;
  const now = () => ({
    ...{ ...replaySettings.of(project.id), updatedAtMs: null },
    enabled: control.projects.byId(project.id)?.replayEnabled === true,
  });
  control.write(() => {
    const before = now();
    replaySettings.change(project.id, change, clock.nowMs());
    const replays = changedFields(before, now());
    if (Object.keys(replays).length > 0) {
      noteProjectChanged(control, caller, project, { replays });
    }
  });
}

/** A page would find nothing by it, and record what was to be hidden. */
function refuseNoSelector(field: string, selectors: readonly string[] = []): void {
  const wrong = selectors.findIndex((selector) => !isSelector(selector));
  if (wrong === -1) return;
  const message =
    `"${field}[${wrong}]" is no CSS selector of elements. Nothing was changed: correct it, and send all of them ` +
    "again.";
  throw invalidField(`${field}[${wrong}]`, message);
}

/** Returns the settings as they are now: `project` was read before the change. */
function recordOf(
  { config, control }: Deps,
  { id, name, token }: Project,
  headers: Headers,
): ReplaySettingsRecord {
  const settings = control.replaySettings.of(id);
  const { updatedAtMs } = settings;
  return {
    project: name,
    project_id: id,
    enabled: control.projects.byId(id)?.replayEnabled === true,
    start_mode: settings.startMode,
    sample_rate: settings.sampleRate,
    mask_selectors: [...settings.maskSelectors],
    block_selectors: [...settings.blockSelectors],
    retention_days: settings.retentionDays,
    snippet: `<script defer src="${addressOfPage(config, headers)}/replay.js" data-token="${token}"></script>`,
    updated_at: updatedAtMs === null ? null : new Date(updatedAtMs).toISOString(),
  };
}
