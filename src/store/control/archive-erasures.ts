import { and, asc, eq } from "drizzle-orm";
import { erasedDigests, type KnownErasure } from "../../domain/erased-digest";
import type { ControlConnection } from "./database";
import { type ArchiveErasureRow, archiveErasure } from "./erasure-tables";
import type { ErasureWork } from "./erasures";
import { archivedFile } from "./retention-tables";

/** The erasures that the server has not applied to all archived files yet. */
export function archiveErasureQueries(
  control: ControlConnection & { readonly identitySecret: string },
) {
  const { db } = control;
  const add = (row: Omit<ArchiveErasureRow, "files">): void => {
    db.insert(archiveErasure).values(row).onConflictDoNothing().run();
  };
  const hasFiles = (projectId: string): boolean =>
    db.select().from(archivedFile).where(eq(archivedFile.projectId, projectId)).get() !== undefined;
  return {
    /** Oldest first. */
    all: (): readonly ArchiveErasureRow[] =>
      db.select().from(archiveErasure).orderBy(asc(archiveErasure.atMs)).all(),
    hasFiles,
    isOpen: (erasureId: string): boolean => {
      const own = eq(archiveErasure.erasureId, erasureId);
      return db.select().from(archiveErasure).where(own).get() !== undefined;
    },
    /** Notes that the files of the projects are to lose a person. Runs within a change. */
    add(erasureId: string, atMs: number, work: readonly ErasureWork[]): void {
      const digestOf = erasedDigests(control.identitySecret);
      for (const { projectId, ids } of work) {
        add({ erasureId, projectId, atMs, digests: ids.map((id) => digestOf(projectId, id)) });
      }
    },
    /** Notes it again for an erasure that is later than this file, whose list of files is older than they are. */
    takeOver: ({ id: erasureId, atMs, projects }: KnownErasure): void =>
      control.write(() => {
        for (const { projectId, ids: digests } of projects) {
          if (hasFiles(projectId)) add({ erasureId, projectId, atMs, digests });
        }
      }),
    /** Notes the files that are left. Removes the row when there are none. */
    note: ({ erasureId, projectId }: ArchiveErasureRow, files: readonly string[]): void =>
      control.write(() => {
        const { erasureId: id, projectId: project } = archiveErasure;
        const own = and(eq(id, erasureId), eq(project, projectId));
        if (files.length === 0) db.delete(archiveErasure).where(own).run();
        else db.update(archiveErasure).set({ files }).where(own).run();
      }),
  };
}
