import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { startModes } from "../../domain/replay/settings";
import { project } from "./tables";

/**
 * The settings of a project's recordings, once somebody has changed them. Whether it is recorded stands in `project`.
 */
export const replaySettings = sqliteTable("replay_settings", {
  projectId: text("project_id")
    .primaryKey()
    .references(() => project.id, { onDelete: "cascade" }),
  startMode: text("start_mode", { enum: startModes }).notNull(),
  sampleRate: real("sample_rate").notNull(),
  maskSelectors: text("mask_selectors", { mode: "json" }).$type<readonly string[]>().notNull(),
  blockSelectors: text("block_selectors", { mode: "json" }).$type<readonly string[]>().notNull(),
  retentionDays: integer("retention_days").notNull(),
  updatedAtMs: integer("updated_at").notNull(),
});
