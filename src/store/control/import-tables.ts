import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { importKinds, importStates } from "../../domain/import";
import { project } from "./tables";

/** A file that is uploaded, checked and stored, or was stored. The file itself lies in a folder (import-files.ts). */
export const dataImport = sqliteTable(
  "data_import",
  {
    id: text().primaryKey(),
    projectId: text("project_id")
      .notNull()
      .references(() => project.id, { onDelete: "cascade" }),
    /** Null until a check finds it. */
    kind: text({ enum: importKinds }),
    /** The name of the file, as its owner calls it. */
    name: text(),
    state: text({ enum: importStates }).notNull(),
    size: integer().notNull(),
    /** The bytes that are on the disk. */
    received: integer().notNull().default(0),
    sha256: text().notNull(),
    /** The zone of times that name none. */
    timezone: text().notNull(),
    overlap: text({ enum: ["drop", "keep"] }).notNull(),
    older: text({ enum: ["fold", "drop"] }).notNull(),
    /** JSON of an ImportReport; null before the first check. */
    report: text(),
    /** JSON of code, message and line; null unless it failed. */
    error: text(),
    createdAtMs: integer("created_at").notNull(),
    /** The time of the last part, check or commit: what waits too long lapses. */
    changedAtMs: integer("changed_at").notNull(),
    committedAtMs: integer("committed_at"),
    /** The earliest event that it brought, here or to the server that wrote the file, in Unix ms. */
    firstEventMs: integer("first_event_at"),
    /** The time at which it wrote the project's context; null where it did not. */
    contextAtMs: integer("context_at"),
    /** Its removal has begun: a start goes on with one that a stop interrupted. */
    isRemoving: integer("is_removing", { mode: "boolean" }).notNull().default(false),
  },
  (table) => [index("data_import_project").on(table.projectId, table.createdAtMs)],
);

export type ImportRow = typeof dataImport.$inferSelect;
