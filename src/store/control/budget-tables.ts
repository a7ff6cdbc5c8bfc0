import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { budgetPolicies } from "../../domain/budget";
import { project } from "./tables";

/** The budgets of projects, with the last notices that the server sent about them. */
export const budget = sqliteTable("budget", {
  projectId: text("project_id")
    .primaryKey()
    .references(() => project.id, { onDelete: "cascade" }),
  eventsPerMonth: integer("events_per_month"),
  bytes: integer(),
  whenOver: text("when_over", { enum: budgetPolicies }).notNull(),
  /** The month of the last notice about the number of events, and the share in percent that it named. */
  toldMonth: text("told_month"),
  toldEventsPercent: integer("told_events_percent").notNull().default(0),
  toldBytesPercent: integer("told_bytes_percent").notNull().default(0),
});

export type BudgetRow = typeof budget.$inferSelect;
