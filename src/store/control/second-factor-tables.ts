import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { person } from "./member-tables";

/** A person's second factor: the secret that an authenticator app shares with this server. */
export const secondFactor = sqliteTable("second_factor", {
  personId: text("person_id")
    .primaryKey()
    .references(() => person.id, { onDelete: "cascade" }),
  /** Encrypted for this person (Seal). */
  sealedSecret: text("sealed_secret").notNull(),
  setUpAtMs: integer("set_up_at").notNull(),
  /** Null until the first right code. */
  enabledAtMs: integer("enabled_at"),
  /** The step of the last code that was taken: no code of it or of an earlier one is taken again. */
  lastStep: integer("last_step").notNull().default(-1),
  /** Wrong codes of one UTC day, in days since 1970. */
  failureDay: integer("failure_day").notNull().default(0),
  failures: integer().notNull().default(0),
});

/** A code that stands in for the app, once. Taking it deletes the row. */
export const recoveryCode = sqliteTable(
  "recovery_code",
  {
    personId: text("person_id")
      .notNull()
      .references(() => person.id, { onDelete: "cascade" }),
    hash: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.personId, table.hash] })],
);

export type SecondFactorRow = typeof secondFactor.$inferSelect;
