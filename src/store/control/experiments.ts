import { and, asc, desc, eq, isNull, sql } from "drizzle-orm";
import { type Caller, isReadable } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import {
  checkTransition,
  type ExperimentStatus,
  type ExperimentVariant,
} from "../../domain/experiment";
import type { NamedGoal } from "../../domain/goals/definition";
import { clock } from "../../lib/clock";
import { newId } from "../../lib/ids";
import { type ControlConnection, type ControlDatabase, isDuplicate, prepared } from "./database";
import { type ExperimentRow, experiment, type ProjectRow, project } from "./tables";

/** Experiments that were made within one millisecond are ordered by their rows. */
const row = sql`${experiment}.rowid`;

/** Experiments of live projects: those of a deleted one are as if they were not there. */
export function experimentQueries(db: ControlDatabase) {
  const byId = prepared(() =>
    db
      .select()
      .from(experiment)
      .innerJoin(project, eq(project.id, experiment.projectId))
      .where(and(eq(experiment.id, sql.placeholder("id")), isNull(project.deletedAtMs)))
      .prepare(),
  );
  const ofProject = prepared(() =>
    db
      .select()
      .from(experiment)
      .where(eq(experiment.projectId, sql.placeholder("projectId")))
      .orderBy(desc(experiment.createdAtMs), desc(row))
      .prepare(),
  );
  const active = prepared(() =>
    db
      .select({ name: experiment.name, variants: experiment.variants })
      .from(experiment)
      .where(
        and(
          eq(experiment.projectId, sql.placeholder("projectId")),
          eq(experiment.status, "active"),
        ),
      )
      .orderBy(asc(experiment.createdAtMs), asc(row))
      .prepare(),
  );
  return {
    byId: (
      id: string,
    ): { readonly experiment: ExperimentRow; readonly project: ProjectRow } | undefined =>
      byId().get({ id }),
    /** Newest first. */
    ofProject: (projectId: string): readonly ExperimentRow[] => ofProject().all({ projectId }),
    /** Returns the experiments that pages of the project take part in, oldest first. */
    active: (projectId: string): readonly Pick<ExperimentRow, "name" | "variants">[] =>
      active().all({ projectId }),
  };
}

type WithExperiments = ControlConnection & {
  readonly experiments: ReturnType<typeof experimentQueries>;
};

/** An experiment with the live project it belongs to. */
export interface OwnExperiment {
  readonly experiment: ExperimentRow;
  readonly project: ProjectRow;
}

/** Throws EXPERIMENT_NOT_FOUND, and FORBIDDEN for one of another account. */
export function findExperiment(
  control: WithExperiments,
  caller: Caller,
  id: string,
): OwnExperiment {
  const found = control.experiments.byId(id);
  if (found === undefined) throw notFound();
  if (isReadable(caller, found.project)) return found;
  throw new ApiError("FORBIDDEN", "This experiment belongs to another account.");
}

export interface NewExperiment {
  readonly name: string;
  readonly variants: readonly ExperimentVariant[];
  readonly goalEvent: string;
  readonly goal: NamedGoal | null;
}

/** Throws EXPERIMENT_NAME_EXISTS. */
export function addExperiment(
  control: WithExperiments,
  projectId: string,
  { name, variants, goalEvent, goal }: NewExperiment,
): ExperimentRow {
  const nowMs = clock.nowMs();
  try {
    return control.write(() =>
      control.db
        .insert(experiment)
        .values({
          id: newId("exp"),
          projectId,
          name,
          variants,
          goalEvent,
          goal,
          status: "active",
          createdAtMs: nowMs,
          updatedAtMs: nowMs,
        })
        .returning()
        .get(),
    );
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new ApiError(
      "EXPERIMENT_NAME_EXISTS",
      `This project already has an experiment named "${name}". Choose another name, or delete that ` +
        "experiment.",
    );
  }
}

/** Throws INVALID_EXPERIMENT_STATUS, and EXPERIMENT_NOT_FOUND when it was deleted meanwhile. */
export function changeExperiment(
  control: WithExperiments,
  id: string,
  status: ExperimentStatus,
  winner: string | null,
): ExperimentRow {
  const nowMs = clock.nowMs();
  return control.write(() => {
    const before = control.experiments.byId(id);
    if (before === undefined) throw notFound();
    checkTransition(before.experiment.status, status);
    return control.db
      .update(experiment)
      .set({
        status,
        winner,
        updatedAtMs: nowMs,
        completedAtMs: status === "completed" ? nowMs : null,
      })
      .where(eq(experiment.id, id))
      .returning()
      .get();
  });
}

/** Its events stay. */
export const dropExperiment = (control: WithExperiments, id: string): void =>
  control.write(() => {
    control.db.delete(experiment).where(eq(experiment.id, id)).run();
  });

const notFound = (): ApiError =>
  new ApiError(
    "EXPERIMENT_NOT_FOUND",
    "This experiment does not exist. GET /experiments?project=… lists the experiments of a project.",
  );
