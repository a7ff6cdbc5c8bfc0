import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { GoalFilter, GoalValue } from "../../domain/goals/definition";
import { project } from "./tables";

/** The events that a project counts as success, under a name. */
export const goal = sqliteTable(
  "goal",
  {
    id: text().primaryKey(),
    projectId: text("project_id")
      .notNull()
      .references(() => project.id, { onDelete: "cascade" }),
    name: text().notNull(),
    /** The name as it is compared with others, without regard to case. */
    nameKey: text("name_key").notNull(),
    /** The name of the event; null where the goal is a page. */
    event: text(),
    page: text(),
    filters: text({ mode: "json" }).$type<readonly GoalFilter[]>().notNull(),
    value: text({ mode: "json" }).$type<GoalValue>(),
    oncePer: text("once_per"),
    createdAtMs: integer("created_at").notNull(),
    updatedAtMs: integer("updated_at").notNull(),
  },
  (table) => [
    uniqueIndex("goal_name").on(table.projectId, table.nameKey),
    index("goal_project").on(table.projectId, table.createdAtMs),
  ],
);

export type GoalRow = typeof goal.$inferSelect;
