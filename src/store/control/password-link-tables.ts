import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { person } from "./member-tables";

/** A link by which a person sets a new password. A newer one replaces it; its use deletes it. */
export const passwordLink = sqliteTable(
  "password_link",
  {
    personId: text("person_id")
      .primaryKey()
      .references(() => person.id, { onDelete: "cascade" }),
    tokenHash: text("token_hash").notNull(),
    expiresAtMs: integer("expires_at").notNull(),
  },
  (table) => [uniqueIndex("password_link_token").on(table.tokenHash)],
);
