import { and, asc, count, eq, isNotNull, or, sql } from "drizzle-orm";
import { ApiError } from "../../domain/errors";
import { hasDailyVisitors, type SourceKind, sourcesPerProjectMax } from "../../domain/source";
import { clock } from "../../lib/clock";
import { newId } from "../../lib/ids";
import type { ControlConnection } from "./database";
import { requireRoom } from "./shares";
import { dailyVisitorProject, type SourceRow, source } from "./source-tables";
import { account, project } from "./tables";

/** The sources of projects. */
export function sourceQueries(control: ControlConnection) {
  const { db } = control;
  const ofKey = (kind: SourceKind, key: string) => and(eq(source.kind, kind), eq(source.key, key));

  /** Frees the key of a source whose project was deleted and is not erased yet. */
  const freeKeyOfDeleted = (kind: SourceKind, key: string): void => {
    const holder = db
      .select({ id: source.id })
      .from(source)
      .innerJoin(project, eq(project.id, source.projectId))
      .innerJoin(account, eq(account.id, project.accountId))
      .where(
        and(ofKey(kind, key), or(isNotNull(project.deletedAtMs), isNotNull(account.deletedAtMs))),
      )
      .get();
    if (holder !== undefined) db.delete(source).where(eq(source.id, holder.id)).run();
  };

  return {
    /** Oldest first. */
    ofProject: (projectId: string): readonly SourceRow[] =>
      db
        .select()
        .from(source)
        .where(eq(source.projectId, projectId))
        .orderBy(asc(source.createdAtMs), asc(sql`rowid`))
        .all(),
    /** Adds a source. Throws SOURCE_TAKEN where another one of this server has the key. */
    add: (projectId: string, kind: SourceKind, key: string | null): SourceRow =>
      control.write(() => {
        const rows = db.select({ rows: count() }).from(source);
        const ofProject = rows.where(eq(source.projectId, projectId)).get();
        requireRoom(ofProject?.rows ?? 0, sourcesPerProjectMax, "sources");
        if (key !== null) {
          freeKeyOfDeleted(kind, key);
          const taken = db.select({ id: source.id }).from(source).where(ofKey(kind, key)).get();
          if (taken !== undefined) throw sourceTaken();
        }
        const row = { id: newId("src"), projectId, kind, key, createdAtMs: clock.nowMs() };
        if (hasDailyVisitors(kind)) {
          db.insert(dailyVisitorProject).values({ projectId }).onConflictDoNothing().run();
        }
        return db.insert(source).values(row).returning().get();
      }),
    /** Deletes a source of a project; false when it has no such source. */
    drop: (projectId: string, id: string): boolean =>
      control.write(() => {
        const own = and(eq(source.id, id), eq(source.projectId, projectId));
        return db.delete(source).where(own).returning({ id: source.id }).get() !== undefined;
      }),
  };
}

const sourceTaken = (): ApiError =>
  new ApiError(
    "SOURCE_TAKEN",
    "Another source of this server has this key. Leave `key` out: the source's `url` works without one.",
    { field: "key" },
  );
