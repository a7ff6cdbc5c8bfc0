import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { project } from "./tables";

/** The rules by which events of a project are not stored; a project without rules has no row. */
export const exclusion = sqliteTable("exclusion", {
  projectId: text("project_id")
    .primaryKey()
    .references(() => project.id, { onDelete: "cascade" }),
  /** JSON of domain/exclusions/rules.ts, in its normal form. */
  rules: text().notNull(),
});
