import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { budgetPolicies } from "../../domain/budget";
import { project } from "./tables";

/** The budgets of projects, with what their administrators were told. */
export const budget = sqliteTable("budget", {
  projectId: text("project_id")
    .primaryKey()
    .references(() => project.id, { onDelete: "cascade" }),
  eventsPerMonth: integer("events_per_month"),
  bytes: integer(),
  whenOver: text("when_over", { enum: budgetPolicies }).notNull(),
  /** The month of the number of events of which they were told, and its share in percent. */
  toldMonth: text("told_month"),
  toldEventsPercent: integer("told_events_percent").notNull().default(0),
  toldBytesPercent: integer("told_bytes_percent").notNull().default(0),
});

export type BudgetRow = typeof budget.$inferSelect;
