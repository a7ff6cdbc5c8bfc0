import { asc, count, eq, sql } from "drizzle-orm";
import { type Caller, isReadable } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { type GoalDefinition, goalsPerProjectMax, nameKeyOf } from "../../domain/goals/definition";
import { clock } from "../../lib/clock";
import { newId } from "../../lib/ids";
import { type ControlConnection, isDuplicate, prepared } from "./database";
import { type GoalRow, goal } from "./goal-tables";
import type { WithProjects } from "./projects";
import { requireRoom } from "./shares";

interface NewGoal extends GoalDefinition {
  readonly name: string;
}

/** Goals of projects. */
export function goalQueries(control: ControlConnection) {
  const { db } = control;
  const ofProject = prepared(() =>
    db
      .select()
      .from(goal)
      .where(eq(goal.projectId, sql.placeholder("projectId")))
      .orderBy(asc(goal.createdAtMs), asc(goal.id))
      .prepare(),
  );
  return {
    byId: (id: string): GoalRow | undefined => db.select().from(goal).where(eq(goal.id, id)).get(),
    /** Oldest first. */
    ofProject: (projectId: string): readonly GoalRow[] => ofProject().all({ projectId }),
    /** Throws GOAL_NAME_TAKEN. */
    add: (projectId: string, made: NewGoal): GoalRow =>
      namedOnce(() =>
        control.write(() => {
          const goals = db
            .select({ rows: count() })
            .from(goal)
            .where(eq(goal.projectId, projectId));
          requireRoom(goals.get()?.rows ?? 0, goalsPerProjectMax, "goals");
          const nowMs = clock.nowMs();
          const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
          const own = { id: newId("goal"), projectId, nameKey: nameKeyOf(made.name) };
          return db
            .insert(goal)
            .values({ ...own, ...made, ...times })
            .returning()
            .get();
        }),
      ),
    /** Changes a goal as it is now. Throws GOAL_NAME_TAKEN, and GOAL_NOT_FOUND when it was deleted meanwhile. */
    change: (id: string, changed: (before: GoalRow) => NewGoal): GoalRow =>
      namedOnce(() =>
        control.write(() => {
          const before = db.select().from(goal).where(eq(goal.id, id)).get();
          if (before === undefined) throw notFound();
          const made = changed(before);
          const set = { ...made, nameKey: nameKeyOf(made.name), updatedAtMs: clock.nowMs() };
          return db.update(goal).set(set).where(eq(goal.id, id)).returning().get();
        }),
      ),
    drop: (id: string): void =>
      control.write(() => {
        db.delete(goal).where(eq(goal.id, id)).run();
      }),
  };
}

function namedOnce(write: () => GoalRow): GoalRow {
  try {
    return write();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new ApiError(
      "GOAL_NAME_TAKEN",
      "Another goal of this project has this name; upper and lower case count as the same. Choose another name.",
    );
  }
}

/** The goal that a path names, in a live project. Throws GOAL_NOT_FOUND, and FORBIDDEN for another account's. */
export function requireGoal(
  { goals, projects }: WithProjects & { readonly goals: ReturnType<typeof goalQueries> },
  caller: Caller,
  id: string,
): GoalRow {
  const row = goals.byId(id);
  const owning = row && projects.byId(row.projectId);
  if (row === undefined || owning === undefined) throw notFound();
  if (isReadable(caller, owning)) return row;
  throw new ApiError("FORBIDDEN", "This goal belongs to another account.");
}

const notFound = (): ApiError =>
  new ApiError("GOAL_NOT_FOUND", "This goal does not exist. GET /goals?project=… lists them.");
