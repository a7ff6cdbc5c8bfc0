import { and, eq, isNull, sql } from "drizzle-orm";
import type { ControlDatabase } from "./control";
import { type ProjectRow, project } from "./tables";

/** Finding a live project, as nearly every request does. */
export function projectQueries(db: ControlDatabase) {
  const byId = db
    .select()
    .from(project)
    .where(and(eq(project.id, sql.placeholder("id")), isNull(project.deletedAtMs)))
    .prepare();
  const byName = db
    .select()
    .from(project)
    .where(
      and(
        eq(project.accountId, sql.placeholder("accountId")),
        eq(project.name, sql.placeholder("name")),
        isNull(project.deletedAtMs),
      ),
    )
    .prepare();
  return {
    byId: (id: string): ProjectRow | undefined => byId.get({ id }),
    byName: (accountId: string, name: string): ProjectRow | undefined =>
      byName.get({ accountId, name }),
    /** Of all projects, deleted ones included. */
    owners: (): { readonly id: string; readonly accountId: string }[] =>
      db.select({ id: project.id, accountId: project.accountId }).from(project).all(),
  };
}
