import { and, asc, count, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import { clock } from "../../lib/clock";
import { newId } from "../../lib/ids";
import type { ControlConnection } from "./database";
import { mailMessage } from "./mail-tables";
import { type ReportPeriodRow, type ReportRow, report, reportPeriod } from "./report-tables";
import { requireRoom } from "./shares";
import type { subscriptionQueries } from "./subscriptions";
import { account, type ProjectRow, project } from "./tables";
import { webhookDelivery } from "./webhook-tables";

export const reportsPerProjectMax = 50;

type ReportControl = ControlConnection & {
  readonly subscriptions: Pick<ReturnType<typeof subscriptionQueries>, "drop">;
};
export type NewReport = Pick<ReportRow, "projectId" | "every" | "hour" | "filters">;

/** Letters about projects. */
export const reportQueries = (control: ReportControl) => ({
  ...letterQueries(control),
  ...periodQueries(control),
});

function letterQueries(control: ReportControl) {
  const { db, subscriptions } = control;
  return {
    byId: (id: string): ReportRow | undefined =>
      db.select().from(report).where(eq(report.id, id)).get(),
    /** Oldest first. */
    ofProject: (projectId: string): readonly ReportRow[] =>
      db
        .select()
        .from(report)
        .where(eq(report.projectId, projectId))
        .orderBy(asc(report.createdAtMs), asc(sql`rowid`))
        .all(),
    /** The reports of all live projects that did not stop. */
    all: (): readonly { readonly report: ReportRow; readonly project: ProjectRow }[] =>
      db
        .select({ report, project })
        .from(report)
        .innerJoin(project, eq(project.id, report.projectId))
        .innerJoin(account, eq(account.id, project.accountId))
        .where(
          and(isNull(report.stoppedAtMs), isNull(project.deletedAtMs), isNull(account.deletedAtMs)),
        )
        .orderBy(asc(report.createdAtMs), asc(sql`report.rowid`))
        .all(),
    /** Runs within a transaction, as does whatever follows. */
    add(made: NewReport): ReportRow {
      const ofProject = eq(report.projectId, made.projectId);
      const rows = db.select({ rows: count() }).from(report).where(ofProject);
      requireRoom(rows.get()?.rows ?? 0, reportsPerProjectMax, "reports");
      const values = { id: newId("rep"), ...made, createdAtMs: clock.nowMs() };
      return db.insert(report).values(values).returning().get();
    },
    change: (id: string, set: Partial<ReportRow>): void => {
      if (Object.keys(set).length > 0) db.update(report).set(set).where(eq(report.id, id)).run();
    },
    drop(id: string): void {
      subscriptions.drop(id);
      db.delete(report).where(eq(report.id, id)).run();
    },
  };
}

function periodQueries({ db }: ReportControl) {
  const ofReport = (id: string) => eq(reportPeriod.reportId, id);
  return {
    wasSent: (reportId: string, fromDate: string): boolean =>
      db
        .select({ at: reportPeriod.sentAtMs })
        .from(reportPeriod)
        .where(and(ofReport(reportId), eq(reportPeriod.fromDate, fromDate)))
        .get() !== undefined,
    noteSent: (row: ReportPeriodRow): void => {
      db.insert(reportPeriod).values(row).run();
    },
    lastSent: (reportId: string): ReportPeriodRow | undefined =>
      db
        .select()
        .from(reportPeriod)
        .where(ofReport(reportId))
        .orderBy(desc(reportPeriod.sentAtMs))
        .limit(1)
        .get(),
    /** Counts what became of messages. One that is no longer listed was sent a while ago. */
    outcomes(ids: readonly string[]): { readonly sent: number; readonly failed: number } {
      const states = [
        ...db
          .select({ state: mailMessage.state })
          .from(mailMessage)
          .where(inArray(mailMessage.id, [...ids]))
          .all(),
        ...db
          .select({ state: webhookDelivery.state })
          .from(webhookDelivery)
          .where(inArray(webhookDelivery.id, [...ids]))
          .all(),
      ];
      const waiting = states.filter(({ state }) => state === "queued").length;
      const failed = states.filter(({ state }) => state === "failed").length;
      return { sent: ids.length - waiting - failed, failed };
    },
  };
}
