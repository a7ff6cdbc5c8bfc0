import type { DayRow } from "../domain/day-row";
import { isoDate } from "../domain/event";
import type { Control } from "../store/control/control";
import type { ImportRow } from "../store/control/import-tables";
import type { ImportWork } from "../store/imports";

/** Returns what stores the days of a commit, in place of those of one that a stop interrupted. Nobody sees them yet. */
export function takeDays(
  { days }: Control,
  { id, projectId, kind }: ImportRow,
): (rows: readonly DayRow[]) => void {
  let place: number | null = null;
  return (rows) => {
    if (place === null) {
      days.remove(id);
      place = days.begin(projectId, { importId: id, kind: kind ?? "events", part: "" });
    }
    days.put(place, rows);
  };
}

/** Facts about a project's days that do not come from an import. */
export function knownDays(
  { days }: Control,
  { id, projectId }: ImportRow,
): Pick<ImportWork, "takenDates" | "firstDeletedMs"> {
  const others = days
    .ofProject(projectId)
    .filter(({ isRetention, importId }) => !isRetention && importId !== id);
  return {
    takenDates: others.map(({ day }) => isoDate(day)),
    firstDeletedMs: days.firstDeletedMs(projectId),
  };
}
