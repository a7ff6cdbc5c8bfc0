import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { person } from "./member-tables";

/** A person as a provider of single sign-on knows them. */
export const oidcIdentity = sqliteTable(
  "oidc_identity",
  {
    issuer: text().notNull(),
    subject: text().notNull(),
    personId: text("person_id")
      .notNull()
      .references(() => person.id, { onDelete: "cascade" }),
    linkedAtMs: integer("linked_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    index("oidc_identity_person").on(table.personId),
  ],
);
