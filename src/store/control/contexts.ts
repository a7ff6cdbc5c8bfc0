import { eq, sql } from "drizzle-orm";
import type { ProjectContext } from "../../domain/project-context";
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
    putOfProject(projectId: string, context: ProjectContext): void {
      const text = JSON.stringify(context);
      db.insert(projectContext)
        .values({ projectId, context: text })
        .onConflictDoUpdate({ target: projectContext.projectId, set: { context: text } })
        .run();
    },
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
