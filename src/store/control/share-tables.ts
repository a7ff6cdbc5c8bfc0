import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { SharePage } from "../../domain/share";
import { project } from "./tables";

/** An address of a dashboard page that somebody keeps under a name. */
export const savedView = sqliteTable(
  "saved_view",
  {
    id: text().primaryKey(),
    projectId: text("project_id")
      .notNull()
      .references(() => project.id, { onDelete: "cascade" }),
    name: text().notNull(),
    address: text().notNull(),
    createdAtMs: integer("created_at").notNull(),
    updatedAtMs: integer("updated_at").notNull(),
  },
  (table) => [index("saved_view_project").on(table.projectId, table.createdAtMs)],
);

/** A link by which others see a project's numbers. Deleting the row revokes it. */
export const share = sqliteTable(
  "share",
  {
    id: text().primaryKey(),
    projectId: text("project_id")
      .notNull()
      .references(() => project.id, { onDelete: "cascade" }),
    name: text().notNull(),
    tokenHash: text("token_hash").notNull(),
    /** Encrypted: its owner sees the address again. */
    sealedToken: text("sealed_token").notNull(),
    pages: text({ mode: "json" }).$type<readonly SharePage[]>().notNull(),
    /** The filters as they were sent, once they were checked. */
    filters: text({ mode: "json" }).$type<readonly unknown[]>().notNull(),
    frame: text({ mode: "json" }).$type<readonly string[]>().notNull(),
    passwordHash: text("password_hash"),
    createdAtMs: integer("created_at").notNull(),
    expiresAtMs: integer("expires_at"),
  },
  (table) => [
    uniqueIndex("share_token").on(table.tokenHash),
    index("share_project").on(table.projectId, table.createdAtMs),
  ],
);

export type ViewRow = typeof savedView.$inferSelect;
export type ShareRow = typeof share.$inferSelect;
