import type { Caller } from "../../domain/caller";
import type { Days } from "../../domain/period";
import type { KnownDays } from "../../domain/shown-days";
import { zoneOfRead } from "../../domain/time-zone-name";
import type { Project } from "../../store/control/project-selector";
import { narrowingOf } from "../auth/share-access";
import type { Deps } from "../deps";

/* Facts of control.db about deleted events of a project. */

/** Returns those of the dates that have sums of days; null if none has, and for shares with filters. */
export function knownDaysOf(
  { control }: Deps,
  caller: Caller,
  project: Project,
  { from, to }: Days,
): KnownDays | null {
  if (narrowingOf(caller, project).length > 0) return null;
  const known = control.days.known(project.id, zoneOfRead(undefined, project));
  const days = known.days
    .filter(({ day }) => day >= from && day <= to)
    .map(({ day, isRetention }) => ({ day, isRetention }));
  return days.length === 0 ? null : { ...known, days };
}

/** Returns the time from which on a project may have had events, deleted ones included, in Unix ms. */
export function beganAtMsOf({ control }: Deps, { id, createdAtMs }: Project): number {
  return Math.min(createdAtMs, control.days.firstDeletedMs(id) ?? createdAtMs);
}
