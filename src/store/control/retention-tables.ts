import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { project } from "./tables";

/** How long a project stores events; one without a row stores them as long as its plan does. */
export const retention = sqliteTable("retention", {
  projectId: text("project_id")
    .primaryKey()
    .references(() => project.id, { onDelete: "cascade" }),
  /** Null: as long as the plan. */
  days: integer(),
  /** The number that the last run before the change obeyed. */
  formerDays: integer("former_days"),
  changedAtMs: integer("changed_at").notNull().default(0),
});
