import { eq } from "drizzle-orm";
import type { Caller } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import {
  checkTransition,
  type ExperimentStatus,
  type ExperimentVariant,
} from "../../domain/experiment";
import { clock } from "../../lib/clock";
import { newId } from "../../lib/ids";
import { type Control, isDuplicate } from "./control";
import { type ExperimentRow, experiment, type ProjectRow } from "./tables";

/** An experiment with the live project it belongs to. */
export interface OwnExperiment {
  readonly experiment: ExperimentRow;
  readonly project: ProjectRow;
}

/** Throws EXPERIMENT_NOT_FOUND, and FORBIDDEN for one of another account. */
export function findExperiment(control: Control, caller: Caller, id: string): OwnExperiment {
  const found = control.experiments.byId(id);
  if (found === undefined) throw notFound();
  const isShown = caller.share === null || caller.share.projectId === found.project.id;
  if (found.project.accountId === caller.account.id && isShown) return found;
  throw new ApiError("FORBIDDEN", "This experiment belongs to another account.");
}

export interface NewExperiment {
  readonly name: string;
  readonly variants: readonly ExperimentVariant[];
  readonly goalEvent: string;
}

/** Throws EXPERIMENT_NAME_EXISTS. */
export function addExperiment(
  control: Control,
  projectId: string,
  { name, variants, goalEvent }: NewExperiment,
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
      `This project has an experiment "${name}", perhaps one that is over. Choose another name, or delete that one.`,
    );
  }
}

/** Throws INVALID_EXPERIMENT_STATUS, and EXPERIMENT_NOT_FOUND when it was deleted meanwhile. */
export function changeExperiment(
  control: Control,
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
export const dropExperiment = (control: Control, id: string): void =>
  control.write(() => {
    control.db.delete(experiment).where(eq(experiment.id, id)).run();
  });

const notFound = (): ApiError =>
  new ApiError(
    "EXPERIMENT_NOT_FOUND",
    "There is no such experiment. GET /experiments?project=… lists those of a project.",
  );
