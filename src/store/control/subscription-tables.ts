import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { project } from "./tables";

/** A member, a webhook or an address that gets the messages of an alert or a report. Times are Unix ms. */
export const subscription = sqliteTable(
  "subscription",
  {
    /** The id of the alert or the report. */
    subject: text().notNull(),
    projectId: text("project_id")
      .notNull()
      .references(() => project.id, { onDelete: "cascade" }),
    /** The id of a person or of a webhook, or the address of an outsider. */
    target: text().notNull(),
    position: integer().notNull(),
    /** The hash of the token in each message, by which its reader ends them. */
    tokenHash: text("token_hash").notNull(),
    /** Set when the reader has ended the messages. */
    stoppedAtMs: integer("stopped_at"),
    /** The time of the message that asks an outsider to confirm, and the hash of its token. */
    askedAtMs: integer("asked_at"),
    confirmHash: text("confirm_hash"),
    /** When the outsider confirmed. */
    confirmedAtMs: integer("confirmed_at"),
  },
  (table) => [
    primaryKey({ columns: [table.subject, table.target] }),
    index("subscription_project").on(table.projectId),
    index("subscription_token").on(table.tokenHash),
    index("subscription_confirm").on(table.confirmHash),
    index("subscription_target").on(table.target),
  ],
);

export type SubscriptionRow = typeof subscription.$inferSelect;
