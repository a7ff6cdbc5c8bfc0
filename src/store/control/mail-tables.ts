import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { mailKinds, mailStates } from "../../domain/mail/message";

/** Messages to people, until a mail server has taken them and for a while after. Times are Unix ms. */
export const mailMessage = sqliteTable(
  "mail_message",
  {
    id: text().primaryKey(),
    kind: text({ enum: mailKinds }).notNull(),
    recipient: text().notNull(),
    /** Subject and body as JSON, encrypted: links that work once are in some. Null once it is sent or has failed. */
    sealedLetter: text("sealed_letter"),
    state: text({ enum: mailStates }).notNull(),
    isUrgent: integer("is_urgent", { mode: "boolean" }).notNull(),
    tries: integer().notNull().default(0),
    /** The reason of the last failure: the stage and the answer of the mail server. */
    error: text(),
    createdAtMs: integer("created_at").notNull(),
    /** The next try is due then. */
    dueAtMs: integer("due_at").notNull(),
    /** When the mail server took it, or when the last try failed. */
    endedAtMs: integer("ended_at"),
  },
  (table) => [
    index("mail_message_due").on(table.isUrgent, table.dueAtMs).where(sql`state = 'queued'`),
    index("mail_message_ended").on(table.state, table.endedAtMs),
    index("mail_message_created").on(table.createdAtMs),
    check("mail_message_state", sql`${table.state} in ('queued', 'sent', 'failed')`),
  ],
);

export type MailRow = typeof mailMessage.$inferSelect;
