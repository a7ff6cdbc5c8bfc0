import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
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
  /** Dates are written to files before their events are deleted. */
  isArchiving: integer("is_archiving", { mode: "boolean" }).notNull().default(false),
  /** The last run could not write a file, so it deleted nothing. */
  isFailing: integer("is_failing", { mode: "boolean" }).notNull().default(false),
});

/** The files that were written of a project and read back. */
export const archivedFile = sqliteTable(
  "archived_file",
  {
    projectId: text("project_id")
      .notNull()
      .references(() => project.id, { onDelete: "cascade" }),
    /** UTC, in days since 1970-01-01. */
    day: integer().notNull(),
    /** Counts the files of a date: there is a second one only where deleted events came back. */
    number: integer().notNull(),
    events: integer().notNull(),
    /** The length and the digest of the file as it is stored. */
    bytes: integer().notNull(),
    sha256: text().notNull(),
    /** The events of the date were deleted after it was written. */
    isForgotten: integer("is_forgotten", { mode: "boolean" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.day, table.number] })],
);
export type ArchivedFile = typeof archivedFile.$inferSelect;
