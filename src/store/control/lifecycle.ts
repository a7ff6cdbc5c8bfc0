import { and, asc, eq, isNull, lt, sql } from "drizzle-orm";
import { retentionDays } from "../../domain/plan";
import type { StoredDays } from "../../domain/retention";
import type { ControlConnection } from "./database";
import { cookieSession } from "./member-tables";
import { account, billingEvent, project } from "./tables";

/** The queries of timed work: whose data has outlived its plan, what was deleted long enough ago. */
export function lifecycleQueries(control: ControlConnection) {
  const { db } = control;
  return {
    /** Live projects, with the days for which their account's plan stores events at a time. */
    projectsWithRetention: (
      nowMs: number,
      proDays?: StoredDays,
    ): { readonly id: string; readonly retentionDays: StoredDays }[] =>
      db
        .select({
          id: project.id,
          tier: account.tier,
          complimentary: account.complimentary,
          lostProAtMs: account.lostProAtMs,
        })
        .from(project)
        .innerJoin(account, eq(account.id, project.accountId))
        .where(isNull(project.deletedAtMs))
        .all()
        .map(({ id, ...owner }) => ({
          id,
          retentionDays: retentionDays(owner, nowMs, proDays),
        })),

    /** The days for which the plan of an account stores events at a time. */
    storedDaysOfPlan: (accountId: string, nowMs: number, proDays: StoredDays): StoredDays => {
      const { tier, complimentary, lostProAtMs } = account;
      const owner = db
        .select({ tier, complimentary, lostProAtMs })
        .from(account)
        .where(eq(account.id, accountId))
        .get();
      return owner === undefined ? proDays : retentionDays(owner, nowMs, proDays);
    },

    /** Projects that are still there although they were deleted before a time, the longest deleted first. */
    projectsDeletedBefore: (deletedBeforeMs: number, countMax: number): string[] =>
      db
        .select({ id: project.id })
        .from(project)
        .where(lt(project.deletedAtMs, deletedBeforeMs))
        .orderBy(asc(project.deletedAtMs), asc(project.id))
        .limit(countMax)
        .all()
        .map(({ id }) => id),

    /** The last trace of a deleted project. Called when the store holds nothing of it any more. */
    eraseProject: (id: string): void =>
      control.write(() => {
        db.delete(project)
          .where(and(eq(project.id, id), sql`${project.deletedAtMs} is not null`))
          .run();
      }),

    /** Ids of payment events: the provider repeats an event for days, not for months. */
    forgetPaymentEvents: (receivedBeforeMs: number): void => {
      const old = lt(billingEvent.receivedAtMs, receivedBeforeMs);
      if (db.select({ id: billingEvent.id }).from(billingEvent).where(old).get()) {
        control.write(() => {
          db.delete(billingEvent).where(old).run();
        });
      }
    },

    /** Logs out browsers that were not used for too long. */
    dropExpiredSessions: (nowMs: number): void => {
      const expired = lt(cookieSession.expiresAtMs, nowMs);
      if (db.select({ hash: cookieSession.hash }).from(cookieSession).where(expired).get()) {
        control.write(() => {
          db.delete(cookieSession).where(expired).run();
        });
      }
    },
  };
}
