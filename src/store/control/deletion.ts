/*
 * A deleted account stays as a row.
 * Decision: deletion takes its members, with their credentials, and hides it and its projects; the row goes once the
 * last project is purged.
 * Because: purging finds projects by their rows, and those belong to an account.
 * Cost: whoever looks up accounts leaves out deleted ones.
 */

import { and, eq, isNull, lt, notExists, type SQL } from "drizzle-orm";
import { dayMs } from "../../lib/clock";
import { forgetNames } from "./audit-log";
import type { ControlConnection } from "./database";
import { member } from "./member-tables";
import { dropHomeless } from "./people";
import { account, project } from "./tables";

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
     * Its members are none any more, and their credentials of it stop; so do the tokens of its projects. The log-ins
     * of people who are in no other account go as well, and their addresses are free. False when there is no such
     * account. Throws FORBIDDEN for the last administrator.
     */
    account: (id: string, nowMs: number): boolean =>
      control.write(() => {
        const alive = and(
          eq(account.id, id),
          isNull(account.deletedAtMs),
          eq(account.isDemo, false),
        );
        const hidden = db
          .update(account)
          .set({ deletedAtMs: nowMs })
          .where(alive)
          .returning({ id: account.id })
          .get();
        if (hidden === undefined) return false;
        hideProjects(eq(project.accountId, id), nowMs);
        const left = db
          .delete(member)
          .where(eq(member.accountId, id))
          .returning({ personId: member.personId })
          .all();
        dropHomeless(
          control,
          left.map(({ personId }) => personId),
        );
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
        const erased = db.delete(account).where(over).returning({ id: account.id }).all();
        forgetNames(
          control,
          erased.map(({ id }) => id),
        );
      });
    },
  };
}
