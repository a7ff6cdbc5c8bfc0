import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * How often something was changed that reads of a project, or of an account, show: counted by triggers (its migration),
 * so that nobody who changes something has to think of it. When the set of projects changes of which an answer tells,
 * as a project joins a portfolio or is deleted, it grows by more than all events together can have (`setChangeStep`
 * there).
 */
export const dataChanges = sqliteTable("data_changes", {
  /** The id of a project or an account. */
  id: text().primaryKey(),
  changes: integer().notNull(),
});
