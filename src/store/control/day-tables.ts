import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { dayDimensions } from "../../domain/day-row";
import { project } from "./tables";

/** Sums of days (domain/day-row.ts) that one file brought, or that retention made of a project's events. */
export const dayImport = sqliteTable(
  "day_import",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: text("project_id")
      .notNull()
      .references(() => project.id, { onDelete: "cascade" }),
    /** The public id of the import; null where retention folded the project's own events. */
    importId: text("import_id"),
    /** The kind of the file, or `retention`. */
    kind: text().notNull(),
    /**
     * The id of the import that brought the days to another server, where a file names several of them. In days that
     * retention folded, the imports without which they are counted (days-without.ts).
     */
    part: text().notNull().default(""),
  },
  (table) => [
    index("day_import_project").on(table.projectId),
    index("day_import_name").on(table.importId),
  ],
);

/**
 * The dates of a project that have sums, each with the import that brought it first. What retention folds is apart:
 * other imports may have dates of events that the project stored, which are not shown.
 */
export const dayDate = sqliteTable(
  "day_date",
  {
    projectId: text("project_id")
      .notNull()
      .references(() => project.id, { onDelete: "cascade" }),
    isRetention: integer("is_retention", { mode: "boolean" }).notNull(),
    /** Days since 1970-01-01, in the project's time zone. */
    day: integer().notNull(),
    dayImportId: integer("day_import_id")
      .notNull()
      .references(() => dayImport.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.isRetention, table.day] }),
    index("day_date_import").on(table.dayImportId),
  ],
);

/** The sums of an import, also of dates that are not its own. */
export const daySums = sqliteTable(
  "day_sums",
  {
    dayImportId: integer("day_import_id")
      .notNull()
      .references(() => dayImport.id, { onDelete: "cascade" }),
    day: integer().notNull(),
    dimension: text({ enum: dayDimensions }).notNull(),
    /** JSON: `[[value, visitors, visits, page_views, events, bounces, seconds], …]`, the largest first. */
    sums: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.dayImportId, table.dimension, table.day] })],
);

/** The state of retention in a project; without a row it has deleted nothing, and will fold what it deletes. */
export const folding = sqliteTable("folding", {
  projectId: text("project_id")
    .primaryKey()
    .references(() => project.id, { onDelete: "cascade" }),
  /** Dates are counted into days before their events are deleted. */
  isOn: integer("is_on", { mode: "boolean" }).notNull().default(true),
  /** The earliest event that was deleted, in Unix ms. */
  firstDeletedMs: integer("first_deleted_at"),
});
