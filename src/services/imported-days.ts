import { isoDate } from "../domain/event";
import type { Control } from "../store/control/control";
import type { ImportRow } from "../store/control/import-tables";
import type { DatedRows, ImportWork } from "../store/imports";

/** Returns what stores the days of a commit, in place of those of one that a stop interrupted. Nobody sees them yet. */
export function takeDays(
  { days }: Control,
  { id, projectId, state, kind: fileKind }: ImportRow,
): (dated: DatedRows) => void {
  if (state === "committing") days.remove(id);
  const places = new Map<string, number>();
  return ({ origin, rows }) => {
    const kind = origin?.kind ?? fileKind ?? "events";
    const part = origin?.id ?? "";
    const name = `${kind} ${part}`;
    const place = places.get(name) ?? days.begin(projectId, { importId: id, kind, part });
    places.set(name, place);
    days.put(place, rows);
  };
}

/** The facts that control.db has about a project for an import. */
export function knownFacts(
  { days, contexts }: Control,
  { id, projectId }: ImportRow,
): Pick<ImportWork, "takenDates" | "foldedDates" | "firstEventMs" | "hasContext"> {
  const others = days.ofProject(projectId).filter(({ importId }) => importId !== id);
  const datesOf = (isOfRetention: boolean): string[] =>
    others
      .filter(({ isRetention }) => isRetention === isOfRetention)
      .map(({ day }) => isoDate(day));
  return {
    takenDates: datesOf(false),
    foldedDates: datesOf(true),
    firstEventMs: days.firstEventMs(projectId),
    hasContext: contexts.ofProject(projectId) !== undefined,
  };
}
