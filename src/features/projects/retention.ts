import type { Caller } from "../../domain/caller";
import { invalidField } from "../../domain/errors";
import { dayOf, isoDate } from "../../domain/event";
import {
  forgottenBeforeMs,
  nextRunMs,
  runDayOf,
  type StoredDays,
  shorterOf,
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

/** What a project says of retention: its own number, and what the next run will do. */
export const retentionFields = async (
  deps: Deps,
  read: EventsBeforeRead,
  row: ProjectRow,
  { first_event_at: firstEventMs }: Pick<EventUsage, "first_event_at">,
  request: RequestHead,
) => ({
  retention_days: deps.control.retention.daysOf(row.id),
  retention: await nextRunOf(deps, read, row, firstEventMs, request),
});

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
  const days = shorterOf(ofPlanAt(deps, row, runMs), deps.control.retention.daysOf(row.id));
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

/** Checks a number of days that an administrator of the account sends. Throws FORBIDDEN and MISSING_FIELDS. */
export function checkDays(deps: Deps, caller: Caller, row: ProjectRow, days: StoredDays): void {
  requireRole("admin", caller);
  if (days === null) return;
  const most = ofPlanAt(deps, row, clock.nowMs());
  if (Number.isInteger(days) && days >= 1 && days <= (most ?? storedDaysMax)) return;
  const plan = most === null ? "" : ` The plan stores ${most} days; RETENTION_DAYS changes that.`;
  throw invalidField(
    "retention_days",
    `"retention_days" must be a whole number from 1 to ${most ?? storedDaysMax}, or null for the plan's.${plan}`,
  );
}

/** Runs within a change. */
export function setDays(deps: Deps, caller: Caller, row: ProjectRow, days: StoredDays): void {
  const { control } = deps;
  const before = control.retention.daysOf(row.id);
  if (before === days) return;
  control.retention.setDays(row.id, days, clock.nowMs());
  const target = { type: "project", id: row.id, name: row.name };
  const details = { retention_days: days, before };
  const action = "retention_changed";
  note(control, { accountId: row.accountId, actor: actorOf(caller), action, target, details });
}
