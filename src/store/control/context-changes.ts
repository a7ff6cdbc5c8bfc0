import { ApiError } from "../../domain/errors";
import type { ProjectContext } from "../../domain/project-context";
import { clock } from "../../lib/clock";
import type { StoredContext } from "./contexts";
import type { Control } from "./control";

/**
 * Writes what `change` makes of a project's context. `expected` is the time of the writing that the caller has seen, as
 * text; undefined where the caller does not mind. Throws CONTEXT_CHANGED.
 */
export const changeContext = <Change extends { readonly context: ProjectContext }>(
  control: Control,
  projectId: string,
  expected: string | undefined,
  change: (current: ProjectContext) => Change,
): Change & StoredContext =>
  control.write(() => {
    const { context: current, updatedAtMs: before } = control.contexts.storedOfProject(projectId);
    if (expected !== undefined && expected !== String(before)) throw contextChanged();
    const changed = change(current);
    // Two writings of one millisecond are told apart as well.
    const updatedAtMs = Math.max(clock.nowMs(), (before ?? 0) + 1);
    control.contexts.putOfProject(projectId, changed.context, updatedAtMs);
    return { ...changed, updatedAtMs };
  });

const contextChanged = (): ApiError =>
  new ApiError(
    "CONTEXT_CHANGED",
    "Somebody else has written this context since you read it. Read it again, then write.",
  );
