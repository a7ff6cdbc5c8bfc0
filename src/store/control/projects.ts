import { and, asc, count, eq, isNull, sql } from "drizzle-orm";
import type { ControlDatabase } from "./control";
import { account, type ProjectRow, project } from "./tables";

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
  const ofAccount = db
    .select()
    .from(project)
    .where(and(eq(project.accountId, sql.placeholder("accountId")), isNull(project.deletedAtMs)))
    .orderBy(asc(project.createdAtMs), asc(project.id))
    .prepare();
  const countOf = db
    .select({ projects: count() })
    .from(project)
    .where(and(eq(project.accountId, sql.placeholder("accountId")), isNull(project.deletedAtMs)))
    .prepare();
  return {
    byId: (id: string): ProjectRow | undefined => byId.get({ id }),
    byName: (accountId: string, name: string): ProjectRow | undefined =>
      byName.get({ accountId, name }),
    /** Live projects, oldest first. */
    ofAccount: (accountId: string): readonly ProjectRow[] => ofAccount.all({ accountId }),
    /** Live ones. */
    countOf: (accountId: string): number => countOf.get({ accountId })?.projects ?? 0,
    /** Of all projects, deleted ones included, but not of the demo's: nobody's plan pays for its events. */
    owners: (): { readonly id: string; readonly accountId: string }[] =>
      db
        .select({ id: project.id, accountId: project.accountId })
        .from(project)
        .innerJoin(account, eq(account.id, project.accountId))
        .where(eq(account.isDemo, false))
        .all(),
  };
}
