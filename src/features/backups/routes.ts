import { ApiError } from "../../domain/errors";
import type { Deps } from "../../http/deps";
import { reply } from "../../http/edge/reply";
import type { Feature } from "../../http/feature";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { clock, secondMs } from "../../lib/clock";
import type { Backups } from "../../store/backups/backups";
import type { BackupStatus } from "../../store/backups/messages";
import { actorOf } from "../../store/control/audit";
import { BackupMade, BackupState, DrillStarted } from "./schema";

const tag = "Administration";

/** The operations by which an administrator looks at the backup, makes one, and tries whether it can be restored. */
export const backupsFeature = (deps: Deps): Feature => ({
  operations: [stateRoute(deps), runRoute(deps), drillRoute(deps)],
});

const stateRoute = (deps: Deps) =>
  accountOperation("GET /admin/backups", {
    access: free("admin"),
    doc: {
      id: "getBackups",
      summary: "Get the state of the continuous backup",
      description:
        "Its last success, the moments that it can restore, and the last drill, which restored the newest point to a " +
        "temporary folder and compared it.",
      tag,
      errors: ["UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: BackupState },
    handle: async () => {
      const { backups, backupDrill } = deps;
      const { state, at, seconds, error, restored_at } = backupDrill.state;
      const drill = { state, at, seconds, error, restored_at };
      return backups === null
        ? { ...unconfigured, drill }
        : { ...viewOf(backups, await backups.status()), drill };
    },
  });

const runRoute = (deps: Deps) =>
  accountOperation("POST /admin/backups/run", {
    access: free("admin"),
    doc: {
      id: "runBackup",
      summary: "Back up now",
      description: "Waits up to 60 seconds for it.",
      tag,
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: BackupMade },
    handle: async () => {
      const status = await configured(deps).run(clock.nowMs);
      if (status.lastError !== null) throw new ApiError("UNAVAILABLE", status.lastError);
      if (status.lastOkMs === null) {
        throw new ApiError(
          "UNAVAILABLE",
          "The backup is still running. Look at GET /admin/backups later.",
        );
      }
      const [newest] = status.points;
      // Nothing is added when nothing has changed since the newest point.
      const isNew = newest !== undefined && newest.atMs >= status.lastOkMs;
      return { at: isoOf(status.lastOkMs), bytes: isNew ? (newest.bytes ?? 0) : 0 };
    },
  });

const drillRoute = (deps: Deps) =>
  accountOperation("POST /admin/backups/drill", {
    access: free("admin"),
    doc: {
      id: "startBackupDrill",
      summary: "Try to restore the backup",
      description: "GET /admin/backups tells how it ended.",
      tag,
      errors: ["NOT_FOUND", "DRILL_RUNNING", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 202: DrillStarted },
    handle: ({ caller }) => {
      configured(deps);
      deps.backupDrill.start(actorOf(caller));
      return reply(202, { ok: true } as const);
    },
  });

function configured({ backups }: Deps): Backups {
  if (backups !== null) return backups;
  throw new ApiError(
    "NOT_FOUND",
    "This server has no continuous backup. Set BACKUP_URL and restart it.",
  );
}

const unconfigured = {
  ...{ configured: false, target: null, encrypted: false, every_s: null, line: null },
  ...{ last_ok_at: null, lag_s: null, last_error: null, oldest_at: null, points: [] },
};

const viewOf = ({ config, target }: Backups, status: BackupStatus) => ({
  ...{ configured: true, target, encrypted: config.key !== null, line: status.line },
  every_s: config.everyMs / secondMs,
  last_ok_at: status.lastOkMs === null ? null : isoOf(status.lastOkMs),
  lag_s: status.lastOkMs === null ? null : (clock.nowMs() - status.lastOkMs) / secondMs,
  last_error: status.lastError,
  oldest_at: status.oldestMs === null ? null : isoOf(status.oldestMs),
  points: status.points.map(({ atMs, isFull, bytes }) => ({
    at: isoOf(atMs),
    kind: isFull ? ("full" as const) : ("increment" as const),
    bytes,
  })),
});

const isoOf = (ms: number): string => new Date(ms).toISOString();
