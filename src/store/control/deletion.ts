/*
 * A deleted account stays as a row.
 * Decision: deletion takes its credentials and hides it and its projects; the row goes once the last project is
 * purged.
 * Because: purging finds projects by their rows, and those belong to an account.
 * Cost: whoever looks up accounts leaves out deleted ones.
 */

import { and, count, eq, isNull, lt, ne, notExists, type SQL } from "drizzle-orm";
import { ApiError } from "../../domain/errors";
import { dayMs } from "../../lib/clock";
import { agentSession, authRequest } from "./agent-tables";
import type { ControlConnection } from "./database";
import { account, apiKey, cookieSession, project } from "./tables";

/** What is deleted can be had back, and exported, for this time. */
export const deletedKeptMs = 30 * dayMs;

/** Deletions: what is deleted is hidden at once and stays a row for 30 days, until its events are purged. */
export function deletionQueries(control: ControlConnection) {
  const { db } = control;
  const hideProjects = (which: SQL, nowMs: number): void => {
    db.update(project)
      .set({ deletedAtMs: nowMs })
      .where(and(which, isNull(project.deletedAtMs)))
      .run();
  };
  return {
    /** Its token stops, and its name and origin are free. */
    project: (id: string, nowMs: number): void =>
      control.write(() => hideProjects(eq(project.id, id), nowMs)),

    /**
     * Its credentials stop and its address is free; so do and are those of its projects. False when there is no such
     * account. Throws FORBIDDEN for the last administrator.
     */
    account: (id: string, nowMs: number): boolean =>
      control.write(() => {
        refuseLastAdmin(control, id);
        const alive = and(
          eq(account.id, id),
          isNull(account.deletedAtMs),
          eq(account.isDemo, false),
        );
        const hidden = db
          .update(account)
          .set({ deletedAtMs: nowMs, passwordHash: "" })
          .where(alive)
          .returning({ id: account.id })
          .get();
        if (hidden === undefined) return false;
        hideProjects(eq(project.accountId, id), nowMs);
        db.delete(apiKey).where(eq(apiKey.accountId, id)).run();
        db.delete(cookieSession).where(eq(cookieSession.accountId, id)).run();
        db.delete(agentSession).where(eq(agentSession.accountId, id)).run();
        db.delete(authRequest).where(eq(authRequest.accountId, id)).run();
        return true;
      }),

    /** Removes accounts that were deleted before a time and have no project left that is still to be purged. */
    eraseAccounts(deletedBeforeMs: number): void {
      const projects = db
        .select({ id: project.id })
        .from(project)
        .where(eq(project.accountId, account.id));
      const over = and(lt(account.deletedAtMs, deletedBeforeMs), notExists(projects));
      if (db.select({ id: account.id }).from(account).where(over).get() === undefined) return;
      control.write(() => {
        db.delete(account).where(over).run();
      });
    },
  };
}

/** Somebody has to be left who can reset a password. */
export function refuseLastAdmin({ db }: ControlConnection, id: string): void {
  const isAdmin = and(
    eq(account.isAdmin, true),
    isNull(account.deletedAtMs),
    eq(account.isDemo, false),
  );
  const self = db
    .select({ id: account.id })
    .from(account)
    .where(and(isAdmin, eq(account.id, id)));
  if (self.get() === undefined) return;
  const others = db
    .select({ admins: count() })
    .from(account)
    .where(and(isAdmin, ne(account.id, id)))
    .get();
  if ((others?.admins ?? 0) > 0) return;
  throw new ApiError(
    "FORBIDDEN",
    "This is the only administrator. Make another account an administrator first.",
  );
}
