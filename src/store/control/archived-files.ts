import { and, count, desc, eq, isNull, lt, max } from "drizzle-orm";
import type { ControlConnection } from "./database";
import { type ArchivedFile, archivedFile, retention } from "./retention-tables";
import { project } from "./tables";

/** One project has at most this number of files in an answer: those of 27 years. */
export const archivedFilesMax = 10_000;

export const archivedFilesOf = (
  { db }: ControlConnection,
  projectId: string,
): readonly ArchivedFile[] =>
  db
    .select()
    .from(archivedFile)
    .where(eq(archivedFile.projectId, projectId))
    .orderBy(desc(archivedFile.day), desc(archivedFile.number))
    .limit(archivedFilesMax)
    .all();

const ofDate = (projectId: string, day: number) =>
  and(eq(archivedFile.projectId, projectId), eq(archivedFile.day, day));

/**
 * Returns the number of the file to which the events of a date go. One that was written before they were deleted is
 * written again, as it may lack what came since; one whose events were deleted stays as it is.
 */
export function numberOfNext({ db }: ControlConnection, projectId: string, day: number): number {
  const forgotten = and(ofDate(projectId, day), eq(archivedFile.isForgotten, true));
  const last = db
    .select({ number: max(archivedFile.number) })
    .from(archivedFile)
    .where(forgotten);
  return (last.get()?.number ?? 0) + 1;
}

/** Notes a file that was written and read back. */
export function noteArchived(
  control: ControlConnection,
  file: Omit<ArchivedFile, "isForgotten">,
): void {
  const row = { ...file, isForgotten: false };
  const { projectId, day, number } = archivedFile;
  control.write(() => {
    control.db
      .insert(archivedFile)
      .values(row)
      .onConflictDoUpdate({ target: [projectId, day, number], set: row })
      .run();
  });
}

/** Notes the facts of a file that was rewritten; null where it was removed. A file without a row gets none. */
export function changeArchived(
  control: ControlConnection,
  { projectId, day, number }: Pick<ArchivedFile, "projectId" | "day" | "number">,
  change: Pick<ArchivedFile, "events" | "bytes" | "sha256"> | null,
): void {
  const own = and(ofDate(projectId, day), eq(archivedFile.number, number));
  const before = control.db.select().from(archivedFile).where(own).get();
  if (before === undefined || before.sha256 === change?.sha256) return;
  control.write(() => {
    if (change === null) control.db.delete(archivedFile).where(own).run();
    else control.db.update(archivedFile).set(change).where(own).run();
  });
}

/** Notes that the events before a day are deleted. */
export function noteForgotten(
  control: ControlConnection,
  projectId: string,
  beforeDay: number,
): void {
  const { isForgotten, day } = archivedFile;
  const own = eq(archivedFile.projectId, projectId);
  const left = and(own, lt(day, beforeDay), eq(isForgotten, false));
  if (control.db.select({ day }).from(archivedFile).where(left).limit(1).get() === undefined)
    return;
  control.write(() => {
    control.db.update(archivedFile).set({ isForgotten: true }).where(left).run();
  });
}

/** The projects that cannot write their archives, and so delete nothing. */
export const failingArchives = ({ db }: ControlConnection): number =>
  db
    .select({ projects: count() })
    .from(retention)
    .innerJoin(project, eq(project.id, retention.projectId))
    .where(
      and(
        eq(retention.isArchiving, true),
        eq(retention.isFailing, true),
        isNull(project.deletedAtMs),
      ),
    )
    .get()?.projects ?? 0;
