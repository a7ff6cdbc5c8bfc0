import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { reportEveries } from "../../domain/reports/periods";
import { project } from "./tables";

/** Letters about a project that go out each week or month. Times are Unix ms. */
export const report = sqliteTable(
  "report",
  {
    id: text().primaryKey(),
    projectId: text("project_id")
      .notNull()
      .references(() => project.id, { onDelete: "cascade" }),
    every: text({ enum: reportEveries }).notNull(),
    hour: integer().notNull(),
    /** The filters as they were sent, once they were checked. */
    filters: text({ mode: "json" }).$type<readonly unknown[]>(),
    createdAtMs: integer("created_at").notNull(),
    /** Set when the project had no event for a while. */
    stoppedAtMs: integer("stopped_at"),
  },
  (table) => [index("report_project").on(table.projectId, table.createdAtMs)],
);

/** A period whose report was queued: the key keeps it from being queued twice, whatever happens to the clock. */
export const reportPeriod = sqliteTable(
  "report_period",
  {
    reportId: text("report_id")
      .notNull()
      .references(() => report.id, { onDelete: "cascade" }),
    /** The first date of the period. */
    fromDate: text("from_date").notNull(),
    toDate: text("to_date").notNull(),
    sentAtMs: integer("sent_at").notNull(),
    /** The ids of the mails and deliveries that were queued. */
    messages: text({ mode: "json" }).$type<readonly string[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.reportId, table.fromDate] })],
);

export type ReportRow = typeof report.$inferSelect;
export type ReportPeriodRow = typeof reportPeriod.$inferSelect;
