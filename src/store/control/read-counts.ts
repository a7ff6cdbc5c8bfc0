import { and, eq, gte, sql } from "drizzle-orm";
import { type ControlDatabase, prepared } from "./database";
import { accountReads, projectReads } from "./tables";

/** Counted reads: per account and month for the cap, per project and date for people. */
export function readCountQueries(db: ControlDatabase) {
  const inMonth = prepared(() =>
    db
      .select({ reads: accountReads.reads })
      .from(accountReads)
      .where(
        and(
          eq(accountReads.accountId, sql.placeholder("accountId")),
          eq(accountReads.month, sql.placeholder("month")),
        ),
      )
      .prepare(),
  );
  const ofProject = prepared(() =>
    db
      .select({ date: projectReads.date, reads: projectReads.reads })
      .from(projectReads)
      .where(
        and(
          eq(projectReads.projectId, sql.placeholder("projectId")),
          gte(projectReads.date, sql.placeholder("fromDate")),
        ),
      )
      .prepare(),
  );
  const added = sql`reads + excluded.reads`;
  return {
    ofMonth: (accountId: string, month: string): number =>
      inMonth().get({ accountId, month })?.reads ?? 0,

    /** Adds to the month, unless the account is gone. */
    addToMonth(accountId: string, month: string, reads: number): void {
      db.run(sql`
        insert into account_reads (account_id, month, reads)
        select id, ${month}, ${reads} from account where id = ${accountId}
        on conflict do update set reads = ${added}`);
    },

    addToDate(projectId: string, date: string, reads: number): void {
      db.run(sql`
        insert into project_reads (project_id, date, reads)
        select id, ${date}, ${reads} from project where id = ${projectId}
        on conflict do update set reads = ${added}`);
      db.run(sql`update project set total_reads = total_reads + ${reads} where id = ${projectId}`);
    },

    byDate: (projectId: string, fromDate: string): ReadonlyMap<string, number> =>
      new Map(
        ofProject()
          .all({ projectId, fromDate })
          .map(({ date, reads }) => [date, reads]),
      ),
  };
}
