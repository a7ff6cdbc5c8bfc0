import { eq, isNull } from "drizzle-orm";
import type { Budget } from "../../domain/budget";
import { type BudgetRow, budget } from "./budget-tables";
import type { ControlConnection } from "./database";
import { project } from "./tables";

/** The budgets of projects. */
export function budgetQueries({ db }: ControlConnection) {
  const ofProject = (id: string) => eq(budget.projectId, id);
  return {
    of: (projectId: string): BudgetRow | undefined =>
      db.select().from(budget).where(ofProject(projectId)).get(),
    /** Those of live projects. */
    all: (): readonly BudgetRow[] =>
      db
        .select({ budget })
        .from(budget)
        .innerJoin(project, eq(project.id, budget.projectId))
        .where(isNull(project.deletedAtMs))
        .all()
        .map((row) => row.budget),
    /** Null removes the budget. A changed budget begins without notices. */
    set(projectId: string, set: Budget | null): void {
      db.delete(budget).where(ofProject(projectId)).run();
      if (set !== null)
        db.insert(budget)
          .values({ projectId, ...set })
          .run();
    },
    noteTold: (projectId: string, told: Partial<BudgetRow>): void => {
      db.update(budget).set(told).where(ofProject(projectId)).run();
    },
  };
}
