import type { Caller } from "../../domain/caller";
import { invalidField } from "../../domain/errors";
import { dayOf, isoDate } from "../../domain/event";
import {
  forgottenBeforeMs,
  nextRunMs,
  runDayOf,
  type StoredDays,
  storedDaysMax,
} from "../../domain/retention";
import { requireRole } from "../../http/auth/rights";
import type { Deps } from "../../http/deps";
import type { RequestHead } from "../../http/operation/operation";
import { clock } from "../../lib/clock";
import { actorOf, note } from "../../store/control/audit";
import type { ProjectRow } from "../../store/control/tables";
import type { Read } from "../../store/port";
import type { EventUsage } from "./counts";
import type { RetentionView } from "./schema";

/** The read of `reads/events-before.ts`. */
export type EventsBeforeRead = Read<
  { readonly projectId: string; readonly beforeMs: number },
  { readonly events: number }
>;

/** The days for which the plan of a project's account stores events, at a time. */
const ofPlanAt = ({ control, config }: Deps, { accountId }: ProjectRow, atMs: number): StoredDays =>
  control.lifecycle.storedDaysOfPlan(accountId, atMs, config.retentionDays);

/** The retention of a project in its answer: its own number, and the effect of the next run. */
export const retentionFields = async (
  deps: Deps,
  read: EventsBeforeRead,
  row: ProjectRow,
  { first_event_at: firstEventMs }: Pick<EventUsage, "first_event_at">,
  request: RequestHead,
) => ({
  retention_days: deps.control.retention.daysOf(row.id),
  retention: await nextRunOf(deps, read, row, firstEventMs, request),
  ...archiveFieldsOf(deps, row),
});

function archiveFieldsOf({ control }: Deps, { id }: ProjectRow) {
  const { isArchiving, isFailing } = control.retention.archiveOf(id);
  return { archive: isArchiving, archive_failing: isFailing };
}

/** `firstEventMs` saves the count where nothing is old enough. */
async function nextRunOf(
  deps: Deps,
  read: EventsBeforeRead,
  row: ProjectRow,
  firstEventMs: number | null,
  { signal }: RequestHead,
): Promise<RetentionView> {
  const nowMs = clock.nowMs();
  const runMs = nextRunMs(nowMs);
  const days = deps.control.retention.daysToday(row, runMs, deps.config.retentionDays);
  const beforeMs = forgottenBeforeMs(runDayOf(runMs), days);
  const next_run_at = new Date(runMs).toISOString();
  if (beforeMs === null) return { days, from: null, next_run_at, events_to_go: 0 };
  const from = isoDate(dayOf(beforeMs));
  if (firstEventMs === null || firstEventMs >= beforeMs)
    return { days, from, next_run_at, events_to_go: 0 };
  const request = { accountId: row.accountId, signal, arrivedAtMs: nowMs };
  const { json } = await deps.store.read(read, { projectId: row.id, beforeMs }, request);
  const { events }: { events: number } = JSON.parse(json);
  return { days, from, next_run_at, events_to_go: events };
}

/** The fields by which an administrator of the account changes retention. */
export interface RetentionChange {
  readonly retention_days?: StoredDays;
  readonly archive?: boolean;
}

/** Throws FORBIDDEN and MISSING_FIELDS. */
export function checkRetention(
  deps: Deps,
  caller: Caller,
  row: ProjectRow,
  { retention_days: days, archive }: RetentionChange,
): void {
  if (days === undefined && archive === undefined) return;
  requireRole("admin", caller);
  if (archive === true && !deps.archive.hasPlace) {
    throw invalidField(
      "archive",
      "This server has no place for archives. Set ARCHIVE_DIR to a folder, or BACKUP_URL, and restart it.",
    );
  }
  if (days !== undefined && days !== null) checkDays(deps, row, days);
}

function checkDays(deps: Deps, row: ProjectRow, days: number): void {
  const most = ofPlanAt(deps, row, clock.nowMs());
  if (Number.isInteger(days) && days >= 1 && days <= (most ?? storedDaysMax)) return;
  const plan = most === null ? "" : ` The plan stores ${most} days; RETENTION_DAYS changes that.`;
  throw invalidField(
    "retention_days",
    `"retention_days" must be a whole number from 1 to ${most ?? storedDaysMax}, or null for the plan's.${plan}`,
  );
}

/** Makes the change, with an entry for what is not as it was. Runs within a change. */
export function changeRetention(
  { control }: Deps,
  caller: Caller,
  { id, name, accountId }: ProjectRow,
  { retention_days: days, archive }: RetentionChange,
): void {
  const before = control.retention.daysOf(id);
  const wasArchiving = control.retention.archiveOf(id).isArchiving;
  const details = {
    ...(days !== undefined && days !== before && { retention_days: days, before }),
    ...(archive !== undefined && archive !== wasArchiving && { archive }),
  };
  if (details.retention_days !== undefined)
    control.retention.setDays(id, details.retention_days, clock.nowMs());
  if (details.archive !== undefined)
    control.retention.setArchive(id, { isArchiving: details.archive, isFailing: false });
  if (Object.keys(details).length === 0) return;
  const target = { type: "project", id, name };
  const action = "retention_changed";
  note(control, { accountId, actor: actorOf(caller), action, target, details });
}
