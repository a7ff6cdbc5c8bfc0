/*
 * Contexts are not cached.
 * Decision: each read of a project looks its context up in control.db.
 * Because: it takes 7 µs when there is none and 38 µs at its limits, and another process may have written it.
 * Cost: those microseconds, in the main thread.
 * Revisit: if they show in a profile.
 */

import { and, eq, sql } from "drizzle-orm";
import { ApiError } from "../../domain/errors";
import { emptyContext, type ProjectContext } from "../../domain/project-context";
import { clock } from "../../lib/clock";
import { type ControlConnection, type ControlDatabase, prepared } from "./database";
import { portfolioContext, projectContext } from "./tables";

/** The meaning of a project's numbers. The text of a context is JSON of ours, checked before it was stored. */
export function contextQueries(db: ControlDatabase) {
  const ofProject = prepared(() =>
    db
      .select({ context: projectContext.context })
      .from(projectContext)
      .where(eq(projectContext.projectId, sql.placeholder("projectId")))
      .prepare(),
  );
  const ofAccount = prepared(() =>
    db
      .select({ context: portfolioContext.context })
      .from(portfolioContext)
      .where(eq(portfolioContext.accountId, sql.placeholder("accountId")))
      .prepare(),
  );
  return {
    /** Returns a project's context, or undefined when nobody wrote one. Every read of a project asks for it. */
    ofProject(projectId: string): ProjectContext | undefined {
      const found = ofProject().get({ projectId });
      return found === undefined ? undefined : JSON.parse(found.context);
    },
    /** Returns the context with the time at which it was last written, for callers who want to write next. */
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
    /** Removes a project's context, unless it was written again. */
    dropOfProject(projectId: string, updatedAtMs: number): void {
      const isSame = eq(projectContext.updatedAtMs, updatedAtMs);
      db.delete(projectContext)
        .where(and(eq(projectContext.projectId, projectId), isSame))
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
    /** Returns an account's context as JSON text; its form is the feature's own. */
    ofAccount: (accountId: string): string | undefined => ofAccount().get({ accountId })?.context,
    putOfAccount(accountId: string, context: string): void {
      db.insert(portfolioContext)
        .values({ accountId, context })
        .onConflictDoUpdate({ target: portfolioContext.accountId, set: { context } })
        .run();
    },
  };
}

export type WithContexts = ControlConnection & {
  readonly contexts: ReturnType<typeof contextQueries>;
};

export interface StoredContext {
  readonly context: ProjectContext;
  readonly updatedAtMs: number | null;
}

/**
 * Writes what `change` makes of a project's context. `expected` is the time of the writing that the caller has seen, as
 * text; undefined where the caller does not mind. Throws CONTEXT_CHANGED.
 */
export const changeContext = <Change extends { readonly context: ProjectContext }>(
  control: WithContexts,
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
    "The context has changed since you read it. Read it again, add your changes, and send it again.",
  );
