import { eq, sql } from "drizzle-orm";
import { emptyContext, type ProjectContext } from "../../domain/project-context";
import type { ControlDatabase } from "./control";
import { portfolioContext, projectContext } from "./tables";

/** What the numbers mean. The text of a context is JSON of ours, checked before it was stored. */
export function contextQueries(db: ControlDatabase) {
  const ofProject = db
    .select({ context: projectContext.context })
    .from(projectContext)
    .where(eq(projectContext.projectId, sql.placeholder("projectId")))
    .prepare();
  const ofAccount = db
    .select({ context: portfolioContext.context })
    .from(portfolioContext)
    .where(eq(portfolioContext.accountId, sql.placeholder("accountId")))
    .prepare();
  return {
    /** Undefined when nobody wrote one: every read of a project asks. */
    ofProject(projectId: string): ProjectContext | undefined {
      const found = ofProject.get({ projectId });
      return found === undefined ? undefined : JSON.parse(found.context);
    },
    /** With the time of the last writing, for those who want to write next. */
    storedOfProject(projectId: string): StoredContext {
      const found = db
        .select()
        .from(projectContext)
        .where(eq(projectContext.projectId, projectId))
        .get();
      if (found === undefined) return { context: emptyContext, updatedAtMs: null };
      return { context: JSON.parse(found.context), updatedAtMs: found.updatedAtMs };
    },
    putOfProject(projectId: string, written: ProjectContext, updatedAtMs: number): void {
      const context = JSON.stringify(written);
      db.insert(projectContext)
        .values({ projectId, context, updatedAtMs })
        .onConflictDoUpdate({ target: projectContext.projectId, set: { context, updatedAtMs } })
        .run();
    },
    /** The projects whose context mentions an id anywhere, be it in a text. */
    mentioning: (id: string): readonly string[] =>
      db
        .select({ projectId: projectContext.projectId })
        .from(projectContext)
        .where(sql`instr(${projectContext.context}, ${id}) > 0`)
        .all()
        .map(({ projectId }) => projectId),
    /** As JSON text; its form is the feature's own. */
    ofAccount: (accountId: string): string | undefined => ofAccount.get({ accountId })?.context,
    putOfAccount(accountId: string, context: string): void {
      db.insert(portfolioContext)
        .values({ accountId, context })
        .onConflictDoUpdate({ target: portfolioContext.accountId, set: { context } })
        .run();
    },
  };
}

export interface StoredContext {
  readonly context: ProjectContext;
  readonly updatedAtMs: number | null;
}
