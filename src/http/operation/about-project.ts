/*
 * A read names the dates of its annotations.
 * Decision: the handler of a read says which dates the caller asked for; of compared periods it is the current one.
 * Because: what a read touches is another window (sessions are judged on all their events), and only the route knows.
 * Cost: one more argument at each read.
 */

import type { Days } from "../../domain/period";
import { contextWithin, type ProjectContext } from "../../domain/project-context";
import type { Project } from "../../store/control/project-selector";
import type { Deps } from "../deps";

/** The fields with which answers about a project begin. */
export interface AboutProject {
  readonly project: string;
  readonly project_context?: ProjectContext;
}

/** The fields that the request asks for. */
interface Wanted {
  /** `false` leaves the context out. */
  readonly context?: boolean;
}

/** The project's name and, if anybody wrote one, its context with the annotations near the dates asked for. */
export function aboutProject(
  { control }: Pick<Deps, "control">,
  { id, name }: Project,
  days: Days,
  { context: isWanted = true }: Wanted = {},
): AboutProject {
  if (!isWanted) return { project: name };
  const context = control.contexts.ofProject(id);
  const near = context === undefined ? null : contextWithin(context, days);
  return near === null ? { project: name } : { project: name, project_context: near };
}
