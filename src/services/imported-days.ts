import type { Config } from "../config";
import { isoDate } from "../domain/event";
import { firstStoredMs } from "../domain/retention";
import { keptDayOf } from "../domain/shown-days";
import { clock } from "../lib/clock";
import type { Control } from "../store/control/control";
import type { StoredDay } from "../store/control/days";
import type { ImportRow } from "../store/control/import-tables";
import type { DatedRows, ImportWork, RemovedRows } from "../store/imports";
import type { TrustedTime } from "./trusted-time";

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

/** Removes an import with its context and days. The project's first event, before that, was at `firstKeptMs`. */
export function removeDays(
  control: Control,
  { id, projectId }: Pick<ImportRow, "id" | "projectId">,
  firstKeptMs: number | null,
): Pick<RemovedRows, "days" | "daysLeft"> {
  const { contexts, days, imports, projects } = control;
  const keptDay = keptDayOf({ firstKeptMs, zone: projects.byId(projectId)?.timezone });
  return control.write(() => {
    // A context that somebody has changed since is theirs.
    const contextAtMs = imports.byId(id)?.contextAtMs ?? null;
    if (contextAtMs !== null) contexts.dropOfProject(projectId, contextAtMs);
    imports.drop(id);
    const { changed, left } = days.takeOut(projectId, id, keptDay);
    return { days: days.remove(id) + changed, daysLeft: left };
  });
}

type KnownFacts = Pick<
  ImportWork,
  "takenDates" | "foldedDates" | "summedDates" | "firstEventMs" | "hasContext" | "blocked"
>;

/** The facts that control.db has about a project for an import. */
export function knownFacts(
  { days, contexts, blockedIds }: Control,
  { id, projectId }: ImportRow,
): KnownFacts {
  const others = days.ofProject(projectId).filter(({ importId }) => importId !== id);
  const datesOf = (isWanted: (day: StoredDay) => boolean): string[] =>
    others.filter(isWanted).map(({ day }) => isoDate(day));
  return {
    takenDates: datesOf(({ isRetention }) => !isRetention),
    foldedDates: datesOf(({ isRetention }) => isRetention),
    summedDates: datesOf(({ isRetention, importId }) => isRetention && importId === null),
    firstEventMs: days.firstEventMs(projectId),
    hasContext: contexts.ofProject(projectId) !== undefined,
    blocked: blockedIds.digestsOf(projectId),
  };
}

interface StoredFromDeps {
  readonly control: Pick<Control, "projects" | "retention">;
  readonly trustedTime: Pick<TrustedTime, "isTrusted">;
  readonly config: Pick<Config, "retentionDays">;
}

/**
 * Returns a function that gives the Unix ms from which a project stores events, by its plan and its own setting. The
 * next run of retention would delete older imported events, even if no run has deleted anything yet.
 */
export const storedFrom =
  ({ control: { projects, retention }, trustedTime, config }: StoredFromDeps) =>
  (projectId: string): number => {
    const project = projects.byId(projectId);
    // While the clock may be wrong, retention deletes nothing.
    if (project === undefined || !trustedTime.isTrusted()) return 0;
    const nowMs = clock.nowMs();
    return firstStoredMs(nowMs, retention.daysToday(project, nowMs, config.retentionDays));
  };
