import { sql } from "drizzle-orm";
import { check, index, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { alertStates } from "../../domain/alerts/rules";
import type { AlertSpec } from "../../domain/alerts/specs";
import { project } from "./tables";

/** Rules that a project's numbers are held against. Times are Unix ms. */
export const alert = sqliteTable(
  "alert",
  {
    id: text().primaryKey(),
    projectId: text("project_id")
      .notNull()
      .references(() => project.id, { onDelete: "cascade" }),
    name: text().notNull(),
    spec: text({ mode: "json" }).$type<AlertSpec>().notNull(),
    state: text({ enum: alertStates }).notNull(),
    sinceMs: integer("since").notNull(),
    /** The date or the minutes that were judged last, so that none is judged twice. */
    slot: text(),
    lastEvaluatedAtMs: integer("last_evaluated_at"),
    /** When the last message that it fires was queued. */
    lastFiredAtMs: integer("last_fired_at"),
    /** With `each`: the number of events up to the last message. Null before the first look. */
    counted: integer(),
    createdAtMs: integer("created_at").notNull(),
  },
  (table) => [
    index("alert_project").on(table.projectId, table.createdAtMs),
    check("alert_state", sql`${table.state} in ('learning', 'ok', 'firing')`),
  ],
);

/** A time in which an alert fired. */
export const alertEpisode = sqliteTable(
  "alert_episode",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    alertId: text("alert_id")
      .notNull()
      .references(() => alert.id, { onDelete: "cascade" }),
    fromMs: integer("from_ms").notNull(),
    toMs: integer("to_ms"),
    observed: real().notNull(),
    expected: real().notNull(),
  },
  (table) => [index("alert_episode_alert").on(table.alertId, table.id)],
);

/** Alert mails that were held back, as a person had ten in a day. */
export const heldAlertMail = sqliteTable("held_alert_mail", {
  recipient: text().primaryKey(),
  messages: integer().notNull(),
});

export type AlertRow = typeof alert.$inferSelect;
export type AlertEpisodeRow = typeof alertEpisode.$inferSelect;
