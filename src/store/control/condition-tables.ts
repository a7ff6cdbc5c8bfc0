import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { conditionKinds } from "../../domain/server-condition";

/** The conditions of this server that hold, or ended a short while ago. Times are Unix ms. */
export const serverCondition = sqliteTable("server_condition", {
  kind: text({ enum: conditionKinds }).primaryKey(),
  /** The severity now; 0 while the condition does not hold. */
  severity: integer().notNull(),
  /** The severity that the last message named. */
  toldSeverity: integer("told_severity").notNull(),
  title: text().notNull(),
  sentence: text().notNull(),
  sinceMs: integer("since").notNull(),
  /** The time since when it is less severe than the last message said; null while it is not. */
  easedAtMs: integer("eased_at"),
});

export type ConditionRow = typeof serverCondition.$inferSelect;
