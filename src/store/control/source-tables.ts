import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { sourceKinds } from "../../domain/source";
import { project } from "./tables";

/** An address under which a project takes what the clients of another product send. */
export const source = sqliteTable(
  "source",
  {
    id: text().primaryKey(),
    projectId: text("project_id")
      .notNull()
      .references(() => project.id, { onDelete: "cascade" }),
    kind: text({ enum: sourceKinds }).notNull(),
    /** The key in its normal form (domain/source.ts); without one the source works by its address alone. */
    key: text(),
    createdAtMs: integer("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("source_key").on(table.kind, table.key),
    index("source_project").on(table.projectId, table.createdAtMs),
  ],
);

/** The key of a day by which visitors without an id are named. Its row is deleted once the next day is over. */
export const visitorDayKey = sqliteTable("visitor_day_key", {
  /** Days since 1970-01-01, UTC. */
  day: integer().primaryKey(),
  /** Encrypted with a key of this installation. */
  sealedKey: text("sealed_key").notNull(),
});

/** Projects in which a visitor of two days counts as two, as they have or had a source of such clients. */
export const dailyVisitorProject = sqliteTable("daily_visitor_project", {
  projectId: text("project_id")
    .primaryKey()
    .references(() => project.id, { onDelete: "cascade" }),
});

export type SourceRow = typeof source.$inferSelect;
