import { and, asc, desc, eq, isNull, sql } from "drizzle-orm";
import type { ControlDatabase } from "./control";
import { type ExperimentRow, experiment, type ProjectRow, project } from "./tables";

/** Those made within one millisecond are told apart by the order of their rows. */
const row = sql`${experiment}.rowid`;

/** Experiments of live projects: those of a deleted one are as if they were not there. */
export function experimentQueries(db: ControlDatabase) {
  const byId = db
    .select()
    .from(experiment)
    .innerJoin(project, eq(project.id, experiment.projectId))
    .where(and(eq(experiment.id, sql.placeholder("id")), isNull(project.deletedAtMs)))
    .prepare();
  const ofProject = db
    .select()
    .from(experiment)
    .where(eq(experiment.projectId, sql.placeholder("projectId")))
    .orderBy(desc(experiment.createdAtMs), desc(row))
    .prepare();
  const active = db
    .select({ name: experiment.name, variants: experiment.variants })
    .from(experiment)
    .where(
      and(eq(experiment.projectId, sql.placeholder("projectId")), eq(experiment.status, "active")),
    )
    .orderBy(asc(experiment.createdAtMs), asc(row))
    .prepare();
  return {
    byId: (
      id: string,
    ): { readonly experiment: ExperimentRow; readonly project: ProjectRow } | undefined =>
      byId.get({ id }),
    /** Newest first. */
    ofProject: (projectId: string): readonly ExperimentRow[] => ofProject.all({ projectId }),
    /** What pages of the project take part in, oldest first. */
    active: (projectId: string): readonly Pick<ExperimentRow, "name" | "variants">[] =>
      active.all({ projectId }),
  };
}
