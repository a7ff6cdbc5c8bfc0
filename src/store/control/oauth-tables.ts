import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { agentSession } from "./agent-tables";

/** Sign-in by OAuth, as far as agent sessions have no place for it. Times are Unix ms; secrets are SHA-256 only. */

/** A client that has registered. Anybody can, under any name. */
export const oauthClient = sqliteTable(
  "oauth_client",
  {
    id: text().primaryKey(),
    name: text(),
    redirectUris: text("redirect_uris", { mode: "json" }).$type<readonly string[]>().notNull(),
    createdAtMs: integer("created_at").notNull(),
    /** The time of the first approval; null while nobody has approved it for anything. */
    approvedAtMs: integer("approved_at"),
    /** The time of its last sign-in or refresh; at first that of the registration. */
    lastUsedAtMs: integer("last_used_at").notNull(),
  },
  (table) => [
    index("oauth_client_used").on(table.lastUsedAtMs),
    index("oauth_client_approved").on(table.approvedAtMs, table.createdAtMs),
  ],
);

/** Refresh tokens that were followed by another one. Who sends one later has stolen it, or was stolen from. */
export const spentRefreshToken = sqliteTable(
  "spent_refresh_token",
  {
    hash: text().primaryKey(),
    sessionId: text("session_id")
      .notNull()
      .references(() => agentSession.id, { onDelete: "cascade" }),
    spentAtMs: integer("spent_at").notNull(),
  },
  (table) => [index("spent_refresh_token_session").on(table.sessionId)],
);

export type OauthClientRow = typeof oauthClient.$inferSelect;
